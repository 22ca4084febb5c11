/**
 * The inputs of a random game of the frontier (frontier-game.ts): rules, links, results, orders. Numbers are small, so
 * that all combinations occur.
 */
import { blankLinkGroup } from '../../schemas/blank.ts';
import type { Control, Discovered, LinkGroup } from '../../schemas/types.ts';
import { defaultPolicy } from '../../topology/policy/policy.ts';
import { type Chance, controlOf, randomEvent, randomOverlays, randomRules } from './model-script.ts';

export const gameHosts = ['a.in.test', 'b.in.test', 'c.in.test:8080', 'd.on.test', 'e.on.test', 'f.at.test'];
const sources = ['s.src.test', 't.tsrc.test', 'u.usrc.test'];

/** The subject of a whole game. It has few features at a time, so that a history is short. */
export interface GameFeatures {
  readonly politenessKey: 'host' | 'domain';
  readonly budgetKey: 'host' | 'domain' | null;
  readonly hasWindows: boolean;
  /** Hosts with so many URLs that each front queue gets its turn. */
  readonly isLong: boolean;
  readonly caps: Record<string, number | null | undefined>;
}

export function drawFeatures(chance: Chance): GameFeatures {
  return {
    politenessKey: chance.percent(30) ? 'domain' : 'host',
    budgetKey: chance.percent(40) ? chance.of(['host', 'domain'] as const) : null,
    hasWindows: chance.percent(25),
    isLong: chance.percent(5),
    // Later caps apply when a host would next be leased, which a draw decides: these stay.
    caps: {
      pagesPerHostMax: chance.of([null, null, null, 3, 20]),
      bytesPerHostMax: chance.of([null, null, null, 60]),
      serverErrorsMax: chance.of([undefined, 0, 1, 2, 3]),
    },
  };
}

export function randomPolicy(chance: Chance, features: GameFeatures, version: number): Control {
  const { traps: _, score: __, ...plain } = defaultPolicy();
  const { politenessKey, budgetKey, hasWindows, isLong, caps } = features;
  const { parallel, ...rules } = randomRules(chance);
  const overlays = randomOverlays(chance).map(({ set, ...rest }) => ({
    ...rest,
    set: politenessKey === 'domain' && 'leases' in set ? { leadTimeMs: 10_000 } : set,
  }));
  const policy = {
    ...plain,
    ...rules,
    ...caps,
    ...(isLong && { delayMs: 0, urlsPerLeaseMax: 64, queuedMax: 1_000_000, pageQuota: null, leadTimeMs: 600_000 }),
    version,
    politenessKey,
    overlays,
    parallel: politenessKey === 'domain' ? [] : parallel,
    scope: { kind: 'domain', names: ['in.test', 'on.test', 'at.test'] },
    ...(hasWindows && { windows: [randomWindow(chance)] }),
    ...(budgetKey !== null && {
      budget: {
        key: budgetKey,
        base: chance.of([0, 2, 6]),
        perSource: chance.of([0, 3]),
        max: 20,
        refillMs: chance.of([60_000, 3_600_000]),
      },
    }),
  };
  return controlOf({ kind: 'policy', version, payload: JSON.stringify(policy) });
}

function randomWindow(chance: Chance) {
  return {
    hosts: chance.of([['in.test'], ['a.in.test', 'on.test'], ['*']]),
    fromHour: chance.of([0, 8, 22]),
    toHour: chance.of([2, 6, 12]),
    utcOffsetMinutes: chance.of([0, 90, -300]),
    ...(chance.percent(30) && { days: [1, 3, 6] }),
  };
}

export function gameLinks(chance: Chance, { isLong }: GameFeatures): Discovered {
  const groups = Array.from({ length: 1 + chance.below(3) }, (): LinkGroup => {
    const hostKey = chance.percent(5) ? 'a.off.example' : chance.of(gameHosts);
    const count = 1 + chance.below(isLong ? 120 : 12);
    return {
      ...blankLinkGroup,
      hostKey,
      depth: chance.below(6),
      hop: chance.percent(10) ? chance.below(4) : 0,
      front: chance.percent(10),
      intent: chance.percent(6) ? 'force' : 'discover',
      sourceUrl: chance.percent(20) ? '' : `https://${chance.of([...gameHosts, ...sources])}/`,
      links: Array.from({ length: count }, () => ({
        url: `https://${hostKey}/${chance.below(isLong ? 5_000 : 60)}`,
        lastModifiedMs: 0,
        priority: chance.below(10),
        spelling: '',
      })),
    };
  });
  return { groups };
}

/** An order about one of the game's hosts. */
export function gameOrder(chance: Chance): Control {
  const hostKey = chance.of(gameHosts);
  if (chance.percent(15)) return controlOf({ kind: 'budget', hostKey, amount: chance.of([-1, 0, 3, 15]) });
  const order = randomEvent(chance);
  return { ...order, hostKey, payload: order.payload.replace(order.hostKey, hostKey) };
}
