/** An input in the form that the partition may decide on: its fields are within their ranges. */
import type { Control, Result } from '../../schemas/types.ts';
import { type Entered, enterRecord, refusalText } from '../border/enter-record.ts';
import { hostKeyBytesMax } from './hosts/key-table.ts';
import type { Input } from './partition.ts';

const nothing: readonly never[] = [];

/** `bytes`: the undecoded record, if available. */
export function enterInput(input: Input & { readonly record: object }, bytes?: Uint8Array): Input {
  const tooLong = longHostKey(input);
  if (tooLong !== null) return { ...input, record: null, bytes: bytes ?? new Uint8Array(0), why: tooLong } as Input;
  const { record, refusals } = enterRecord(input.topic, input.record as never) as Entered<object>;
  if (refusals.length === 0) return { refusals: nothing, ...input, record } as Input;
  const { topic, offset, leaderEpoch } = input;
  const original = bytes ?? new Uint8Array(0);
  if (record !== null) return { ...input, record, refusals, bytes: original } as Input;
  return { topic, offset, leaderEpoch, record: null, bytes: original, why: refusalText(refusals[0]!), refusals };
}

/** Why an order, or a result, cannot be about its host; null: it can. Links name hosts by URLs, which are checked as such. */
function longHostKey({ topic, record }: Input & { readonly record: object }): string | null {
  if (topic === 'discovered') return null;
  const { hostKey } = record as Control | Result;
  if (hostKey.length <= hostKeyBytesMax / 3) return null;
  const bytes = Buffer.byteLength(hostKey);
  if (bytes <= hostKeyBytesMax) return null;
  return `hostKey has ${bytes} bytes, but must have at most ${hostKeyBytesMax}: fix the program that sends it`;
}
