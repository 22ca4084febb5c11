/**
 * Computes the size of V8's old space for a container, so that memory outside the heap has room. MiB throughout.
 *
 * By itself V8 takes half of the container's limit, or all of a small one. It ignores the rest of the process:
 * fingerprints of a frontier, buffers of stores, bodies in a fetcher. Then the kernel kills the process (exit code 137)
 * before V8 would have collected garbage.
 */
import { consumers } from '../application/topology.ts';
import { workerHeapMb } from '../application/workers/worker-heap.ts';
import { memoryBytes } from './coefficients.ts';

export interface HeapInput {
  readonly role: string;
  readonly limitMb: number;
  /** `--seen-memory`, of those that have a seen test. */
  readonly seenMemoryMb?: number | undefined;
  /** Warm copies of other members' partitions hold fingerprints too. */
  readonly standbys?: number | undefined;
  /** `--concurrency`, of a fetcher. */
  readonly concurrency?: number | undefined;
  /** `--workers` of a crawl: each has a separate heap. */
  readonly workers?: number | undefined;
  /** For a crawl with workers: its consumers have a separate process, and so a separate heap. */
  readonly consumers?: boolean | undefined;
}

const mb = 2 ** 20;
/**
 * Share of the limit that is left free, for fragments of the allocator and for pages of files that count as the
 * container's.
 */
const spareShare = 0.08;
/**
 * Below this share, V8 would collect garbage all the time: then it is better to count on the rest not being used in
 * full.
 */
const heapShareMin = 0.25;
/** Code, threads, the young generation. `memoryBytes.process` has the old objects of an idle process in it, some 60 MiB. */
const outsideMb = memoryBytes.process / mb - 60;
/**
 * Memory for a host that is being fetched from: its body, compressed and decompressed, and its connection. Most are
 * small.
 */
const fetchedHostMb = 0.12;

/**
 * Share of a fleet's memory for stores, queues and newest records of its crawls, and heaps of its parsers. Of 2 GiB with
 * a hundred crawls they took three quarters (`npm run hostile -- --fleet`), but V8 needs room between two collections.
 */
const fleetBesideShare = 0.5;

/** For `--max-old-space-size`. */
export function heapSizeMb(input: HeapInput): number {
  const free = input.limitMb * (1 - spareShare) - outsideMb - besideHeapMb(input);
  return Math.floor(Math.max(free, input.limitMb * heapShareMin));
}

function besideHeapMb({
  role,
  limitMb,
  seenMemoryMb = 0,
  standbys = 0,
  concurrency = 0,
  workers = 1,
  consumers: haveProcess = false,
}: HeapInput): number {
  const seen = seenMemoryMb * (standbys > 0 ? 2 : 1);
  const stores = memoryBytes.storesMax / mb;
  const processes = workers > 1 ? workers + (haveProcess ? 1 : 0) : 0;
  switch (role) {
    case 'crawl':
      return seen + stores + concurrency * fetchedHostMb + processes * (workerHeapMb(processes, limitMb) + outsideMb);
    case 'frontier':
    case 'urlfrontier':
      return seen + stores;
    case 'fetcher':
      return concurrency * fetchedHostMb;
    case 'fleet':
      return limitMb * fleetBesideShare;
    default:
      return consumers.find(({ name }) => name === role)?.storeMb ?? 0;
  }
}
