/** A step's output beside its commit and its tasks, as records. */

import type { PartitionIdentity } from '../../../topology/frontier/decide/decision.ts';
import type { Step } from '../../../topology/frontier/decide/step.ts';
import type { RecordCodec } from '../../runtime/avro/record-codec.ts';
import { appendDeadLetters } from '../../runtime/log/append-dead-letters.ts';
import type { Log } from '../../runtime/log/log.ts';

export interface StepOutputs {
  readonly log: Log;
  readonly codec: RecordCodec;
  readonly identity: PartitionIdentity;
}

/** Appends the dead letters of a step. They must be acked before the commit. */
export function appendStepDeadLetters(
  { log, codec, identity: of }: StepOutputs,
  topic: string,
  deadLetters: Step['deadLetters'],
): Promise<void> {
  const keyed = deadLetters.map((deadLetter) => ({
    deadLetter,
    key: Buffer.from(deadLetter.hostKey),
    partition: of.partition,
  }));
  return appendDeadLetters(log, codec, topic, keyed);
}

export async function publishControls(
  { log, codec }: StepOutputs,
  topic: string,
  controls: Step['controls'],
): Promise<void> {
  if (controls.length === 0) return;
  const records = controls.map(({ partition, record }) => ({
    topic,
    partition,
    key: null,
    value: codec.encode('control', record),
  }));
  await log.append(records);
}
