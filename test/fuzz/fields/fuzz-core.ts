/**
 * Records with extremes in their fields, into a partition: no record ends it, its counters stay whole numbers, and its state is that of
 * its replay.
 */
import { inspect } from 'node:util';
import { Hand } from '../../../lab/model/hand.ts';
import { controlOf } from '../../../lab/model/model-script.ts';
import { numbers } from '../../../lab/web/random.ts';
import { type Control, controlKinds, type TopicRecords } from '../../../schemas/types.ts';
import { digest } from '../../../topology/frontier/check/digest.ts';
import { defaultRecrawl } from '../../../topology/policy/recrawl/recrawl-config.ts';
import { defaultScore } from '../../../topology/policy/score/score-config.ts';
import { defaultTraps } from '../../../topology/policy/traps/trap-config.ts';
import { drawRecord } from './draw-record.ts';

export interface FieldsFuzzed {
  readonly inputs: number;
  readonly findings: readonly string[];
}

type InputTopic = 'control' | 'results' | 'discovered';

/** A new partition after so many inputs: orders may have paused or purged all. */
const inputsPerPartition = 400;
/** A step of a busy partition takes many records. */
const inputsPerStep = 8;
const findingsMax = 10;

export function fuzzCore(inputs: number, seed: number): FieldsFuzzed {
  const next = numbers(seed);
  const below = (max: number) => next() % max;
  const findings: string[] = [];
  let tried = 0;
  while (tried < inputs && findings.length < findingsMax) {
    const hand = opened(below(2) === 0);
    let last: unknown;
    try {
      for (let left = Math.min(inputsPerPartition, inputs - tried); left > 0; left--) {
        const topic = (['control', 'results', 'discovered'] as const)[below(3)]!;
        const record = drawRecord(topic, honest(hand, topic, below), below);
        last = record;
        hand.rig.send(topic, record as never);
        tried += 1;
        if (tried % inputsPerStep === 0) hand.rig.step((hand.nowMs += below(5_000)), below(8));
      }
      assertSound(hand);
    } catch (error) {
      findings.push(`${(error as Error).stack ?? error}\nafter ${inspect(last, { depth: 6 }).slice(0, 2_000)}`);
    }
  }
  return { inputs: tried, findings };
}

function opened(isRich: boolean): Hand {
  const hand = new Hand({
    scope: { kind: 'all', names: [] },
    ...(isRich && {
      budget: { key: 'host', base: 50, perSource: 1, max: 90, refillMs: 60_000 },
      score: defaultScore,
      traps: defaultTraps,
      recrawl: { ...defaultRecrawl, hubs: { newUrls: 3 } },
      parallel: [{ hosts: ['a.test'], leases: 3 }],
    }),
  });
  hand.nowMs = Date.UTC(2026, 0, 1);
  for (const host of ['a.test', 'b.test', 'c.test']) hand.links(host, 40);
  return hand;
}

const kinds = controlKinds.filter((kind) => kind !== 'policy');

/** A record as a sound program would send it. */
function honest<T extends InputTopic>(hand: Hand, topic: T, below: (max: number) => number): TopicRecords[T];
function honest(hand: Hand, topic: InputTopic, below: (max: number) => number): TopicRecords[InputTopic] {
  const hostKey = ['a.test', 'b.test', 'c.test'][below(3)]!;
  if (topic === 'discovered')
    return hand.linksRecord([`https://${hostKey}/${below(1_000)}`, `https://${hostKey}/x`], below(8), {
      sourceUrl: 'https://s.test/',
    });
  if (topic === 'control') return controlOf({ kind: kinds[below(kinds.length)] as Control['kind'], hostKey });
  const { leases } = hand.rig.core.state;
  const lease = [...leases.values()][below(Math.max(1, leases.size))];
  const urls = (lease?.entries ?? []).map((entry) => ({ url: entry?.url ?? 'https://a.test/0' }));
  const task = { leaseId: lease?.id ?? 1, hostKey: lease?.host.key ?? hostKey, epoch: 0, urls };
  return hand.resultOf(task as never, () => ({}));
}

function assertSound(hand: Hand): void {
  const { state } = hand.rig.core;
  if (digest(hand.rig.replayed()) !== digest(state)) throw new Error('the state is not that of its replay');
  for (const [name, value] of Object.entries(state.counters))
    if (!Number.isSafeInteger(value) || value < 0) throw new Error(`counter ${name} is ${value}`);
}
