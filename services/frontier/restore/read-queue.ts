/**
 * Reads of a state that its owner works on: they may be added at any time, and are run one at a time between two steps,
 * so that each sees the state at rest and holds it up only for its own time.
 */
import type { StoreJob } from '../../../topology/frontier/storage/store-job.ts';
import type { StateStore } from '../../runtime/store/store.ts';
import { runJob } from './job-runner.ts';

interface Look<Target> {
  readonly run: (target: Target, store: StateStore) => Promise<void>;
  readonly reject: (error: unknown) => void;
}

export class ReadQueue<Target> {
  readonly #waiting: Look<Target>[] = [];

  get isAsked(): boolean {
    return this.#waiting.length > 0;
  }

  /** Rejects with the error that `refuse` is given. */
  ask<Result>(job: (target: Target) => StoreJob<Result>): Promise<Result> {
    return new Promise((resolve, reject) => {
      const run = async (target: Target, store: StateStore) => resolve((await runJob(store, job(target)))!);
      this.#waiting.push({ run, reject });
    });
  }

  async answerOne(target: Target, store: StateStore): Promise<void> {
    const look = this.#waiting.shift();
    if (look !== undefined) await look.run(target, store).catch(look.reject);
  }

  refuse(error: unknown): void {
    for (const { reject } of this.#waiting.splice(0)) reject(error);
  }
}
