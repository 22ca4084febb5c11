/**
 * Runs a partition's work on rows of its store beside its steps, one job at a time.
 *
 * Every request of a job is one read or write of at most a megabyte; between them the partition continues. A stopped
 * job leaves rows without references.
 */
import type { StoreJob, StoreReply, StoreRequest } from '../../../topology/frontier/storage/store-job.ts';
import type { StateStore } from '../../runtime/store/store.ts';

export class JobRunner {
  readonly #store: StateStore;
  readonly #onEnd: (error: unknown) => void;
  #running: Promise<void> | null = null;
  #stopped = false;

  /** `onEnd`: a job is over; `error` is undefined if it succeeded. */
  constructor(store: StateStore, onEnd: (error: unknown) => void) {
    this.#store = store;
    this.#onEnd = onEnd;
  }

  get busy(): boolean {
    return this.#running !== null;
  }

  start(job: StoreJob): void {
    this.#running = runJob(this.#store, job, () => this.#stopped).then(
      () => this.#ended(undefined),
      (error) => this.#ended(error),
    );
  }

  /** Abandons the job under way; resolves when it no longer uses the store. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#running;
  }

  #ended(error: unknown): void {
    this.#running = null;
    this.#onEnd(error);
  }
}

/** Runs a job to its end, or until it is stopped: then it has no effect. */
export async function runJob<Result>(
  store: StateStore,
  job: StoreJob<Result>,
  stopped: () => boolean = () => false,
): Promise<Result | undefined> {
  let next = job.next([]);
  while (!next.done && !stopped()) {
    next = job.next(await answerRequest(store, next.value));
  }
  return next.done ? next.value : undefined;
}

export async function answerRequest(store: StateStore, { read, write, scan }: StoreRequest): Promise<StoreReply> {
  if (read !== undefined) return store.getMany(read);
  if (write !== undefined) {
    await store.write(write);
    return [];
  }
  const rows: Buffer[] = [];
  for await (const row of store.scan(scan)) rows.push(...row);
  return rows;
}
