/** `crawlstream frontier` and `crawlstream fetcher`: one role each, as members of a crawl on Kafka, until stopped. */
import type { Command } from 'commander';
import { CrawlstreamError } from '../../topology/errors.ts';
import { SystemClock } from '../runtime/clock.ts';
import type { FetcherFlags } from './fetcher-flags.ts';
import { addFetcherOptions, fetcherConfig, needContact } from './fetcher-flags.ts';
import { withKafka } from './kafka-connection.ts';
import type { KafkaFlags } from './kafka-flags.ts';
import { addKafkaOptions } from './kafka-flags.ts';
import { takeFetcherRole, takeFrontierRole } from './kafka-roles.ts';
import type { SeenFlags } from './seen-flags.ts';
import { addSeenOptions } from './seen-flags.ts';
import { stopOnSignals } from './stop-signals.ts';

export function addRoleCommands(program: Command): void {
  addKafkaOptions(
    addSeenOptions(
      program.command('frontier').description('own partitions of a crawl on Kafka: admit, order and lease its URLs'),
    ),
    'folder for this process’s state (default: crawl-data/ and the name of the crawl)',
  ).action((flags: KafkaFlags & SeenFlags) => runRole(flags, (role) => takeFrontierRole({ ...role, flags })));
  addKafkaOptions(
    addFetcherOptions(program.command('fetcher').description('fetch what the frontier of a crawl on Kafka leases')),
    'not used: a fetcher keeps nothing',
  ).action((flags: KafkaFlags & FetcherFlags) => {
    needContact(flags, []);
    return runRole(flags, (role) => takeFetcherRole(role, fetcherConfig(flags)));
  });
}

type TakeRole = (role: Parameters<typeof takeFetcherRole>[0]) => Promise<HeldRole>;
interface HeldRole {
  /** Absent: as soon as it is held. */
  ready?(): Promise<void>;
  stop(): Promise<void>;
}

/** Pause before a role is taken again that a broker's absence has ended. */
const againMs = 2_000;

export async function runRole(flags: KafkaFlags, take: TakeRole): Promise<void> {
  const clock = new SystemClock();
  const stop = new AbortController();
  const release = stopOnSignals(stop, 'stopping: handing over');
  try {
    while (!stop.signal.aborted) {
      try {
        await withKafka(flags, clock, true, (connection) => holdRole(connection, clock, flags, take, stop.signal));
      } catch (error) {
        if (!(error instanceof CrawlstreamError && error.retriable) || stop.signal.aborted) throw error;
        process.stderr.write(`crawlstream: ${error.message}; starting again\n`);
        await clock.sleepUntil(clock.nowMs() + againMs, stop.signal);
      }
    }
  } finally {
    release();
  }
}

async function holdRole(
  connection: Parameters<Parameters<typeof withKafka>[3]>[0],
  clock: SystemClock,
  flags: KafkaFlags,
  take: TakeRole,
  signal: AbortSignal,
): Promise<void> {
  let fail: (error: unknown) => void = () => {};
  const stopped = new Promise<void>((resolve, reject) => {
    fail = reject;
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
  stopped.catch(() => {});
  const held = await take({ ...connection, clock, flags, onFailure: fail });
  try {
    await Promise.race([held.ready?.(), stopped]);
    if (!signal.aborted) process.stderr.write(`crawlstream: ready, crawl ${connection.manifest.crawl}\n`);
    if (!signal.aborted) await stopped;
  } finally {
    await held.stop();
  }
}
