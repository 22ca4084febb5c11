/**
 * Reads a recorded crawl, to try another policy on it: changelog and inputs of every partition, and the web behind
 * them. All of it is held in memory.
 *
 * Throws CHANGELOG_GAP if the recording no longer begins with the crawl: its first decisions cannot be repeated.
 */

import { CrawlstreamError } from '../../../topology/errors.ts';
import { Recording } from '../../../topology/extras/what-if/recording.ts';
import type { RecordedInput, RecordedPartition } from '../../../topology/extras/what-if/what-if.ts';
import type { InputTopic, inputTopics } from '../../../topology/frontier/changes/changelog.ts';
import type { RecordCodec } from '../../runtime/avro/record-codec.ts';
import { frontierInput } from '../../runtime/crawl/frontier-input.ts';
import type { Manifest } from '../../runtime/data-folder/manifest.ts';
import type { Log } from '../../runtime/log/log.ts';
import { recordsOf } from '../../runtime/log/records-of.ts';

export interface RecordingSource {
  readonly log: Pick<Log, 'offsetAt' | 'offsets' | 'reader'>;
  readonly codec: RecordCodec;
  readonly topics: Manifest;
}

export interface ReadRecording {
  readonly partitions: readonly RecordedPartition[];
  readonly recording: Recording;
}

/** `fromMs`: from when on the other policy decides. */
export async function readRecording(source: RecordingSource, fromMs: number): Promise<ReadRecording> {
  const { partitions: count } = source.topics;
  const recording = new Recording();
  const partitions: RecordedPartition[] = [];
  for (let partition = 0; partition < count; partition++)
    partitions.push(await readPartition(source, partition, fromMs));
  // Facts about pages are known only once all results are read.
  for (const { inputs } of partitions)
    for (const { topic, record } of inputs.results)
      if (topic === 'results' && record !== null) recording.result(record);
  for (const [partition, { inputs }] of partitions.entries()) {
    for (const { topic, record, timestampMs } of inputs.discovered)
      if (topic === 'discovered' && record !== null) recording.found(record, partition, timestampMs);
    for (const { topic, record, timestampMs } of inputs.control)
      if (topic === 'control' && record !== null) recording.control(record, partition, timestampMs);
  }
  return { partitions, recording };
}

async function readPartition(source: RecordingSource, partition: number, fromMs: number): Promise<RecordedPartition> {
  const { log, topics } = source;
  const { crawl, partitions, keyMode } = topics;
  const topic = `${crawl}.frontier-changelog`;
  const { start, end } = await log.offsets(topic, partition);
  if (start > 0) {
    const message = `the changelog of partition ${partition} begins at ${start}: older records were trimmed, but what-if needs the changelog from the start of the crawl`;
    throw new CrawlstreamError('CHANGELOG_GAP', message);
  }
  const changelog: Buffer[] = [];
  for await (const { value } of recordsOf(log, topic, partition, 0, end)) changelog.push(value);
  const fromOffset = fromMs === 0 ? 0 : await log.offsetAt(topic, partition, fromMs);
  const inputs = {
    control: await readInputs(source, 'control', partition),
    results: await readInputs(source, 'results', partition),
    discovered: await readInputs(source, 'discovered', partition),
  } satisfies Record<(typeof inputTopics)[number], RecordedInput[]>;
  return { identity: { crawl, partition, partitions, keyMode }, changelog, fromOffset, inputs };
}

async function readInputs(
  { log, codec, topics }: RecordingSource,
  topic: InputTopic,
  partition: number,
): Promise<RecordedInput[]> {
  const full = `${topics.crawl}.${topic}`;
  const { start, end } = await log.offsets(full, partition);
  const inputs: RecordedInput[] = [];
  for await (const record of recordsOf(log, full, partition, start, end)) {
    await codec.prepare(topic, record.value);
    inputs.push({ ...frontierInput(codec, topic, record), timestampMs: record.timestampMs });
  }
  return inputs;
}
