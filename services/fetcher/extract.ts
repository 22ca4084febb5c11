/**
 * Parses pages without letting one of them stop the fetcher.
 *
 * Small bodies are parsed where they are, cut at a time budget. Large ones go to a worker when there is a second core;
 * a worker that is not back in time is killed and its page is reported as lost (null): a page that kills its parser is
 * an outcome, not an outage.
 */
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { fetcherLimits } from '../../topology/limits.ts';
import { type ParsedPage, type ParseOptions, parsePage } from '../../topology/parse/page.ts';

export type PageOptions = Omit<ParseOptions, 'expired'>;

export interface ParseJob {
  readonly body: Uint8Array;
  readonly options: PageOptions;
  /** The parser cuts the page itself after this. */
  readonly timeoutMs: number;
}

export interface Extractor {
  /** Null: the parser died of it, or did not come back. */
  parse(body: Uint8Array, options: PageOptions): ParsedPage | null | Promise<ParsedPage | null>;
  close(): Promise<void>;
}

export interface ExtractorOptions {
  readonly inlineBytes?: number;
  readonly timeoutMs?: number;
  readonly cores?: number;
  readonly workerUrl?: URL;
}

/** Built code runs as JavaScript; in development the worker needs the same loader as we do. */
const fromSource = import.meta.url.endsWith('.ts');
const defaultWorker = new URL(fromSource ? './parse-worker.ts' : './parse-worker.js', import.meta.url);
/** A parser that outlives its own deadline by this is stuck. */
const graceMs = 500;
/** Heap of a worker, MB: a hundred times the largest body. */
const heapMbMax = 512;

export function createExtractor(options: ExtractorOptions = {}): Extractor {
  const inlineBytes = options.inlineBytes ?? fetcherLimits.inlineParseBytes;
  const timeoutMs = options.timeoutMs ?? fetcherLimits.parseTimeoutMs;
  const hasWorker = (options.cores ?? availableParallelism()) >= 2;
  let worker: Worker | undefined;
  let jobs: Promise<unknown> = Promise.resolve();

  const stopWorker = async () => {
    const stopped = worker;
    worker = undefined;
    await stopped?.terminate();
  };

  const runInWorker = async (body: Uint8Array, page: PageOptions): Promise<ParsedPage | null> => {
    worker ??= startWorker(options.workerUrl ?? defaultWorker);
    const parsed = await answer(worker, { body, options: page, timeoutMs }, timeoutMs + graceMs);
    if (parsed === null) await stopWorker();
    return parsed;
  };

  return {
    parse(body, page) {
      if (!hasWorker || body.length <= inlineBytes) {
        return parseHere(body, page, timeoutMs);
      }
      // One after another: large pages are rare, and a second worker would only compete for the cores.
      const job = jobs.then(() => runInWorker(body, page));
      jobs = job;
      return job;
    },
    async close() {
      await jobs;
      await stopWorker();
    },
  };
}

function parseHere(body: Uint8Array, page: PageOptions, timeoutMs: number): ParsedPage | null {
  const endMs = performance.now() + timeoutMs;
  try {
    return parsePage(body, { ...page, expired: () => performance.now() > endMs });
  } catch {
    return null;
  }
}

function startWorker(url: URL): Worker {
  const worker = new Worker(url, {
    execArgv: url.pathname.endsWith('.ts') ? ['--import', 'tsx'] : [],
    resourceLimits: { maxOldGenerationSizeMb: heapMbMax },
  });
  worker.unref();
  return worker;
}

function answer(worker: Worker, job: ParseJob, waitMs: number): Promise<ParsedPage | null> {
  return new Promise((resolve) => {
    const settle = (parsed: ParsedPage | null) => {
      clearTimeout(timer);
      worker.removeAllListeners();
      // A worker that is on its way out may still fail: nobody waits for that any more.
      worker.on('error', () => {});
      resolve(parsed);
    };
    const timer = setTimeout(() => settle(null), waitMs);
    worker.once('message', settle);
    worker.once('error', () => settle(null));
    worker.once('exit', () => settle(null));
    worker.postMessage(job);
  });
}
