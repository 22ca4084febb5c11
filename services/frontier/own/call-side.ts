/**
 * The part of a partition's owner that serves clients of a served crawl: calls to decide, and reads between two
 * steps.
 *
 * A call is answered once all decisions so far are durable. A read sees all decisions, durable or not. An owner that
 * opens its partition again refuses both, and the client asks again.
 */
import { CrawlstreamError } from '../../../topology/errors.ts';
import type { Call } from '../../../topology/frontier/decide/pull/calls.ts';
import type { FrontierPartition } from '../../../topology/frontier/partition.ts';
import type { StoreJob } from '../../../topology/frontier/storage/store-job.ts';
import type { StateStore } from '../../runtime/store/store.ts';
import { ReadQueue } from '../restore/read-queue.ts';

export class CallSide {
  readonly #store: StateStore;
  readonly #number: number;
  #core: FrontierPartition | undefined;
  #wake = () => {};
  readonly #reads = new ReadQueue<FrontierPartition>();

  constructor(store: StateStore, partition: number) {
    this.#store = store;
    this.#number = partition;
  }

  /** The partition with all decisions, including those not durable yet; undefined while it is being opened. */
  get core(): FrontierPartition | undefined {
    return this.#core;
  }

  /** Whether a client waits for a call or a read. */
  get isCalled(): boolean {
    return this.#reads.isAsked || this.#core?.isCalled === true;
  }

  /** Adds a call, which is answered when its changes are durable. */
  call(call: Call): void {
    if (this.#core === undefined) return call.onDone(this.#away());
    this.#core.calls.add(call);
    this.#wake();
  }

  /** Reads the partition between two of its steps: a short job, or many small ones. */
  look<Result>(job: (partition: FrontierPartition) => StoreJob<Result>): Promise<Result> {
    if (this.#core === undefined) return Promise.reject(this.#away());
    const answer = this.#reads.ask(job);
    this.#wake();
    return answer;
  }

  /** Rows of the checkpoint as they are on disk. */
  scan(range: Parameters<StateStore['scan']>[0]): ReturnType<StateStore['scan']> {
    return this.#store.scan(range);
  }

  /** More may be granted. */
  wake(): void {
    this.#wake();
  }

  opened(core: FrontierPartition, wake: () => void): void {
    this.#core = core;
    this.#wake = wake;
  }

  /** Reads for a moment, so that puts go on in between. */
  lookNow(partition: FrontierPartition): Promise<void> {
    return this.#reads.answerSome(partition, this.#store);
  }

  /** Answers calls that were decided. `durable`: when all that was decided by now is; `failure`: why it may never be. */
  answer(partition: FrontierPartition, durable: Promise<void>, failure: () => unknown): void {
    const calls = partition.calls.takeAnswered();
    if (calls.length === 0) return;
    void durable.then(() => {
      for (const call of calls) call.onDone(failure());
    });
  }

  /** Answers all calls when an owner gives up: their changes may or may not be durable. */
  closed(failure: unknown): void {
    const core = this.#core;
    this.#core = undefined;
    for (const call of core?.calls.takeAll() ?? []) call.onDone(failure ?? this.#away());
    this.#reads.refuse(this.#away());
  }

  #away(): CrawlstreamError {
    return new CrawlstreamError('NOT_READY', `partition ${this.#number} is being opened: retry in a moment`);
  }
}
