/** Dead letters of inputs that cannot be decoded, or were refused at the border. */
import { blankDeadLetter } from '../../schemas/blank.ts';
import type { DeadLetter } from '../../schemas/types.ts';
import { type Refusal, refusalText } from '../border/enter-record.ts';
import type { PartitionIdentity } from './decide/decision.ts';
import type { Input } from './partition.ts';

/** The parts of an input that are needed. */
type Source = Pick<Input, 'topic' | 'offset'>;

export function unreadable(identity: PartitionIdentity, input: Input & { record: null }, atMs: number): DeadLetter {
  const [{ hostKey, url } = { hostKey: '', url: '' }] = input.refusals ?? [];
  return {
    ...deadLetterOf(identity, input, atMs),
    hostKey,
    url,
    detail: input.why,
    original: Buffer.from(input.bytes),
  };
}

/** One dead letter for each part of the input; the first holds the record. */
export function refusedDeadLetters(
  identity: PartitionIdentity,
  input: Source & { readonly bytes?: Uint8Array },
  refusals: readonly Refusal[],
  atMs: number,
): DeadLetter[] {
  return refusals.map((refusal, at) => ({
    ...deadLetterOf(identity, input, atMs),
    hostKey: refusal.hostKey,
    url: refusal.url,
    detail: refusalText(refusal),
    original: Buffer.from((at === 0 && input.bytes) || []),
  }));
}

function deadLetterOf({ partition }: PartitionIdentity, { topic, offset }: Source, atMs: number): DeadLetter {
  return {
    ...blankDeadLetter,
    reason: 'undecodable',
    sourceTopic: topic,
    sourcePartition: partition,
    sourceOffset: offset,
    atMs,
  };
}
