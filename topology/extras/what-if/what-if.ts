/**
 * Replays a recorded crawl under another policy, and compares the two. Commits are decided again up to the first
 * decision that differs; the rest is simulated.
 *
 *   recorded  ├──── the same decisions, commit by commit ────┤ first divergence ├──── recorded ────┤
 *   new       ├──────────────────────────────────────────────┤                  ├──── simulated ───┤
 *
 * The same policy gives no divergence: every commit is reproduced to the byte, and nothing is simulated.
 */
import type { Control } from '../../../schemas/types.ts';
import { type InputTopic, inputTopics, readChangelog } from '../../frontier/changes/changelog.ts';
import { offsetsRead } from '../../frontier/changes/offsets-read.ts';
import type { PartitionIdentity } from '../../frontier/decide/decision.ts';
import type { Input } from '../../frontier/partition.ts';
import { replay } from '../../frontier/replay.ts';
import { type FingerprintKey, FrontierState } from '../../frontier/state/state.ts';
import { compilePolicy, type Policy } from '../../policy/policy.ts';
import { parsePolicy } from '../../policy/validate.ts';
import type { KeyMode } from '../../url/host-key.ts';
import type { ListSource } from '../../url/url-lists.ts';
import { type CrawlSummary, CrawlTally } from './crawl-tally.ts';
import { type Divergence, divergenceOf } from './first-divergence.ts';
import { PageModel } from './page-model.ts';
import { ReDecider } from './re-decider.ts';
import type { Recording } from './recording.ts';
import { VirtualCrawl, type VirtualPartition } from './virtual-crawl.ts';

/** An input as it was recorded. */
export type RecordedInput = Input & { readonly timestampMs: number };

/** One partition's topics, whole. */
export interface RecordedPartition {
  readonly identity: PartitionIdentity;
  readonly changelog: readonly Buffer[];
  /** Commits before this offset are decided by the policies of the recording. */
  readonly fromOffset: number;
  /** In offset order. */
  readonly inputs: Readonly<Record<InputTopic, readonly RecordedInput[]>>;
}

export interface WhatIfOptions {
  readonly partitions: readonly RecordedPartition[];
  readonly recording: Recording;
  readonly key: FingerprintKey;
  readonly keyMode: KeyMode;
  /** Lists of all policies, recorded and new. */
  readonly lists: ListSource;
  /** Time before its deadline at which a lease starts its last request, ms. */
  readonly lastRequestMs: number;
  /** Policies before this time, ms, stay those of the recording. */
  readonly fromMs: number;
  /** Returns the policy to try instead of a recorded one; the same text if both decide the same. */
  readonly instead: (json: string) => string;
}

export interface WhatIfReport {
  /** Number of commits that were decided again, of their inputs, and of commits that are not the same in every byte. */
  readonly compared: { readonly commits: number; readonly events: number; readonly differences: number };
  /** null: every decision is the same. */
  readonly divergence: Divergence | null;
  /** Pages answered by the virtual fetchers; null: nothing was simulated. */
  readonly simulated: {
    readonly fromMs: number;
    readonly untilMs: number;
    /** Time when no work was left, ms; null: the crawl continued to the end. */
    readonly doneAtMs: number | null;
    readonly recordedPages: number;
    readonly modelledPages: number;
    readonly unknownPages: number;
  } | null;
  readonly startMs: number;
  readonly endMs: number;
  readonly recorded: CrawlSummary;
  readonly decided: CrawlSummary;
}

export function whatIf(options: WhatIfOptions): WhatIfReport {
  const { partitions, recording } = options;
  const [startMs, endMs] = spanOf(partitions);
  const old = new CrawlTally(recording.mass);
  const compared = { commits: 0, events: 0, differences: 0 };
  const divergences: Divergence[] = [];
  const leasesMax: number[] = [];
  for (const partition of partitions) {
    const found = compare(options, partition, compared);
    if (found !== null) divergences.push(found);
    leasesMax.push(replayRecorded(partition, old, endMs));
  }
  const recorded = old.summary(startMs, endMs);
  const divergence = divergences.reduce<Divergence | null>(
    (first, one) => (first === null || one.atMs < first.atMs ? one : first),
    null,
  );
  const span = { compared, startMs, endMs, recorded };
  if (divergence === null) return { ...span, divergence, simulated: null, decided: recorded };
  const tally = new CrawlTally(recording.mass);
  const { atMs: fromMs } = divergence;
  const opened = partitions.map((partition, number) => open(options, partition, fromMs, tally, leasesMax[number]!));
  const crawl = new VirtualCrawl({
    ...options,
    ...{ partitions: opened, model: new PageModel(recording), tally, startMs: fromMs, endMs },
    control: (record) => substituted(options, record),
  });
  const doneAtMs = crawl.run();
  const { recorded: recordedPages, modelled: modelledPages, unknown: unknownPages } = crawl.answered;
  const simulated = { fromMs, untilMs: endMs, doneAtMs, recordedPages, modelledPages, unknownPages };
  return { ...span, divergence, simulated, decided: tally.summary(startMs, endMs) };
}

/** Decides a partition again, to its first divergence. */
function compare(
  options: WhatIfOptions,
  recorded: RecordedPartition,
  compared: { commits: number; events: number; differences: number },
): Divergence | null {
  const again = begin(options, recorded);
  for (const [offset, value] of recorded.changelog.entries()) {
    if (offset < recorded.fromOffset) continue;
    if (offset === recorded.fromOffset) force(options, again);
    const inputs = taken(options, recorded, value);
    const before = again.commits;
    const difference = again.take(offset, value, inputs);
    if (again.commits > before) compared.events += inputs.reduce((sum, input) => sum + eventsIn(input), 0);
    compared.commits += again.commits - before;
    if (difference === null) continue;
    compared.differences += 1;
    const policies = [recordedPolicy(options, recorded, value), again.partition.policy] as const;
    const divergence = divergenceOf(recorded.identity.partition, difference, ...policies);
    if (divergence !== null) return divergence;
  }
  return null;
}

/** Continues as `compare` does, up to the time of the first divergence: decisions from there on are new. */
function open(
  options: WhatIfOptions,
  recorded: RecordedPartition,
  untilMs: number,
  tally: CrawlTally,
  leasesMax: number,
): VirtualPartition {
  const again = begin(options, recorded);
  const { partition } = recorded.identity;
  for (const [offset, value] of recorded.changelog.entries()) {
    const record = readChangelog(value);
    // A partition with a late first owner has one from the start: otherwise its inputs would have no decisions.
    const isOwned = again.partition.state.changelog.epoch >= 0;
    if (record.kind !== 'foreign' && record.nowMs >= untilMs && offset >= recorded.fromOffset && isOwned) break;
    if (record.kind === 'commit') tally.commit(partition, record, decodeChanges(value));
    if (offset < recorded.fromOffset) continue;
    if (offset === recorded.fromOffset) force(options, again);
    again.take(offset, value, taken(options, recorded, value));
  }
  const { positions } = again.partition.state;
  const pending: Input[] = [];
  for (const topic of inputTopics) {
    for (const input of recorded.inputs[topic]) {
      if (input.timestampMs >= untilMs) break;
      if (input.topic === 'results' && input.record !== null)
        tally.requests(input.record.hostKey, input.record.requests);
      if (input.offset >= positions[topic].offset) pending.push(input);
    }
  }
  return { core: again.partition, pending, leasesMax };
}

/** The partition as it was at `fromOffset`, with no decision taken. */
function begin({ key, lists }: WhatIfOptions, { identity, changelog, fromOffset }: RecordedPartition): ReDecider {
  const state = new FrontierState(key, { ...allInMemory }, Number.POSITIVE_INFINITY);
  for (let offset = 0; offset < fromOffset; offset++) replay(state, offset, readChangelog(changelog[offset]!));
  state.unsaved.records = [];
  return new ReDecider(identity, state, lists);
}

/** Replaces the current policy by the one under test. */
function force({ instead }: WhatIfOptions, again: ReDecider): void {
  const { state } = again.partition;
  if (state.policyJson !== '') state.policyJson = instead(state.policyJson);
}

/** Returns the inputs of a commit, with recorded policies replaced by the one under test. */
function taken(options: WhatIfOptions, { inputs }: RecordedPartition, value: Buffer): RecordedInput[] {
  const record = readChangelog(value);
  if (record.kind !== 'commit') return [];
  return inputTopics.flatMap((topic) => {
    const [from, to] = offsetsRead(record, topic);
    return between(inputs[topic], from, to).map((input) =>
      input.topic === 'control' && input.record !== null
        ? { ...input, record: substituted(options, input.record) }
        : input,
    );
  });
}

function substituted({ instead, fromMs }: WhatIfOptions, record: Control): Control {
  if (record.kind !== 'policy' || record.atMs < fromMs) return record;
  return { ...record, payload: instead(record.payload) };
}

/** Offsets from `from` to before `to`, by bisection: on Kafka there may be holes. */
function between(inputs: readonly RecordedInput[], from: number, to: number): readonly RecordedInput[] {
  return inputs.slice(firstAt(inputs, from), firstAt(inputs, to));
}

function firstAt(inputs: readonly RecordedInput[], offset: number): number {
  let [low, high] = [0, inputs.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (inputs[middle]!.offset < offset) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Adds the whole recording to the tally. Returns the highest number of simultaneous leases. */
function replayRecorded({ identity, changelog, inputs }: RecordedPartition, tally: CrawlTally, endMs: number): number {
  let [leasesMax, leases] = [1, 0];
  for (const value of changelog) {
    const record = readChangelog(value);
    if (record.kind !== 'commit') continue;
    leasesMax = Math.max(leasesMax, record.demand + leases);
    leases = record.counters.leases;
    tally.commit(identity.partition, record, record.changes);
  }
  for (const { record, timestampMs } of inputs.results)
    if (record !== null && timestampMs <= endMs && 'requests' in record)
      tally.requests(record.hostKey, record.requests);
  return leasesMax;
}

function spanOf(partitions: readonly RecordedPartition[]): [startMs: number, endMs: number] {
  const times = partitions.flatMap(({ changelog }) => {
    const ours = (value: Buffer) => readChangelog(value).kind !== 'foreign';
    return [changelog.find(ours), changelog.findLast(ours)].flatMap((value) => {
      const record = value && readChangelog(value);
      return record === undefined || record.kind === 'foreign' ? [] : [record.nowMs];
    });
  });
  return times.length === 0 ? [0, 0] : [Math.min(...times), Math.max(...times)];
}

function recordedPolicy({ lists }: WhatIfOptions, { inputs }: RecordedPartition, value: Buffer): Policy | null {
  const commit = readChangelog(value);
  if (commit.kind !== 'commit') return null;
  const { policyVersion } = commit;
  for (const { topic, record } of inputs.control) {
    if (topic !== 'control' || record?.kind !== 'policy' || record.version !== policyVersion) continue;
    return compilePolicy(parsePolicy(record.payload), lists);
  }
  return null;
}

function eventsIn({ topic, record }: Input): number {
  if (record === null) return 1;
  if (topic === 'results') return Math.max(1, record.outcomes.length);
  return topic === 'discovered' ? record.groups.reduce((sum, { links }) => sum + links.length, 0) : 1;
}

function* decodeChanges(value: Buffer) {
  const record = readChangelog(value);
  if (record.kind === 'commit') yield* record.changes;
}

/** This runs without a disk. */
const allInMemory = { kind: 'exact', memoryBytes: 2 ** 40, bloomUrls: 0, bloomErrors: 0 } as const;
