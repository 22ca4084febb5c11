/** Figures of scheduled snapshots: when the last one was taken, its duration, and how many failed. */
import type { Clock } from '../../runtime/clock.ts';
import type { MetricSource } from '../../runtime/metrics/metrics.ts';

export interface SnapshotMeter {
  /** Reports that there was nothing to snapshot, so that none is overdue. */
  passed(): void;
  taken(seconds: number, bytes: number): void;
  failed(): void;
  readonly metrics: MetricSource;
}

export function createSnapshotMeter(everyMs: number, clock: Pick<Clock, 'nowMs'>): SnapshotMeter {
  let sinceMs = clock.nowMs();
  let failures = 0;
  let last: { readonly seconds: number; readonly bytes: number } | undefined;
  return {
    passed() {
      sinceMs = clock.nowMs();
    },
    taken(seconds, bytes) {
      sinceMs = clock.nowMs();
      last = { seconds, bytes };
    },
    failed() {
      failures += 1;
    },
    metrics(sink) {
      sink.value('crawlstream_snapshot_interval_seconds', everyMs / 1000);
      sink.value('crawlstream_snapshot_age_seconds', Math.max(0, clock.nowMs() - sinceMs) / 1000);
      sink.value('crawlstream_snapshot_failures_total', failures);
      if (last === undefined) return;
      sink.value('crawlstream_snapshot_seconds', last.seconds);
      sink.value('crawlstream_snapshot_bytes', last.bytes);
    },
  };
}
