/**
 * How long URLs wait in the front queues, from samples: for metrics, and never part of a decision or of a digest.
 *
 * One queued URL in `every` is sampled with its place. `every` doubles when there are too many samples, and halves
 * when too few are left, so that a small queue is measured exactly and a large one costs no more. A place is never
 * used twice, so a sample shows whether its URL still waits, without reading the disk. URLs from a checkpoint are
 * sampled as they are loaded, and count as queued at the checkpoint's time, so an age after a restart is a lower
 * bound.
 */
import { frontQueueCount } from '../../url/front-queue.ts';
import { frontierLimits } from '../frontier-limits.ts';
import type { FrontQueues, SavedFrontQueue } from './front-queues.ts';

interface Sample {
  readonly host: number;
  /** Number of the front queue. */
  readonly number: number;
  readonly seq: number;
  readonly queuedAtMs: number;
  /** Number of URLs that the sample represents. */
  readonly weight: number;
}

export interface QueueAge {
  readonly p50S: number;
  readonly p95S: number;
}

export class QueueAges {
  readonly #queues: FrontQueues;
  #samples: Sample[] = [];
  #every = 1;
  #met = 0;

  constructor(queues: FrontQueues) {
    this.#queues = queues;
  }

  queued(host: number, number: number, seq: number, nowMs: number): void {
    if (number >= frontQueueCount || this.#met++ % this.#every !== 0) return;
    this.#add({ host, number, seq, queuedAtMs: nowMs, weight: this.#every });
  }

  loaded(host: number, { number, head, tail }: SavedFrontQueue, nowMs: number): void {
    if (number >= frontQueueCount) return;
    const end = this.#met + tail - head;
    const start = this.#met;
    // `#every` may grow on the way.
    for (let at = Math.ceil(start / this.#every) * this.#every; at < end; at += this.#every - (at % this.#every)) {
      this.#add({ host, number, seq: head + at - start, queuedAtMs: nowMs, weight: this.#every });
    }
    this.#met = end;
  }

  /** By front queue, and of all; undefined: no URLs wait there, or too few for a sample. */
  at(nowMs: number): { readonly all: QueueAge | undefined; readonly byFrontQueue: readonly (QueueAge | undefined)[] } {
    this.#forget();
    const byFrontQueue = Array.from({ length: frontQueueCount }, (): Sample[] => []);
    for (const sample of this.#samples) byFrontQueue[sample.number]!.push(sample);
    return { all: ageOf(this.#samples, nowMs), byFrontQueue: byFrontQueue.map((samples) => ageOf(samples, nowMs)) };
  }

  #add(sample: Sample): void {
    this.#samples.push(sample);
    if (this.#samples.length <= frontierLimits.queueAgeSamples) return;
    this.#forget();
    while (this.#samples.length > frontierLimits.queueAgeSamples / 2) this.#thin();
  }

  /** Forgets the samples that wait no longer. */
  #forget(): void {
    const queues = this.#queues;
    this.#samples = this.#samples.filter(({ host, number, seq }) => {
      const frontQueue = queues.list.find(host, number);
      if (frontQueue === 0 || seq < queues.head(frontQueue)) return false;
      return seq < queues.extent(frontQueue).tail && !queues.isGone(frontQueue, seq);
    });
    const few = frontierLimits.queueAgeSamples / 16;
    if (this.#every > 1 && this.#samples.length < few) this.#every /= 2;
  }

  /** Drops half of the samples; each remaining one represents twice as many URLs. */
  #thin(): void {
    this.#every *= 2;
    const lightFirst = new Map<number, boolean>();
    const thinned: Sample[] = [];
    for (const sample of this.#samples) {
      if (sample.weight >= this.#every) {
        thinned.push(sample);
        continue;
      }
      const stays = !(lightFirst.get(sample.weight) ?? false);
      lightFirst.set(sample.weight, stays);
      if (stays) thinned.push({ ...sample, weight: 2 * sample.weight });
    }
    this.#samples = thinned;
  }
}

function ageOf(samples: readonly Sample[], nowMs: number): QueueAge | undefined {
  if (samples.length === 0) return undefined;
  const oldestLast = [...samples].sort((a, b) => b.queuedAtMs - a.queuedAtMs);
  const whole = samples.reduce((sum, { weight }) => sum + weight, 0);
  const quantile = (share: number) => {
    let below = 0;
    for (const { queuedAtMs, weight } of oldestLast) {
      below += weight;
      if (below >= share * whole) return Math.max(0, nowMs - queuedAtMs) / 1_000;
    }
    return Math.max(0, nowMs - oldestLast.at(-1)!.queuedAtMs) / 1_000;
  };
  return { p50S: quantile(0.5), p95S: quantile(0.95) };
}
