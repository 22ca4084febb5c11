/** An input as the partition may decide by it: held to the ranges of its fields. */
import { type Entered, enterRecord, refusalText } from '../border/enter-record.ts';
import type { Input } from './partition.ts';

const nothing: readonly never[] = [];

/** `bytes`: the record as it came, where they are at hand. */
export function enterInput(input: Input & { readonly record: object }, bytes?: Uint8Array): Input {
  const { record, refusals } = enterRecord(input.topic, input.record as never) as Entered<object>;
  if (refusals.length === 0) return { refusals: nothing, ...input, record } as Input;
  const { topic, offset, leaderEpoch } = input;
  const original = bytes ?? new Uint8Array(0);
  if (record !== null) return { ...input, record, refusals, bytes: original } as Input;
  return { topic, offset, leaderEpoch, record: null, bytes: original, why: refusalText(refusals[0]!), refusals };
}
