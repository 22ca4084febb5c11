/**
 * Operators' orders during a run, drawn from the seed: an order about a host, and later the order that takes it back.
 *
 * A held host loses nothing by it: the pages that must be fetched stay the same. While a host is blocked, none of its
 * pages is fetched once the earlier leases are over.
 */
import { blankControl } from '../../schemas/blank.ts';
import type { Control } from '../../schemas/types.ts';
import { aboutHost } from '../../services/runtime/crawl/requests.ts';
import { type Chance, chanceOf } from './chance.ts';
import type { Judge } from './judge.ts';
import { crawl, type MachineOptions } from './machines.ts';
import type { World } from './world.ts';

/** Times are ms from the start of the run. */
export interface Order {
  readonly at: number;
  readonly undoneAt: number;
  readonly hostName: string;
  readonly word: Pick<Control, 'kind'> & Partial<Control>;
  /** null: the order needs none. */
  readonly undo: (Pick<Control, 'kind'> & Partial<Control>) | null;
}

export function drawOrders(seed: number, world: World): readonly Order[] {
  const chance = chanceOf(seed, 'operators');
  if (!chance.happens(0.4)) return [];
  return Array.from({ length: chance.between(1, 4) }, () => drawOrder(chance, world));
}

function drawOrder(chance: Chance, world: World): Order {
  const host = chance.pick(world.hosts);
  const at = chance.between(0, 20_000);
  // Some last longer than all earlier leases can.
  const undoneAt = at + (chance.happens(0.15) ? chance.between(200_000, 240_000) : chance.between(500, 30_000));
  const order = (word: Order['word'], undo: Order['undo']) => ({ at, undoneAt, hostName: host.name, word, undo });
  const kind = chance.pick(['blockHost', 'blockHost', 'hostDelay', 'hostLimit', 'trap', 'raise', 'lower'] as const);
  switch (kind) {
    case 'blockHost':
      return order({ kind }, { kind: 'releaseHost' });
    case 'hostDelay':
      return order({ kind, amount: chance.between(1, 4) * 1_000 }, { kind, amount: -1 });
    case 'hostLimit':
      return order({ kind, amount: chance.between(0, 3) }, { kind, amount: -1 });
    case 'trap': {
      const payload = JSON.stringify({ pattern: '/', detail: 'as an operator says' });
      return order({ kind, payload }, { kind: 'releaseTrap', payload });
    }
    case 'raise':
    case 'lower':
      return order({ kind, payload: JSON.stringify({ url: chance.pick(host.pages).url }) }, null);
  }
}

export function giveOrders(
  orders: readonly Order[],
  { scheduler, cluster, codec, world }: MachineOptions,
  judge: Judge,
): void {
  const startMs = scheduler.nowMs();
  const topics = { crawl, partitions: world.partitions, keyMode: 'host' } as const;
  const say = ({ hostName }: Order, word: Order['word'], id: string) => {
    const event = { ...blankControl, atMs: scheduler.nowMs(), by: 'operator', hostKey: hostName, id, ...word };
    scheduler.note(`operator: ${word.kind} ${hostName}`);
    const value = codec.encode('control', event) as Buffer;
    for (const { partition } of aboutHost(topics, event)) {
      cluster.land({ topic: `${crawl}.control`, partition, key: null, value, headers: {} });
    }
    judge.ordered(hostName, word.kind, scheduler.nowMs(), word.amount);
  };
  orders.forEach((order, number) => {
    const { undo } = order;
    scheduler.at(startMs + order.at, () => say(order, order.word, `order ${number}`));
    if (undo !== null) scheduler.at(startMs + order.undoneAt, () => say(order, undo, `order ${number}, undone`));
  });
}
