/** Heap sizes of the processes beside the crawl's, within the memory of the machine or container. */
import { getHeapStatistics } from 'node:v8';
import { workerLimits } from './worker-limits.ts';

/**
 * Largest old-object heap of a worker, MB. In a container, its share of half the limit, because memory outside the
 * heaps needs as much. `count`: number of processes beside the crawl's; `limitMb`: memory limit of the process,
 * absent if none.
 */
export function workerHeapMb(count: number, limitMb?: number): number {
  const { heapMbMax, heapMbMin } = workerLimits;
  if (limitMb === undefined) return heapMbMax;
  return Math.max(heapMbMin, Math.min(heapMbMax, Math.floor(limitMb / 2 / (count + 1))));
}

/**
 * Largest heap of the consumers' process, MB. Without a limit, as much as in this process, because consumers keep
 * state in memory.
 */
export function consumersHeapMb(count: number, limitMb?: number): number {
  if (limitMb !== undefined) return workerHeapMb(count, limitMb);
  return Math.floor(getHeapStatistics().heap_size_limit / 2 ** 20);
}

/**
 * Memory limit of this process, MB. Undefined if there is none: Node then returns 0, or the largest number of the
 * kernel.
 */
export function memoryLimitMb(): number | undefined {
  const limit = process.constrainedMemory();
  return limit > 0 && limit < 2 ** 43 ? limit / 2 ** 20 : undefined;
}
