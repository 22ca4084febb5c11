/** Fuzzes a target in a thread that is ended when an input takes for ever or all memory: both are findings. */
import { Worker } from 'node:worker_threads';
import type { Finding, Fuzzed } from './fuzz.ts';
import { inputBytesMax } from './mutate.ts';
import type { WorkerOrder } from './worker.ts';

export interface RunOptions extends Omit<WorkerOrder, 'shared'> {
  /** A try that has not ended after this is ended, ms. */
  readonly hangMs: number;
  readonly heapMb: number;
}

export interface Ran extends Fuzzed {
  readonly findings: readonly Finding[];
}

/** A thread reads no TypeScript by itself (Node 20). */
const loader = `import('tsx/esm/api').then(({ register }) => { register(); return import(${JSON.stringify(new URL('worker.ts', import.meta.url).href)}); })`;
/** A look at the thread, ms. */
const lookMs = 250;

export async function runTarget({ hangMs, heapMb, ...order }: RunOptions): Promise<Ran> {
  const shared = new SharedArrayBuffer(8 + inputBytesMax);
  const heads = new Uint32Array(shared, 0, 2);
  const inputNow = () => Buffer.from(new Uint8Array(shared, 8, Atomics.load(heads, 1)).slice());
  const worker = new Worker(loader, {
    eval: true,
    workerData: { ...order, shared } satisfies WorkerOrder,
    resourceLimits: { maxOldGenerationSizeMb: heapMb },
  });
  const failed = (what: string): Ran => {
    const findings = [{ what, input: inputNow() }];
    return { tries: Atomics.load(heads, 0), kept: [], blocks: 0, slowestMs: hangMs, findings };
  };
  let sinceMs = performance.now();
  let tries = 0;
  return new Promise<Ran>((resolve) => {
    const look = setInterval(() => {
      const begun = Atomics.load(heads, 0);
      if (begun !== tries || begun === 0) [tries, sinceMs] = [begun, performance.now()];
      else if (performance.now() - sinceMs > hangMs) end(failed(`did not end within ${hangMs / 1000} s`));
    }, lookMs);
    const end = (ran: Ran) => {
      clearInterval(look);
      resolve(ran);
      void worker.terminate();
    };
    worker.once('message', (fuzzed: Fuzzed) => end({ ...fuzzed, ...buffers(fuzzed) }));
    worker.once('error', (error: Error) => end(failed(`ended its thread: ${error.message}`)));
  });
}

/** Buffers come out of a thread as plain bytes. */
function buffers({ kept, findings }: Fuzzed): Pick<Fuzzed, 'kept' | 'findings'> {
  return {
    kept: kept.map((one) => Buffer.from(one)),
    findings: findings.map(({ what, input }) => ({ what, input: Buffer.from(input) })),
  };
}
