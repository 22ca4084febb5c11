/**
 * The plan of the faults in a run: a list, drawn from the seed, that can be shortened and run again.
 *
 * Times are ms from the start of the run. The last fault ends long before a run may end, so that every run also shows
 * that the crawl recovers without help.
 */
import type { InputTopic } from '../../topology/frontier/changes/changelog.ts';
import { type TopicName, topicNames } from '../../topology/topics.ts';
import { type Chance, chanceOf } from './chance.ts';
import { drawBrokenAnswers, drawOutages } from './draw-outages.ts';
import type { Away } from './outages.ts';
import { idShiftMax } from './registry.ts';
import type { AppendFault, Landing } from './sim-log.ts';
import type { StrayTopic } from './stray-records.ts';
import { drawSurroundings } from './surroundings.ts';
import type { BrokenAt, Trouble } from './web.ts';
import type { World } from './world.ts';

export type ForeignRecord = 'bytes' | 'text' | 'cut' | 'again';

/** `at` and all durations in ms. `process`: by name. */
export type Fault =
  /** The process is killed at its `step`-th step from then on, and is restarted `downMs` later. */
  | {
      readonly kind: 'kill';
      readonly at: number;
      readonly process: string;
      readonly step: number;
      readonly when: 'before' | 'after';
      readonly landing: Landing;
      readonly downMs: number;
      /** Its state folders are deleted, too. */
      readonly loseDisk: boolean;
    }
  /** It freezes at that step, and later continues as if nothing had happened. */
  | {
      readonly kind: 'freeze';
      readonly at: number;
      readonly process: string;
      readonly step: number;
      readonly forMs: number;
    }
  /** It continues to work, but is cut off from the others until then. */
  | { readonly kind: 'isolate'; readonly at: number; readonly process: string; readonly forMs: number }
  /** The process gets a stop signal, ends in good order, and is restarted. */
  | { readonly kind: 'stop'; readonly at: number; readonly process: string; readonly downMs: number }
  /** Partitions are reassigned, several times in a row. */
  | {
      readonly kind: 'rebalance';
      readonly at: number;
      readonly group: 'frontier' | 'fetcher';
      readonly times: number;
    }
  /** Its next append to the topic has a fault. */
  | {
      readonly kind: 'append';
      readonly at: number;
      readonly process: string;
      readonly topic: string;
      readonly fault: AppendFault;
    }
  | { readonly kind: 'diskFull'; readonly at: number; readonly process: string; readonly forMs: number }
  /** Its wall clock is set wrong, and later right again. */
  | {
      readonly kind: 'clock';
      readonly at: number;
      readonly process: string;
      readonly byMs: number;
      readonly forMs: number;
    }
  | { readonly kind: 'brokerAway'; readonly at: number; readonly forMs: number }
  | {
      readonly kind: 'trouble';
      readonly at: number;
      readonly host: string;
      readonly answer: Trouble;
      readonly forMs: number;
    }
  /** A record of the topic is duplicated. */
  | { readonly kind: 'duplicate'; readonly at: number; readonly topic: 'results' | 'discovered' | 'control' }
  /**
   * A changelog loses its newest records, also acknowledged ones; `process` dies then, and is restarted with its
   * folders.
   */
  | {
      readonly kind: 'tailLost';
      readonly at: number;
      readonly records: number;
      readonly process: string | null;
      readonly downMs: number;
    }
  /**
   * An input that was read to its end loses its newest records: later records take their offsets. `process`: dies with
   * them, as after one power cut of both, and does not observe the loss.
   */
  | {
      readonly kind: 'inputLost';
      readonly at: number;
      readonly topic: InputTopic;
      readonly records: number;
      readonly process: string | null;
      readonly downMs: number;
    }
  /** A foreign record, on any topic: random bytes, text, or a copy of one of our commits. */
  | { readonly kind: 'foreign'; readonly at: number; readonly topic: TopicName; readonly what: ForeignRecord }
  /**
   * The registry forgets everything, and assigns ids that belong to other schemas; processes that start from then on
   * may not use it.
   */
  | { readonly kind: 'registryForgets'; readonly at: number; readonly shift: number; readonly isNamed: boolean }
  /** A record that cannot be read. */
  | { readonly kind: 'garbage'; readonly at: number; readonly topic: 'results' | 'discovered' | 'control' | 'tasks' }
  /** All fetchers stop at once, and none returns before then. */
  | { readonly kind: 'noFetchers'; readonly at: number; readonly killed: boolean; readonly forMs: number }
  /** A record on a wrong partition for its key. */
  | { readonly kind: 'stray'; readonly at: number; readonly topic: StrayTopic }
  /** An outsider adds partitions to a topic, and sends a record there. */
  | { readonly kind: 'grow'; readonly at: number; readonly topic: StrayTopic; readonly by: number }
  /**
   * The network or the name servers are away, for one process or, with null, for all, once the crawl has so many pages.
   * `restart`: a process is killed `afterMs` later.
   */
  | {
      readonly kind: 'outage';
      readonly at: number;
      readonly pages: number;
      readonly away: Away;
      readonly process: string | null;
      readonly forMs: number;
      readonly restart: { readonly process: string; readonly afterMs: number; readonly downMs: number } | null;
    }
  /** The answers for a URL break off. */
  | {
      readonly kind: 'brokenAnswer';
      readonly at: number;
      readonly url: string;
      readonly where: BrokenAt;
      readonly forMs: number;
    };

/** Faults begin within one of these periods: while the crawl is busy, or spread until leases have expired. */
const spansMs = [2_000, 10_000, 40_000, 130_000];

export function processNames(world: World): string[] {
  if (world.embedded) return ['crawl'];
  const named = (role: string, count: number) => Array.from({ length: count }, (_, number) => `${role}-${number}`);
  return [...named('frontier', world.frontiers), ...named('fetcher', world.fetchers)];
}

export function drawFaults(seed: number, world: World): Fault[] {
  const chance = chanceOf(seed, 'faults');
  // Some runs have no faults: a fault may hide an error that shows there.
  const count = chance.happens(0.1) ? 0 : chance.between(1, 8);
  const spanMs = chance.pick(spansMs);
  const faults = Array.from({ length: count }, () => drawFault(chance, world, spanMs)).flatMap((fault) =>
    fault.kind === 'rebalance' ? [fault, ...companions(chance, world, fault)] : [fault],
  );
  const losses = drawLosses(seed, world, spanMs);
  // The schemas that a registry forgot exist only in `control`: lost there too, they cannot be recovered.
  const isNoted = !losses.some((fault) => fault.kind === 'inputLost' && fault.topic === 'control');
  const forgetting = isNoted ? drawForgetting(seed, world, spanMs) : [];
  const outages = drawOutages(seed, processNames(world));
  // Other faults may excuse the cost of an outage.
  if (outages.length > 0 && chanceOf(seed, 'outages alone').happens(0.5)) return outages;
  return [
    ...faults,
    ...drawSurroundings(seed, world),
    ...losses,
    ...drawForeign(seed, world, spanMs),
    ...forgetting,
    ...outages,
    ...drawBrokenAnswers(seed, world),
  ].sort((a, b) => a.at - b.at);
}

function drawForeign(seed: number, world: World, spanMs: number): Fault[] {
  const chance = chanceOf(seed, 'foreign');
  if (world.embedded || !chance.happens(0.25)) return [];
  return Array.from({ length: chance.between(1, 6) }, () => {
    const topic = chance.happens(0.5) ? 'frontier-changelog' : chance.pick(topicNames);
    const what = chance.pick<ForeignRecord>(
      topic === 'frontier-changelog' ? ['bytes', 'text', 'cut', 'again'] : ['bytes', 'text'],
    );
    return { kind: 'foreign', at: chance.between(0, spanMs), topic, what };
  });
}

/** From a separate draw, so that the seed's other draws do not change. */
function drawLosses(seed: number, world: World, spanMs: number): Fault[] {
  const chance = chanceOf(seed, 'losses');
  if (world.embedded || !chance.happens(0.2)) return [];
  if (chance.happens(0.4)) {
    const dying = chanceOf(seed, 'losses that kill');
    return Array.from({ length: chance.between(1, 3) }, () => ({
      kind: 'inputLost',
      at: chance.between(500, spanMs),
      topic: chance.pick(['results', 'discovered', 'control'] as const),
      records: chance.between(1, 5),
      process: dying.happens(0.6) ? `frontier-${dying.between(0, world.frontiers - 1)}` : null,
      downMs: dying.between(100, 5_000),
    }));
  }
  return Array.from({ length: chance.between(1, 3) }, () => ({
    kind: 'tailLost',
    at: chance.between(500, spanMs),
    records: chance.between(1, chance.pick([3, 40])),
    process: chance.happens(0.8) ? `frontier-${chance.between(0, world.frontiers - 1)}` : null,
    downMs: chance.between(100, 15_000),
  }));
}

/** Affects a process that starts after it: a running one keeps what it has read. */
function drawForgetting(seed: number, world: World, spanMs: number): Fault[] {
  const chance = chanceOf(seed, 'registry');
  if (world.embedded || chance.happens(0.7)) return [];
  const at = chance.between(0, spanMs);
  const [shift, isNamed] = [chance.between(0, idShiftMax), chance.happens(0.6)];
  const process = chance.pick(processNames(world));
  const kill = { kind: 'kill', at: at + 1, process, step: 0, when: 'before', landing: 'all', downMs: 500 } as const;
  return [
    { kind: 'registryForgets', at, shift, isNamed },
    { ...kill, loseDisk: false },
  ];
}

/** Partitions are often reassigned because something is slow: records that were sent before then land after. */
function companions(chance: Chance, world: World, { at, group }: Fault & { readonly kind: 'rebalance' }): Fault[] {
  const process = chance.pick(processNames(world).filter((name) => name.startsWith(group)));
  const topic = group === 'frontier' ? 'frontier-changelog' : 'results';
  switch (chance.between(0, 3)) {
    case 0:
      return [{ kind: 'isolate', at, process, forMs: chance.between(20, 600) }];
    case 1:
      return [{ kind: 'brokerAway', at: at + chance.between(0, 300), forMs: chance.between(500, 4_000) }];
    case 2:
      return [{ kind: 'append', at: Math.max(0, at - chance.between(0, 100)), process, topic, fault: 'late' }];
    default:
      return [];
  }
}

function drawFault(chance: Chance, world: World, spanMs: number): Fault {
  const at = chance.between(0, spanMs);
  const process = chance.pick(processNames(world));
  const fetches = !process.startsWith('frontier');
  const step = chance.between(0, 40);
  const downMs = chance.between(100, 15_000);
  const kind = chance.pick(world.embedded ? embeddedKinds : sharedKinds);
  switch (kind) {
    case 'kill': {
      const [landing, loseDisk] = [chance.pick<Landing>(['all', 'some', 'none']), chance.happens(0.2)];
      return { kind, at, process, step, when: chance.pick(['before', 'after']), landing, downMs, loseDisk };
    }
    case 'freeze':
      return { kind, at, process, step, forMs: chance.pick([500, 5_000, 20_000, 60_000]) };
    case 'isolate':
      return { kind, at, process, forMs: chance.pick([500, 3_000, 12_000, 30_000]) };
    case 'stop':
      return { kind, at, process, downMs };
    case 'rebalance':
      return { kind, at, group: chance.pick(['frontier', 'fetcher']), times: chance.between(1, 4) };
    case 'append': {
      const ofFrontier = ['frontier-changelog', 'frontier-changelog', 'tasks', 'control', 'dead-letters'];
      const topic = chance.pick(fetches ? ['discovered', 'results', 'pages'] : ofFrontier);
      return { kind, at, process, topic, fault: chance.pick(appendFaultsOf(world, topic)) };
    }
    case 'diskFull':
      return { kind, at, process, forMs: chance.between(1_000, 8_000) };
    case 'clock':
      return { kind, at, process, byMs: chance.between(-8_000, 8_000), forMs: chance.between(1_000, 30_000) };
    case 'brokerAway':
      return { kind, at, forMs: chance.between(1_000, 15_000) };
    case 'trouble': {
      const answer = chance.pick<Trouble>([503, 429, 'silence', 'robots503', 'reset']);
      return { kind, at, host: chance.pick(world.hosts).name, answer, forMs: chance.between(1_000, 6_000) };
    }
    case 'duplicate':
      return { kind, at, topic: chance.pick(['results', 'discovered', 'control']) };
    case 'garbage':
      return { kind, at, topic: chance.pick(['results', 'discovered', 'control', 'tasks']) };
  }
}

const embeddedKinds = ['kill', 'kill', 'kill', 'stop', 'append', 'diskFull', 'clock', 'trouble', 'duplicate'] as const;
const sharedKinds = [
  'kill',
  'kill',
  'kill',
  'freeze',
  'freeze',
  'isolate',
  'isolate',
  'stop',
  'rebalance',
  'append',
  'append',
  'diskFull',
  'clock',
  'brokerAway',
  'trouble',
  'duplicate',
  'garbage',
] as const;

/** Two tasks of one lease do not occur: their producer is idempotent, and no process publishes a lease again. */
function appendFaultsOf(world: World, topic: string): readonly AppendFault[] {
  if (world.embedded) return ['diskFull'];
  return topic === 'tasks' ? ['lost', 'ackLost', 'late'] : ['lost', 'ackLost', 'late', 'landsTwice'];
}
