/**
 * The program of the process that runs a crawl's consumers, over the log of the process that started it.
 *
 * Their state is in the data folder, together with their positions: a kill costs only unwritten work. The process lives
 * no longer than its channel; until it has ended, no other process writes that state (consumers-lock.ts). Signals of a
 * terminal reach it too, and are left to the crawl's process.
 */
import { Socket } from 'node:net';
import { join } from 'node:path';
import { CrawlstreamError } from '../../../topology/errors.ts';
import { openCodec } from '../../runtime/avro/record-codec.ts';
import { SystemClock } from '../../runtime/clock.ts';
import { logOverChannel } from '../../runtime/log/channel/log-over-channel.ts';
import { type Channel, createChannel, plainError } from '../../runtime/log/channel/message-channel.ts';
import { createService } from '../../runtime/metrics/service.ts';
import { chosenProcessors, takenNames } from '../chosen-processors.ts';
import { loadHandler } from '../page-handler.ts';
import { hooksOf } from '../plugin/hooks-of.ts';
import { loadPlugins } from '../plugin/load-plugins.ts';
import { type RunningProcessors, startProcessors } from '../start-processors.ts';
import type { ConsumerDisks, ConsumerOrders, ConsumerStatus } from './consumer-orders.ts';
import { consumersPart, holdConsumersLock } from './consumers-lock.ts';
import { schemasOverChannel } from './schemas-over-channel.ts';
import { takeMetrics } from './successive-metrics.ts';
import { channelFd, statsEveryMs } from './worker-limits.ts';

process.on('SIGINT', () => {});
process.on('SIGTERM', () => {});

const clock = new SystemClock();
const service = createService('consumers');
let running: RunningProcessors | undefined;
let hasStopped = false;
const { log, served } = logOverChannel(() => channel);
const channel: Channel = createChannel(
  new Socket({ fd: channelFd, readable: true, writable: true }),
  { ...served, begin, settle: () => running!.settle(), drain: () => running!.drain(), stop },
  fail,
);
// Ends at once: the process of its crawl is gone, so further work would not count.
void channel.closed.then(() => (hasStopped ? process.exit(0) : process.kill(process.pid, 'SIGKILL')));
process.on('uncaughtException', fail);
process.on('unhandledRejection', fail);
process.stdout.on('error', ({ code, message }: NodeJS.ErrnoException) => {
  if (code === 'EPIPE') channel.notify('readerGone');
  else
    fail(
      new CrawlstreamError(
        'STORE_FAILED',
        `the output can't be written: ${message}: free some disk space, or redirect it`,
      ),
    );
});

async function begin(orders: ConsumerOrders): Promise<ConsumerDisks> {
  clock.goOnFrom(orders.nowMs);
  const { manifest, folder, names, options, settings, handler, reach } = orders;
  const part = (name: string) => join(folder, name);
  await holdConsumersLock(part(consumersPart));
  const codec = await openCodec(schemasOverChannel(channel), manifest.crawl);
  const plugins = (await loadPlugins(orders.plugins, takenNames)).map(({ plugin }) => plugin);
  const chosen = chosenProcessors({
    ...{ names, plugins, settings },
    handler: handler === undefined ? undefined : () => loadHandler(handler),
  });
  const say = (text: string) => channel.notify('say', text);
  running = await startProcessors(
    {
      ...{ log, codec, clock, manifest, part, shared: false, fromStart: false, reach, service, say },
      ...hooksOf(plugins),
    },
    chosen,
    options,
  );
  running.failed.catch(fail);
  setInterval(() => void reportStatus().catch(fail), statsEveryMs).unref();
  return [...service.disks];
}

async function stop(): Promise<void> {
  try {
    await running?.stop();
    await reportStatus();
  } finally {
    hasStopped = true;
  }
}

async function reportStatus(): Promise<void> {
  const metrics = await takeMetrics(service.sources);
  const status: ConsumerStatus = { metrics, positions: service.lag.positions() };
  channel.notify('status', status);
}

/** The crawl's process ends with it, and stops this one. */
function fail(error: unknown): void {
  channel.notify('failed', plainError(error));
}
