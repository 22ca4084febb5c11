/**
 * Rebuilds a partition's state from control, results and discovered, if they are complete and its changelog is not.
 * Tasks name the leases that may still be out on Kafka; old tasks may be trimmed.
 *
 * topology/frontier/from-inputs.ts describes the result. The state's position is the end of the changelog, so that a
 * frontier started on it continues from there. From then on, the partition is restored from this folder and not from
 * the changelog.
 */
import { CrawlstreamError } from '../../../topology/errors.ts';
import type { InputTopic } from '../../../topology/frontier/changes/changelog.ts';
import { changelogStart, decodeChangelog } from '../../../topology/frontier/changes/changelog.ts';
import { recordHash } from '../../../topology/frontier/changes/record-hash.ts';
import { saveCheckpoint } from '../../../topology/frontier/checkpoint/save-checkpoint.ts';
import type { PartitionIdentity } from '../../../topology/frontier/decide/decision.ts';
import { FromInputs } from '../../../topology/frontier/from-inputs.ts';
import { defaultSeen } from '../../../topology/frontier/seen/seen-config.ts';
import type { FingerprintKey } from '../../../topology/frontier/state/state.ts';
import { FrontierState } from '../../../topology/frontier/state/state.ts';
import type { RecordCodec } from '../../runtime/avro/record-codec.ts';
import type { Log } from '../../runtime/log/log.ts';
import { recordsOf } from '../../runtime/log/records-of.ts';
import { createListFiles, listsOfText } from '../../runtime/policy/list-files.ts';
import type { StateStore } from '../../runtime/store/store.ts';
import { runJob } from '../restore/job-runner.ts';
import { changelogTopic } from '../restore/restore.ts';

export interface RebuildFromInputs {
  readonly log: Pick<Log, 'reader' | 'offsets'>;
  readonly codec: RecordCodec;
  readonly identity: PartitionIdentity;
  readonly key: FingerprintKey;
  /** Empty. */
  readonly store: StateStore;
  /** Leases outlive the process that granted them, because others fetch: on Kafka. */
  readonly leasesOutlive: boolean;
}

/** Enough memory that no pass over runs on disk is needed: 64 GB hold more fingerprints than a partition has. */
const inMemory = { ...defaultSeen, memoryBytes: 2 ** 36 };

/** Throws OFFSET_OUT_OF_RANGE where an input has been trimmed. */
export async function rebuildFromInputs(options: RebuildFromInputs): Promise<FrontierState> {
  const { log, codec, identity, store } = options;
  const { crawl, partition } = identity;
  const state = new FrontierState(options.key, inMemory);
  const inputs = new FromInputs(identity, state);
  const lists = createListFiles();
  type Take<T extends InputTopic | 'tasks'> = (record: ReturnType<typeof codec.decode<T>>) => void | Promise<void>;
  const each = async <T extends InputTopic | 'tasks'>(name: T, take: Take<T>) => {
    const topic = `${crawl}.${name}`;
    const { start, end } = await log.offsets(topic, partition);
    if (start > 0 && name !== 'tasks') {
      const message = `${topic}/${partition} begins at ${start}, and older records were trimmed: rebuild from a snapshot or the changelog; without both, restart the frontier with crawlstream reset`;
      throw new CrawlstreamError('OFFSET_OUT_OF_RANGE', message);
    }
    for await (const { value } of recordsOf(log, topic, partition, start, end)) {
      await codec.prepare(name, value);
      const record = readable(() => codec.decode(name, value));
      if (record !== undefined) await take(record);
    }
    return end;
  };
  const eachInput = async <T extends InputTopic>(name: T, take: Take<T>) => {
    state.positions[name] = { offset: await each(name, take), slice: 0 };
  };
  await eachInput('control', async (event) => {
    const references = event.kind === 'policy' ? listsOfText(event.payload) : [];
    if (references.length > 0) inputs.lists.put(await lists.load(references, '/'));
    inputs.control(event);
  });
  await eachInput('results', (result) => inputs.result(result));
  if (options.leasesOutlive) await each('tasks', (task) => inputs.task(task));
  await eachInput('discovered', (message) => inputs.discovered(message));
  inputs.end();
  state.changelog = await endOfChangelog(log, identity);
  await runJob(store, saveCheckpoint(state));
  return state;
}

/** Unreadable records went to the dead letters when they were first read. */
function readable<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

/**
 * Number of records to search backwards for the newest commit that counts: more than former owners may have in
 * flight.
 */
const tailRecords = 64;

async function endOfChangelog(log: RebuildFromInputs['log'], { crawl, partition }: PartitionIdentity) {
  const topic = changelogTopic(crawl);
  const { start, end } = await log.offsets(topic, partition);
  let { epoch, seq, read, counted } = changelogStart;
  for await (const { offset, value } of recordsOf(log, topic, partition, Math.max(start, end - tailRecords), end)) {
    read = { offset, hash: recordHash(value) };
    const record = readable(() => decodeChangelog(value));
    const isVoid = record?.kind === 'commit' && (record.epoch < epoch || record.seq <= seq);
    if (record === undefined || isVoid) continue;
    if (record.kind === 'claim') epoch = offset;
    else ({ epoch, seq } = record);
    counted = read;
  }
  return { offset: end, epoch, seq, read, counted };
}
