/**
 * Appends dead letters, which must not be lost: if one is too large for the topic, most of its original is left out.
 */
import type { DeadLetter } from '../../../schemas/types.ts';
import type { RecordCodec } from '../avro/record-codec.ts';
import type { AppendRecord, Log } from './log.ts';
import { RecordTooLarge } from './record-too-large.ts';

export interface AddressedDeadLetter {
  readonly deadLetter: DeadLetter;
  readonly key: Buffer | null;
  /** Partition of the dead letter. Absent: that of its source. */
  readonly partition?: number;
}

/** Every topic accepts a record with this many bytes of the original. */
const originalBytesKept = 1_000;

/** `topic`: full name of `dead-letters`. Resolves once all of them are durable. */
export async function appendDeadLetters(
  log: Pick<Log, 'append'>,
  codec: Pick<RecordCodec, 'encode'>,
  topic: string,
  deadLetters: readonly AddressedDeadLetter[],
): Promise<void> {
  const recordOf = ({ deadLetter, key, partition = deadLetter.sourcePartition }: AddressedDeadLetter): AppendRecord => {
    return { topic, partition, key, value: codec.encode('dead-letters', deadLetter) };
  };
  try {
    await log.append(deadLetters.map(recordOf));
  } catch (error) {
    if (!(error instanceof RecordTooLarge)) throw error;
    const cut = error.indexes.map((index) => cutShort(deadLetters[index] as AddressedDeadLetter));
    await log.append(cut.map(recordOf));
  }
}

function cutShort({ deadLetter, ...rest }: AddressedDeadLetter): AddressedDeadLetter {
  const { length } = deadLetter.original;
  const detail = `${deadLetter.detail}; only the first ${originalBytesKept} of its ${length} bytes are stored (max.message.bytes of topic dead-letters)`;
  return { ...rest, deadLetter: { ...deadLetter, detail, original: deadLetter.original.slice(0, originalBytesKept) } };
}
