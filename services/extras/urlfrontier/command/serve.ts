/** Serves URLFrontier's API over gRPC, from a data folder or on Kafka, until stopped. */

import type { ClusterWatch } from '../../../hosting/connect/cluster-watch.ts';
import { newCrawl } from '../../../hosting/connect/new-crawl.ts';
import { grpcListen } from '../../../hosting/options/grpc-listen.ts';
import { seenConfigOf } from '../../../hosting/options/seen.ts';
import { SystemClock } from '../../../runtime/clock.ts';
import { openDataFolder } from '../../../runtime/data-folder/data-folder.ts';
import type { GrpcListen } from '../../../runtime/grpc/grpc-server.ts';
import { say, timeLines } from '../../../runtime/logging/say.ts';
import type { Service } from '../../../runtime/metrics/service.ts';
import { stopOnSignals } from '../../../runtime/stop-signals.ts';
import { productVersion } from '../../../runtime/version.ts';
import type { CrawlBook } from '../crawl-book.ts';
import type { GroupPeers } from '../group-peers.ts';
import { servedMetrics } from '../served-metrics.ts';
import { startServer } from '../server.ts';
import { withServedFolder } from './served-folder.ts';
import { withServedKafka } from './served-kafka.ts';
import type { UrlfrontierFlags } from './urlfrontier-command.ts';

export async function serve(flags: UrlfrontierFlags, service: Service): Promise<void> {
  const { probes, sources } = service;
  service.crawl = flags.crawl;
  const clock = new SystemClock();
  const listen = listenOf(flags);
  const stop = new AbortController();
  const release = stopOnSignals(stop, 'stopping: finishing current calls');
  const untime = timeLines();
  let fail: (error: unknown) => void = () => {};
  const failed = new Promise<never>((_, reject) => {
    fail = reject;
  });
  failed.catch(() => {});
  const stopped = new Promise<void>((resolve) => {
    stop.signal.addEventListener('abort', () => resolve(), { once: true });
    if (stop.signal.aborted) resolve();
  });
  const run = async (book: CrawlBook, peers?: GroupPeers, cluster?: ClusterWatch) => {
    const server = await startServer({ book, peers, listen, say });
    const metered = servedMetrics(book, clock);
    sources.add(metered);
    service.away = cluster?.away;
    if (cluster !== undefined) sources.add(cluster.metrics);
    probes.serve(
      () => cluster?.waitsFor() ?? null,
      () => cluster?.note() ?? null,
    );
    say(`serving crawl ${flags.crawl} on ${listen.host}:${server.port}${listen.tls ? ' (TLS)' : ''}`);
    try {
      await Promise.race([stopped, failed]);
    } finally {
      probes.suspend('stopping');
      service.forget();
      await server.close();
    }
  };
  try {
    if (flags.brokers !== undefined) {
      await withServedKafka({ flags, clock, listen, onFailure: fail }, run);
      return;
    }
    const wanted = { sink: 'pull' as const, ...(flags.partitions !== undefined && { partitions: flags.partitions }) };
    const defaults = newCrawl(flags.crawl, 1, 'pull');
    const path = flags.data ?? `crawl-data/${flags.crawl}`;
    const folder = await openDataFolder(path, wanted, { defaults, createdBy: productVersion, clock });
    const seen = seenConfigOf(flags, folder.manifest.partitions);
    await withServedFolder({ folder, clock, seen, onFailure: fail }, run);
  } finally {
    untime();
    release();
  }
}

function listenOf({ address, port, tlsCert: cert, tlsKey: key, allowPlain: plain }: UrlfrontierFlags): GrpcListen {
  const options = { address: '--address', cert: '--tls-cert', key: '--tls-key', plain: '--allow-plain' };
  const access = { listen: { host: address, port }, cert, key, plain, options };
  return grpcListen(access, (message) => say(message, 'warn'));
}
