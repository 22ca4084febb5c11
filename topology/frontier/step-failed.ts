/**
 * A step threw: a bug, triggered by an input or by the state alone. The step's effects on the state in memory are
 * void: the caller opens the partition again from its changelog, which does not contain the step.
 */
import { CrawlstreamError } from '../errors.ts';
import type { InputTopic } from './changes/changelog.ts';

/** A record of an input. */
export interface InputPlace {
  readonly topic: InputTopic;
  readonly offset: number;
}

export class StepFailed extends CrawlstreamError {
  /** The record that was being decided, or the only one that the step had taken. Null: none, or one of `taken`. */
  readonly at: InputPlace | null;
  /** The records that the step had taken. */
  readonly taken: readonly InputPlace[];

  constructor(partition: number, deciding: InputPlace | null, taken: readonly InputPlace[], cause: unknown) {
    const at = deciding ?? (taken.length === 1 ? taken[0]! : null);
    const record = at === null ? '' : ` on ${at.topic}/${partition}, offset ${at.offset},`;
    const why = cause instanceof Error ? cause.message : String(cause);
    super('STEP_FAILED', `a step of partition ${partition}${record} failed and was rolled back: ${why}`, cause);
    this.at = at;
    this.taken = taken;
  }
}
