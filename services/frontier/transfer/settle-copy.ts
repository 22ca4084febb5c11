/**
 * Makes a copy of a partition's state as if its owner had taken every result and every operator's event, and all
 * leases had ended.
 *
 * The copy is made beside the owner: nothing is claimed or appended. The copy's clock stops at the last commit, so no
 * lease expires and nothing is granted. Dead letters of its decisions are returned.
 */
import type { Control, DeadLetter } from '../../../schemas/types.ts';
import { CrawlstreamError } from '../../../topology/errors.ts';
import type { InputTopic } from '../../../topology/frontier/changes/changelog.ts';
import { readLeases } from '../../../topology/frontier/checkpoint/read-rows.ts';
import { saveCheckpoint } from '../../../topology/frontier/checkpoint/save-checkpoint.ts';
import type { PartitionIdentity } from '../../../topology/frontier/decide/decision.ts';
import { endLeases } from '../../../topology/frontier/decide/leases/end-leases.ts';
import { FrontierPartition, type Input } from '../../../topology/frontier/partition.ts';
import type { FingerprintKey, FrontierState } from '../../../topology/frontier/state/state.ts';
import type { RecordCodec } from '../../runtime/avro/record-codec.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { Log, LogRecord } from '../../runtime/log/log.ts';
import { recordsOf } from '../../runtime/log/records-of.ts';
import { type ListFiles, listsOfText } from '../../runtime/policy/list-files.ts';
import type { StateStore } from '../../runtime/store/store.ts';
import { type Rebuild, rebuild } from '../open/rebuild.ts';
import { runJob } from '../restore/job-runner.ts';
import type { RestoreProgress } from '../restore/restore.ts';

/** Start of a copy. */
export interface CopyStart extends Pick<Rebuild, 'repository' | 'onNotice'> {
  /** Empty, or with a checkpoint of the partition; it contains the copy's checkpoint afterwards. */
  readonly store: StateStore;
}

export interface CopyOptions extends CopyStart {
  readonly log: Pick<Log, 'reader' | 'offsets'>;
  readonly codec: RecordCodec;
  readonly clock: Pick<Clock, 'nowMs'>;
  readonly identity: PartitionIdentity;
  readonly key: FingerprintKey;
  readonly lists: ListFiles;
  /**
   * True: the fetchers of all leases are gone. Otherwise their hosts count as contacted until the leases' deadlines.
   */
  readonly fetchersGone: boolean;
  readonly onProgress?: (progress: RestoreProgress) => void;
}

export interface Copy {
  readonly state: FrontierState;
  /** Position in the changelog up to which others decided. */
  readonly offset: number;
  readonly letters: readonly DeadLetter[];
}

export async function settleCopy(options: CopyOptions): Promise<Copy> {
  const { identity, store } = options;
  const state = await rebuild(options);
  if (state.pull.on) {
    const message = 'a crawl served by the pull API cannot be dumped: list its queues through the API instead';
    throw new CrawlstreamError('UNSUPPORTED', message);
  }
  const { offset } = state.changelog;
  const partition = new FrontierPartition(identity, state);
  const deadLetters: DeadLetter[] = [];
  let listed = false;
  for (const topic of ['control', 'results'] as const) {
    for await (const record of tail(options, state, topic)) {
      if (!listed) await loadLists(partition, options.lists, state.policyJson);
      listed = true;
      await offer(options, partition, topic, record);
      deadLetters.push(...(await take(partition, store, topic)));
    }
  }
  await runJob(store, readLeases(state));
  for (const { host, deadlineMs } of options.fetchersGone ? [] : state.leases.values()) {
    const { facts, key: hostKey } = host;
    const readyAtMs = Math.max(facts.readyAtMs, deadlineMs);
    state.apply({ kind: 'host', hostKey, facts: { ...facts, readyAtMs } });
  }
  endLeases(state, state.nowMs, undefined);
  await runJob(store, saveCheckpoint(state));
  return { state, offset, letters: deadLetters };
}

/** Records of an input that were not taken yet, up to its present end. */
export async function* tail(
  { log, identity }: Pick<CopyOptions, 'log' | 'identity'>,
  state: FrontierState,
  input: InputTopic,
): AsyncGenerator<LogRecord> {
  const topic = `${identity.crawl}.${input}`;
  const { end } = await log.offsets(topic, identity.partition);
  yield* recordsOf(log, topic, identity.partition, state.positions[input].offset, end);
}

async function offer(
  { codec, lists }: CopyOptions,
  partition: FrontierPartition,
  topic: InputTopic,
  { offset, value }: LogRecord,
): Promise<void> {
  await codec.prepare(topic, value);
  let input: Input;
  try {
    input = { topic, offset, record: codec.decode(topic, value) } as Input;
  } catch (error) {
    input = { topic, offset, record: null, bytes: value, why: (error as Error).message };
  }
  const { kind, payload } = (topic === 'control' ? (input.record ?? {}) : {}) as Partial<Control>;
  if (kind === 'policy') await loadLists(partition, lists, payload ?? '');
  partition.offer(input);
}

async function loadLists(partition: FrontierPartition, lists: ListFiles, policyJson: string): Promise<void> {
  const references = listsOfText(policyJson);
  if (references.length > 0) partition.lists.put(await lists.load(references, '/'));
}

/** Decides until the input is taken. Without a policy, results are never taken. */
async function take(partition: FrontierPartition, store: StateStore, topic: InputTopic): Promise<DeadLetter[]> {
  const deadLetters: DeadLetter[] = [];
  while (partition.waiting(topic) > 0) {
    await runJob(store, partition.reads());
    const step = partition.step(partition.state.nowMs, 0);
    if (step === null) break;
    deadLetters.push(...step.deadLetters);
  }
  await runJob(store, partition.reads());
  return deadLetters;
}
