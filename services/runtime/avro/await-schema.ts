/**
 * Waits for the schema of a record if it is not known here yet: a registry that lost it may be restored, or a frontier
 * of the release that wrote the record may note it. The record is not passed over meanwhile.
 */
import { CrawlstreamError } from '../../../topology/errors.ts';
import type { AvroTopic } from '../../../topology/topics.ts';
import type { Clock } from '../clock.ts';
import { avroLimits } from './avro-limits.ts';
import type { RecordCodec } from './record-codec.ts';

export interface AwaitSchema {
  readonly codec: Pick<RecordCodec, 'prepare' | 'waits'>;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Asked at each try; false ends the wait. Absent: it waits as long as it takes. */
  readonly isWanted?: () => boolean;
  /** Called once, when the wait begins. */
  readonly onWait?: () => void;
}

/**
 * False: the record is not wanted any more, or the signal aborted. Rejects as `prepare` does, except with
 * SCHEMA_UNKNOWN.
 */
export async function awaitSchema(topic: AvroTopic, value: Uint8Array, options: AwaitSchema): Promise<boolean> {
  const { codec, clock, signal, isWanted = () => true, onWait } = options;
  let waited: { readonly message: string; readonly end: () => void } | undefined;
  try {
    for (;;) {
      try {
        await codec.prepare(topic, value);
        return true;
      } catch (error) {
        if (!isSchemaUnknown(error)) throw error;
        if (waited?.message !== error.message) {
          if (waited === undefined) onWait?.();
          else waited.end();
          waited = { message: error.message, end: codec.waits.begin(error) };
        }
      }
      await clock.sleepUntil(clock.nowMs() + avroLimits.unknownAgainMs, signal);
      if (signal.aborted || !isWanted()) return false;
    }
  } finally {
    waited?.end();
  }
}

export function isSchemaUnknown(error: unknown): error is CrawlstreamError {
  return error instanceof CrawlstreamError && error.code === 'SCHEMA_UNKNOWN';
}
