/**
 * Reads of a state that its owner is changing. They may be added at any time, and run one after another between two
 * steps. So each sees the state at rest, and together they delay the owner only for a moment.
 */
import type { StoreJob } from '../../../topology/frontier/storage/store-job.ts';
import type { StateStore } from '../../runtime/store/store.ts';
import { runJob } from './job-runner.ts';

/** Longest time of the reads between two steps, ms: a round of an owner costs as much as ten short reads. */
const momentMs = 1;

interface Look<Target> {
  readonly run: (target: Target, store: StateStore) => Promise<void>;
  readonly reject: (error: unknown) => void;
}

export class ReadQueue<Target> {
  readonly #waiting: Look<Target>[] = [];
  readonly #nowMs: () => number;

  constructor(nowMs: () => number = () => performance.now()) {
    this.#nowMs = nowMs;
  }

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

  /** Answers those that wait, for a moment: the rest has its turn after the next step. */
  async answerSome(target: Target, store: StateStore): Promise<void> {
    const endMs = this.#nowMs() + momentMs;
    do await this.answerOne(target, store);
    while (this.isAsked && this.#nowMs() < endMs);
  }

  refuse(error: unknown): void {
    for (const { reject } of this.#waiting.splice(0)) reject(error);
  }
}
