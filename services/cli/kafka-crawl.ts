/** `crawl --brokers`: a frontier and a fetcher in one process, beside any others of the same crawl, until its end. */
import { sumCounters } from '../../topology/frontier/counters.ts';
import type { Clock } from '../runtime/clock.ts';
import { lookAt } from '../runtime/crawl/look.ts';
import type { CrawlOutcome } from './crawl-outcome.ts';
import type { FetcherFlags } from './fetcher-flags.ts';
import { fetcherConfig, needContact } from './fetcher-flags.ts';
import { withKafka } from './kafka-connection.ts';
import type { KafkaFlags } from './kafka-flags.ts';
import { takeFetcherRole, takeFrontierRole } from './kafka-roles.ts';
import type { PolicyFlags } from './policy-flags.ts';
import type { CrawlStatus } from './progress.ts';
import type { SeenFlags } from './seen-flags.ts';
import { sendToKafka } from './send-to-kafka.ts';
import { watchCrawl } from './watch-crawl.ts';

export interface KafkaCrawl {
  readonly clock: Clock;
  /** Normal. */
  readonly seeds: readonly string[];
  readonly flags: KafkaFlags & PolicyFlags & FetcherFlags & SeenFlags;
  readonly signal: AbortSignal;
  readonly onStatus: (status: CrawlStatus) => void;
}

/** A look asks the brokers for a dozen offsets a partition. */
const lookEveryMs = 300;

export async function runKafkaCrawl(crawl: KafkaCrawl): Promise<CrawlOutcome> {
  const { clock, seeds, flags, signal } = crawl;
  const startedAtMs = clock.nowMs();
  if (seeds.length === 0) needContact(flags, []);
  return withKafka(flags, clock, true, async (connection) => {
    const { log, manifest } = connection;
    const policy = await sendToKafka({ ...connection, clock, seeds, flags, always: true });
    let fail: (error: unknown) => void = () => {};
    const failed = new Promise<never>((_, reject) => (fail = reject));
    failed.catch(() => {});
    const role = { ...connection, clock, flags, onFailure: fail };
    const frontier = await takeFrontierRole(role);
    const look = () => lookAt(log, manifest.crawl, manifest.partitions, policy.pageQuota);
    try {
      const fetcher = await takeFetcherRole(role, fetcherConfig(flags));
      try {
        const hosts = () => {
          const own = [...frontier.committed().values()];
          const sum = (name: 'readyHosts' | 'delayedHosts') =>
            own.reduce((total, one) => total + (one?.[name] ?? 0), 0);
          return { ready: sum('readyHosts'), delayed: sum('delayedHosts') };
        };
        const end = await watchCrawl({ ...crawl, startedAtMs, failed, everyMs: lookEveryMs, look, hosts, signal });
        const { partitions } = await look();
        const counters = sumCounters(partitions.map((partition) => partition.counters));
        return { end, counters, seconds: (clock.nowMs() - startedAtMs) / 1000 };
      } finally {
        await fetcher.stop();
      }
    } finally {
      await frontier.stop();
    }
  });
}
