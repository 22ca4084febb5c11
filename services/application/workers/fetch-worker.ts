/**
 * The program of a fetch worker: a fetcher in a separate process, over the log of the process that started it.
 *
 * It has no durable state, and lives no longer than its channel: if the crawl's process is killed, it ends at once and
 * contacts no host any more. Signals of a terminal reach it too, and are left to the crawl's process.
 */
import { Socket } from 'node:net';
import type { Outcome, Page } from '../../../schemas/types.ts';
import { isTlsFailure } from '../../../topology/fetch/tls-failure.ts';
import { hostKeyOf } from '../../../topology/url/host-key.ts';
import { compileNormalizer } from '../../../topology/url/normalize.ts';
import type { FetcherGroup } from '../../fetcher/group.ts';
import { openCodec } from '../../runtime/avro/record-codec.ts';
import { SystemClock } from '../../runtime/clock.ts';
import { logOverChannel } from '../../runtime/log/channel/log-over-channel.ts';
import { type Channel, createChannel, plainError } from '../../runtime/log/channel/message-channel.ts';
import { createFetchers } from '../fetchers.ts';
import { hooksOf } from '../plugin/hooks-of.ts';
import { loadPlugins } from '../plugin/load-plugins.ts';
import { paymentsOf } from '../plugin/payments-of.ts';
import { schemasOverChannel } from './schemas-over-channel.ts';
import { paceOverChannel } from './shared-pace.ts';
import { channelFd, statsEveryMs } from './worker-limits.ts';
import { plainStats, type WorkerOrders } from './worker-orders.ts';

process.on('SIGINT', () => {});
process.on('SIGTERM', () => {});

const clock = new SystemClock();
let fetching: FetcherGroup | undefined;
let hasStopped = false;
const { log, served } = logOverChannel(() => channel);
const channel: Channel = createChannel(
  new Socket({ fd: channelFd, readable: true, writable: true }),
  { ...served, begin, stop },
  fail,
);
// Ends at once: the process of its crawl is gone, and the next one ends its leases, so further work would not count.
void channel.closed.then(() => (hasStopped ? process.exit(0) : process.kill(process.pid, 'SIGKILL')));
process.on('uncaughtException', fail);
process.on('unhandledRejection', fail);

async function begin(orders: WorkerOrders): Promise<void> {
  clock.goOnFrom(orders.nowMs);
  const { manifest, config, isTraced } = orders;
  const codec = await openCodec(schemasOverChannel(channel), manifest.crawl);
  const plugins = (await loadPlugins(orders.plugins, [])).map(({ plugin }) => plugin);
  fetching = await createFetchers({ log, codec, clock, manifest }).fetcherMember({
    ...paceOverChannel(channel, config.addressDelayMs),
    fetcherId: `${process.pid}`,
    normalize: compileNormalizer(orders.normalize),
    config: {
      ...config,
      ...hooksOf(plugins),
      ...(await paymentsOf(plugins)),
      groupSize: () => 1, // The group's own.
      say: (text) => channel.notify('say', text),
      onReport: createReports(),
    },
    ...(isTraced && { onSpan: (span) => channel.notify('span', span) }),
    onFailure: fail,
  });
  setInterval(reportStats, statsEveryMs).unref();
}

async function stop(): Promise<void> {
  await fetching?.stop();
  reportStats();
  hasStopped = true;
}

function reportStats(): void {
  if (fetching !== undefined) channel.notify('stats', plainStats(fetching.fetcher.stats()));
}

/** The crawl's process says why, and ends this one. */
function fail(error: unknown): void {
  channel.notify('failed', plainError(error));
}

/** Reports outcomes that the crawl's report needs. Ordinary pages are the majority, and are not reported. */
function createReports(): (outcome: Outcome, page: Page | null) => void {
  const ordinary: ReadonlySet<Outcome['kind']> = new Set(['fetched', 'notModified', 'redirect', 'returned']);
  /** Hosts that failed by TLS: a later response of such a host is reported too. */
  const shut = new Set<string>();
  return (outcome, page) => {
    const nofollow = page?.nofollow === true;
    if (isTlsFailure(outcome)) shut.add(hostKeyOf(outcome.url));
    const opens = shut.size > 0 && outcome.status > 0 && shut.delete(hostKeyOf(outcome.url));
    if (nofollow || opens || !ordinary.has(outcome.kind)) channel.notify('report', outcome, nofollow);
  };
}
