/** The dead letter of an input that nobody can read. */
import { blankDeadLetter } from '../../schemas/blank.ts';
import type { DeadLetter } from '../../schemas/types.ts';
import type { PartitionIdentity } from './decide/decision.ts';
import type { Input } from './partition.ts';

export function unreadable(identity: PartitionIdentity, input: Input & { record: null }, atMs: number): DeadLetter {
  return {
    ...blankDeadLetter,
    reason: 'undecodable',
    sourceTopic: input.topic,
    sourcePartition: identity.partition,
    sourceOffset: input.offset,
    detail: input.why,
    atMs,
    original: input.bytes,
  };
}
