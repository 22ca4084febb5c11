/** A thread that fuzzes one target: it tells which input it tries before it does, in memory that outlives it. */
import { parentPort, workerData } from 'node:worker_threads';
import { type FuzzOptions, fuzz } from './fuzz.ts';
import type { Target } from './targets.ts';

export interface WorkerOrder extends Pick<FuzzOptions, 'seed' | 'tries' | 'forMs' | 'cpuMsMax'> {
  /** A module whose `targets` hold it. */
  readonly module: string;
  readonly target: string;
  readonly corpus: readonly Uint8Array[];
  /** Of the files whose coverage counts: a part of their URL. */
  readonly ours: readonly string[];
  /** Tries begun (uint32), length of the input (uint32), and its bytes. */
  readonly shared: SharedArrayBuffer;
}

const order = workerData as WorkerOrder;
const { targets } = (await import(order.module)) as { readonly targets: Readonly<Record<string, Target>> };
const heads = new Uint32Array(order.shared, 0, 2);
const bytes = new Uint8Array(order.shared, 8);
const result = await fuzz(targets[order.target]!, {
  ...order,
  corpus: order.corpus.map((one) => Buffer.from(one)),
  isOurs: (url) => order.ours.some((part) => url.includes(part)),
  onTry(input) {
    bytes.set(input.subarray(0, bytes.length));
    Atomics.store(heads, 1, Math.min(input.length, bytes.length));
    Atomics.add(heads, 0, 1);
  },
});
parentPort!.postMessage(result);
