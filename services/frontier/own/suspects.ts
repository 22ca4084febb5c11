/**
 * Records of inputs that made a step fail. A failed step has made nothing durable, so the owner opens the partition
 * again and retries. At the third try, such a record is skipped as a dead letter, and the partition continues.
 *
 * If a step had taken several records, and failed on none in particular, they are retried one by one.
 */
import type { InputTopic } from '../../../topology/frontier/changes/changelog.ts';
import type { FrontierPartition, Input } from '../../../topology/frontier/partition.ts';
import type { InputPlace, StepFailed } from '../../../topology/frontier/step-failed.ts';
import { frontierServiceLimits } from '../service-limits.ts';

export class Suspects {
  /** By record: number of failed steps, and the last error. */
  readonly #failed = new Map<string, { tries: number; why: string }>();
  /** Records up to these offsets are taken one by one. */
  readonly #oneByOne = new Map<InputTopic, number>();
  /** Consecutive failed steps without a record to blame. */
  #unexplained = 0;

  /** Returns false if another try is useless, because the step failed without any record. */
  add({ at, taken, message }: StepFailed): boolean {
    for (const one of taken) this.#note(one);
    if (at === null) return taken.length > 0 || ++this.#unexplained < frontierServiceLimits.stepTries;
    this.#note(at);
    const name = `${at.topic}/${at.offset}`;
    this.#failed.set(name, { tries: (this.#failed.get(name)?.tries ?? 0) + 1, why: message });
    return true;
  }

  /** Returns the record to offer: after too many failures, an unreadable one. `bytes`: as received. */
  judge(input: Input, bytes: Uint8Array): Input {
    if (this.#failed.size === 0) return input;
    const { topic, offset, leaderEpoch } = input;
    const failed = this.#failed.get(`${topic}/${offset}`);
    if (failed === undefined || failed.tries < frontierServiceLimits.stepTries) return input;
    const why = `skipped after ${failed.tries} tries: ${failed.why}`;
    return { topic, offset, leaderEpoch, record: null, bytes, why };
  }

  /** Call before each step. */
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
