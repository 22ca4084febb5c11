/**
 * Decodes records of a partition's inputs for its decisions. An unreadable record is still an input, and becomes a
 * dead letter. A record with an unknown schema is read again later.
 *
 * Such an input pauses for a while and is then read again from that record. The other inputs continue, so that an
 * operator can move the input's position. Only `control` blocks, because an owner that cannot read blocks must grant
 * nothing.
 */
import type { InputTopic } from '../../../topology/frontier/changes/changelog.ts';
import type { Input } from '../../../topology/frontier/partition.ts';
import { avroLimits } from '../../runtime/avro/avro-limits.ts';
import { awaitSchema, isSchemaUnknown } from '../../runtime/avro/await-schema.ts';
import type { RecordCodec } from '../../runtime/avro/record-codec.ts';
import type { Clock } from '../../runtime/clock.ts';
import { frontierInput } from '../../runtime/crawl/frontier-input.ts';
import type { LogReader, LogRecord } from '../../runtime/log/log.ts';

export interface InputRecordsOptions {
  readonly codec: RecordCodec;
  readonly clock: Clock;
  /** Aborting ends all waits. */
  readonly signal: AbortSignal;
}

interface Held {
  /** Offset of the record that is waited for. */
  readonly offset: number;
  readonly untilMs: number;
  readonly end: () => void;
}

export class InputRecords {
  readonly #options: InputRecordsOptions;
  readonly #held = new Map<InputTopic, Held>();

  constructor(options: InputRecordsOptions) {
    this.#options = options;
  }

  /** The input waits: it is not to be read yet. */
  isHeld(topic: InputTopic): boolean {
    return (this.#held.get(topic)?.untilMs ?? 0) > this.#options.clock.nowMs();
  }

  /** Undefined: its schema is unknown, and `reader` will return it again. */
  async read(topic: InputTopic, record: LogRecord, reader: LogReader): Promise<Input | undefined> {
    const { codec, clock, signal } = this.#options;
    if (topic === 'control') {
      if (!(await awaitSchema(topic, record.value, { codec, clock, signal }))) return undefined;
    } else if (!(await this.#isKnown(topic, record, reader))) return undefined;
    return frontierInput(codec, topic, record);
  }

  async #isKnown(topic: InputTopic, record: LogRecord, reader: LogReader): Promise<boolean> {
    const { codec, clock } = this.#options;
    const held = this.#held.get(topic);
    // Read before the reader went back to the one that is waited for.
    if (held !== undefined && (this.isHeld(topic) || record.offset > held.offset)) return false;
    try {
      await codec.prepare(topic, record.value);
    } catch (error) {
      if (!isSchemaUnknown(error)) throw error;
      const end = codec.waits.begin(error);
      this.release(topic);
      const { offset, partition } = record;
      this.#held.set(topic, { offset, untilMs: clock.nowMs() + avroLimits.unknownAgainMs, end });
      reader.seek(record.topic, partition, offset);
      return false;
    }
    this.release(topic);
    return true;
  }

  /** The input is read from another position now, or not any more. */
  release(topic: InputTopic): void {
    this.#held.get(topic)?.end();
    this.#held.delete(topic);
  }
}
