/** How much of a machine's or a container's memory the heap of a process beside the crawl's may take. */
import { getHeapStatistics } from 'node:v8';
import { workerLimits } from './worker-limits.ts';

/**
 * MB of old objects. In a container, its share of half the limit: what is outside the heaps needs as much. `count`: of
 * processes beside the crawl's; `limitMb`: absent where nothing limits the process.
 */
export function workerHeapMb(count: number, limitMb?: number): number {
  const { heapMbMax, heapMbMin } = workerLimits;
  if (limitMb === undefined) return heapMbMax;
  return Math.max(heapMbMin, Math.min(heapMbMax, Math.floor(limitMb / 2 / (count + 1))));
}

/** Of the process of consumers: without a limit as much as they would have in this process, since they keep state in memory. */
export function consumersHeapMb(count: number, limitMb?: number): number {
  if (limitMb !== undefined) return workerHeapMb(count, limitMb);
  return Math.floor(getHeapStatistics().heap_size_limit / 2 ** 20);
}

/** Undefined where nothing limits this process: Node then says 0, or as much as the kernel can count. */
export function memoryLimitMb(): number | undefined {
  const limit = process.constrainedMemory();
  return limit > 0 && limit < 2 ** 43 ? limit / 2 ** 20 : undefined;
}
