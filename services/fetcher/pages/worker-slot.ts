/**
 * A worker thread that takes one job after another, sites in turn, and is killed with the job that does not come back: a page that
 * kills its parser is an outcome, not an outage. Started for its first job, and again after a kill.
 */
import type { Worker } from 'node:worker_threads';
import type { ParseOptions } from '../../../topology/parse/page.ts';
import { hostnameOf } from '../../../topology/url/host-key.ts';
import { startThread } from '../../runtime/loop/start-thread.ts';
import type { PageWishes } from './extract-rules.ts';
import { FairTurns } from './fair-turns.ts';
import type { WholePage } from './parse-page.ts';

export type PageOptions = Omit<ParseOptions, 'expired'>;

export interface ParseJob {
  /** Module of the reader of a document. Absent: it is a web page. */
  readonly reader?: string;
  readonly body: Uint8Array;
  readonly options: PageOptions;
  readonly wishes: PageWishes | undefined;
  /** The parser cuts the page itself after this. */
  readonly timeoutMs: number;
}

export interface WorkerSlot {
  /** Null: the parser died of it, or did not come back. `noWorker`: none could be started, which is not the page's fault. */
  run(job: ParseJob): Promise<WholePage | null | 'noWorker'>;
  close(): Promise<void>;
}

const fromSource = import.meta.url.endsWith('.ts');
const defaultWorker = new URL(fromSource ? './parse-worker.ts' : './parse-worker.js', import.meta.url);
/** A parser that outlives its own deadline by this is stuck. */
const graceMs = 500;
/** Loading takes a tenth of a second; on a machine that is busy, much longer. */
const startMs = 10_000;
/** Heap of a worker, MB: a hundred times the largest body. */
const heapMbMax = 512;

/** `loadMs`: additional time for the first job, which loads code. */
export function createWorkerSlot(workerUrl: URL = defaultWorker, loadMs = 0): WorkerSlot {
  let worker: Worker | undefined;
  let isFirst = true;
  const turns = new FairTurns();

  const stop = async () => {
    const stopped = worker;
    worker = undefined;
    isFirst = true;
    await stopped?.terminate();
  };
  const runNext = async (job: ParseJob): Promise<WholePage | null | 'noWorker'> => {
    worker ??= (await startWorker(workerUrl)) ?? undefined;
    if (worker === undefined) return 'noWorker';
    worker.postMessage(job);
    const parsed = (await nextMessage(worker, job.timeoutMs + graceMs + (isFirst ? loadMs : 0))) as WholePage | null;
    isFirst = false;
    if (parsed === null) await stop();
    return parsed;
  };

  return {
    run(job) {
      return turns.take(hostnameOf(job.options.url), () => runNext(job));
    },
    async close() {
      await turns.idle();
      await stop();
    },
  };
}

/** The worker says `ready` once it is loaded, so that a page's time is not spent on that. Null: it did not start. */
async function startWorker(url: URL): Promise<Worker | null> {
  const worker = startThread(url, { resourceLimits: { maxOldGenerationSizeMb: heapMbMax } });
  worker.unref();
  // A worker that is ending may still fail, which no longer matters.
  worker.on('error', () => {});
  return (await nextMessage(worker, startMs)) === null ? null : worker;
}

/** Null: the worker failed, ended, or said nothing for `waitMs`. */
function nextMessage(worker: Worker, waitMs: number): Promise<unknown> {
  return new Promise((resolve) => {
    const settle = (message: unknown) => {
      clearTimeout(timer);
      worker.off('message', settle).off('error', lost).off('exit', lost);
      resolve(message);
    };
    const lost = () => settle(null);
    const timer = setTimeout(lost, waitMs);
    worker.on('message', settle).on('error', lost).on('exit', lost);
  });
}
