/** How much of a machine's or a container's memory a fetch worker's heap may take. */
import { workerLimits } from './worker-limits.ts';

/**
 * MB of old objects. In a container, its share of half the limit: what is outside the heaps needs as much. `limitMb`: absent
 * where nothing limits the process.
 */
export function workerHeapMb(count: number, limitMb?: number): number {
  const { heapMbMax, heapMbMin } = workerLimits;
  if (limitMb === undefined) return heapMbMax;
  return Math.max(heapMbMin, Math.min(heapMbMax, Math.floor(limitMb / 2 / (count + 1))));
}

/** Undefined where nothing limits this process: Node then says 0, or as much as the kernel can count. */
export function memoryLimitMb(): number | undefined {
  const limit = process.constrainedMemory();
  return limit > 0 && limit < 2 ** 43 ? limit / 2 ** 20 : undefined;
}
