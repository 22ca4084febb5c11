/**
 * The results of all partitions, nearly in order of time: the next one is always the oldest of the partitions' next
 * records.
 *
 * Within a partition, records come as they were appended; the requests of two records may overlap by as long as a lease
 * holds back its report. Memory: one poll of each partition.
 */
import type { Result } from '../../../schemas/types.ts';
import type { RecordCodec } from '../../runtime/avro/record-codec.ts';
import type { Log, LogRecord } from '../../runtime/log/log.ts';
import { recordsOf } from '../../runtime/log/records-of.ts';

export interface PlacedResult {
  readonly record: LogRecord;
  /** Null: it cannot be read. */
  readonly result: Result | null;
}

export interface Span {
  readonly partition: number;
  readonly from: number;
  readonly to: number;
}

export async function* resultsInTime(
  log: Pick<Log, 'reader'>,
  codec: RecordCodec,
  topic: string,
  spans: readonly Span[],
): AsyncGenerator<PlacedResult> {
  const streams = spans.map(({ partition, from, to }) => decodedOf(recordsOf(log, topic, partition, from, to), codec));
  const heads = await Promise.all(streams.map((stream) => stream.next()));
  try {
    for (;;) {
      let oldest = -1;
      for (const [n, head] of heads.entries()) {
        if (!head.done && (oldest < 0 || timeOf(head.value) < timeOf(heads[oldest]!.value as PlacedResult))) oldest = n;
      }
      if (oldest < 0) return;
      yield heads[oldest]!.value as PlacedResult;
      heads[oldest] = await streams[oldest]!.next();
    }
  } finally {
    await Promise.all(streams.map((stream) => stream.return(undefined)));
  }
}

async function* decodedOf(records: AsyncGenerator<LogRecord>, codec: RecordCodec): AsyncGenerator<PlacedResult> {
  for await (const record of records) {
    let result: Result | null = null;
    try {
      await codec.prepare('results', record.value);
      result = codec.decode('results', record.value);
    } catch {
      // The frontier makes a dead letter of it.
    }
    yield { record, result };
  }
}

/** Time of a result: that of its requests or, without any, of its append. */
export function timeOf({ record, result }: PlacedResult): number {
  return result?.requests[0]?.startMs ?? record.timestampMs;
}
