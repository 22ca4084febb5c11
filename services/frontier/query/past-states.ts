/**
 * Partitions in their state of one moment, opened in scratch stores: they answer the queries of a frontier, and never
 * change.
 */
import type { FrontierState } from '../../../topology/frontier/state/state.ts';
import type { StateStore } from '../../runtime/store/store.ts';
import { runJob } from '../restore/job-runner.ts';
import type { Answer, Question } from './queries.ts';

export interface PastState {
  readonly partition: number;
  readonly state: FrontierState;
  readonly store: StateStore;
}

export class PastStates {
  readonly #states: readonly PastState[];
  /** Runs one job at a time, because jobs share the rows that were read. */
  #turn: Promise<unknown> = Promise.resolve();

  constructor(states: readonly PastState[]) {
    this.#states = states;
  }

  async ask<Result>({ partition, job, answer }: Question<Result>): Promise<Answer> {
    const past = this.#states.find((one) => one.partition === partition);
    if (past === undefined) {
      const message = `this belongs to partition ${partition}, which is not open: remove --partition`;
      return { status: 404, body: { error: 'NOT_FOUND', message } };
    }
    const { state, store } = past;
    const result = this.#turn.then(async () => (await runJob(store, job(state)))!);
    this.#turn = result.catch(() => {});
    const { nowMs: asOfMs } = state;
    return answer(await result, { member: 'past', role: 'past', asOfMs, staleMs: null });
  }
}
