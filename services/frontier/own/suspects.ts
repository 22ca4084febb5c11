/**
 * Records of inputs that a step failed on. A step that fails has changed nothing that is durable, so the owner opens the
 * partition again and tries again; at its third try such a record is put aside as a dead letter, and the partition goes on.
 *
 * Where a step had taken several records, and failed on none of them in particular, they are tried again one by one.
 */
import type { InputTopic } from '../../../topology/frontier/changes/changelog.ts';
import type { FrontierPartition, Input } from '../../../topology/frontier/partition.ts';
import type { InputPlace, StepFailed } from '../../../topology/frontier/step-failed.ts';
import { frontierServiceLimits } from '../service-limits.ts';

export class Suspects {
  /** How often a step failed on it, and why it did so last. */
  readonly #failed = new Map<string, { tries: number; why: string }>();
  /** Records up to these are taken one by one. */
  readonly #oneByOne = new Map<InputTopic, number>();
  /** Steps in a row that failed on no record. */
  #unexplained = 0;

  /** False: another try is useless, since the step failed without any record. */
  add({ at, taken, message }: StepFailed): boolean {
    for (const one of taken) this.#note(one);
    if (at === null) return taken.length > 0 || ++this.#unexplained < frontierServiceLimits.stepTries;
    this.#note(at);
    const name = `${at.topic}/${at.offset}`;
    this.#failed.set(name, { tries: (this.#failed.get(name)?.tries ?? 0) + 1, why: message });
    return true;
  }

  /** The record as it is to be offered. `bytes`: as it came. */
  judge(input: Input, bytes: Uint8Array): Input {
    if (this.#failed.size === 0) return input;
    const { topic, offset, leaderEpoch } = input;
    const failed = this.#failed.get(`${topic}/${offset}`);
    if (failed === undefined || failed.tries < frontierServiceLimits.stepTries) return input;
    const why = `skipped after ${failed.tries} tries: ${failed.why}`;
    return { topic, offset, leaderEpoch, record: null, bytes, why };
  }

  /** To be called before each step. */
  watch(partition: FrontierPartition): void {
    if (this.#oneByOne.size === 0) return;
    const { positions } = partition.state;
    for (const [topic, offset] of this.#oneByOne) if (positions[topic].offset > offset) this.#oneByOne.delete(topic);
    partition.inputsPerStep = this.#oneByOne.size === 0 ? Number.POSITIVE_INFINITY : 1;
    if (this.#oneByOne.size === 0) this.#failed.clear();
  }

  #note({ topic, offset }: InputPlace): void {
    this.#oneByOne.set(topic, Math.max(offset, this.#oneByOne.get(topic) ?? -1));
  }
}
