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
import type { ParseOptions } from '../../topology/parse/page.ts';
import type { PageWishes } from './extract-rules.ts';
import { parseWholePage, type WholePage } from './parse-page.ts';

export type PageOptions = Omit<ParseOptions, 'expired'>;

export interface ParseJob {
  readonly body: Uint8Array;
  readonly options: PageOptions;
  readonly wishes: PageWishes | undefined;
  /** The parser cuts the page itself after this. */
  readonly timeoutMs: number;
}

export interface Extractor {
  /** Null: the parser died of it, or did not come back. */
  parse(body: Uint8Array, options: PageOptions, wishes?: PageWishes): WholePage | null | Promise<WholePage | null>;
  close(): Promise<void>;
}

export interface ExtractorOptions {
  readonly inlineBytes?: number;
  readonly timeoutMs?: number;
  readonly cores?: number;
  readonly workerUrl?: URL;
}

const fromSource = import.meta.url.endsWith('.ts');
const defaultWorker = new URL(fromSource ? './parse-worker.ts' : './parse-worker.js', import.meta.url);
/** A parser that outlives its own deadline by this is stuck. */
const graceMs = 500;
/** Loading takes a tenth of a second; on a machine that is busy, much longer. */
const startMs = 10_000;
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

  const runInWorker = async (
    body: Uint8Array,
    page: PageOptions,
    wishes: PageWishes | undefined,
  ): Promise<WholePage | null> => {
    worker ??= (await startWorker(options.workerUrl ?? defaultWorker)) ?? undefined;
    // That is not the page's fault: it gets the time budget here.
    if (worker === undefined) return parseHere(body, page, wishes, timeoutMs);
    const job: ParseJob = { body, options: page, wishes, timeoutMs };
    worker.postMessage(job);
    const parsed = (await nextMessage(worker, timeoutMs + graceMs)) as WholePage | null;
    if (parsed === null) await stopWorker();
    return parsed;
  };

  return {
    parse(body, page, wishes) {
      if (body.length <= inlineBytes) return parseHere(body, page, wishes, timeoutMs);
      // On one core, all other hosts wait meanwhile: such a page gives what is found in a moment.
      if (!hasWorker) return parseHere(body, page, wishes, Math.min(timeoutMs, fetcherLimits.inlineParseMs));
      // One after another: large pages are rare, and a second worker would only compete for the cores.
      const job = jobs.then(() => runInWorker(body, page, wishes));
      jobs = job;
      return job;
    },
    async close() {
      await jobs;
      await stopWorker();
    },
  };
}

function parseHere(
  body: Uint8Array,
  page: PageOptions,
  wishes: PageWishes | undefined,
  timeoutMs: number,
): WholePage | null {
  const endMs = performance.now() + timeoutMs;
  try {
    const options = {
      url: page.url,
      contentType: page.contentType,
      robotsTags: page.robotsTags,
      productToken: page.productToken,
      linksMax: page.linksMax,
      textCharsMax: page.textCharsMax,
      byteBudget: page.byteBudget,
      expired: () => performance.now() > endMs,
    };
    return parseWholePage(body, options, wishes);
  } catch {
    return null;
  }
}

/** The worker says `ready` once it is loaded, so that a page's time is not spent on that. Null: it did not start. */
async function startWorker(url: URL): Promise<Worker | null> {
  const options = { resourceLimits: { maxOldGenerationSizeMb: heapMbMax }, execArgv: [] };
  const worker = url.pathname.endsWith('.ts')
    ? new Worker(loadSource(url), { ...options, eval: true })
    : new Worker(url, options);
  worker.unref();
  // One that is on its way out may still fail: nobody waits for that any more.
  worker.on('error', () => {});
  return (await nextMessage(worker, startMs)) === null ? null : worker;
}

/** Node hands loaders of the main thread on to workers only in part: TypeScript sources need theirs registered. */
function loadSource(url: URL): string {
  return `import('tsx/esm/api').then(({ register }) => { register(); return import(${JSON.stringify(url.href)}); })`;
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
