/**
 * Watches the cluster for a long-running process: reports unreachable brokers, and partitions that were added to
 * topics.
 */
import type { RecordCodec } from '../../runtime/avro/record-codec.ts';
import type { Clock } from '../../runtime/clock.ts';
import { watchSurplus } from '../../runtime/crawl/surplus-partitions.ts';
import type { Manifest } from '../../runtime/data-folder/manifest.ts';
import type { Log } from '../../runtime/log/log.ts';
import { logMetrics } from '../../runtime/metrics/log-metrics.ts';
import type { MetricSource } from '../../runtime/metrics/metrics.ts';
import type { Away } from '../../runtime/metrics/service.ts';

export interface WatchedCluster {
  readonly log: Pick<Log, 'partitionsOf' | 'brokersAway' | 'appendsBlocked' | 'tallies'>;
  readonly codec: Pick<RecordCodec, 'waits'>;
  readonly manifest: Pick<Manifest, 'crawl' | 'partitions'>;
  readonly clock: Clock;
  say(text: string, level?: 'info' | 'warn'): void;
}

export interface ClusterWatch {
  /** The reason why the process cannot work at present; null: it can. */
  waitsFor(): string | null;
  /** A note for the operator although work continues; `more`: further notes to include. */
  note(more?: string | null): string | null;
  away(): Away;
  /** Metrics of this process's requests to the brokers. */
  readonly metrics: MetricSource;
  stop(): Promise<void>;
}

export function watchCluster({ log, codec, manifest, clock, say }: WatchedCluster): ClusterWatch {
  const stopping = new AbortController();
  let surplus: string | null = null;
  const onChange = (text: string | null) => {
    surplus = text;
    say(text ?? 'topics and crawl have the same number of partitions again', text === null ? 'info' : 'warn');
  };
  const { crawl, partitions } = manifest;
  const watching = watchSurplus({ log, crawl, partitions, clock, signal: stopping.signal, onChange });
  const away = () => log.brokersAway?.() ?? null;
  return {
    waitsFor: () => codec.waits.waitsFor ?? (away()?.isCutOff ? away()!.text : null),
    note: (more = null) =>
      [away()?.text, log.appendsBlocked?.()?.text, more, surplus].filter((one) => one).join('; ') || null,
    metrics: logMetrics(log),
    away() {
      const { count, isCutOff } = away() ?? { count: 0, isCutOff: false };
      return { brokers: count, cutOff: codec.waits.waitsFor !== null ? 'schema' : isCutOff ? 'brokers' : null };
    },
    stop() {
      stopping.abort();
      return watching;
    },
  };
}
