/** Runs a role of a crawl on Kafka until it is stopped, over outages of the brokers. */

import { CrawlstreamError, type ErrorCode } from '../../../topology/errors.ts';
import type { LeaseClients } from '../../application/extension/lease-clients.ts';
import { contactHosts } from '../../application/fleet-access.ts';
import { recordPlugins } from '../../application/plugin/record-plugins.ts';
import * as topology from '../../application/topology.ts';
import { SystemClock } from '../../runtime/clock.ts';
import { hasRoom, isDiskFull } from '../../runtime/data-folder/disk-room.ts';
import type { Routes } from '../../runtime/http/http-server.ts';
import type { Log } from '../../runtime/log/log.ts';
import { say, sayOf, timeLines } from '../../runtime/logging/say.ts';
import { awayAfter, type Service } from '../../runtime/metrics/service.ts';
import { stopOnSignals } from '../../runtime/stop-signals.ts';
import { watchCluster } from '../connect/cluster-watch.ts';
import { cutShort, isCutShort } from '../connect/cut-short.ts';
import { type KafkaConnection, withKafka } from '../connect/kafka-connection.ts';
import { ownFolderPath } from '../connect/own-folder.ts';
import { refuseOfFleet } from '../connect/refuse-of-fleet.ts';
import type { KafkaFlags } from '../options/crawl-place.ts';
import { type FetcherFlags, fetcherConfig, needContact } from '../options/fetching.ts';
import { type HttpFlags, withHttp } from '../options/http-side.ts';
import type { MemberFlags } from '../options/member.ts';
import { openFetcherPlugins, type PluginFlags } from '../options/plugins.ts';
import type { SeenFlags } from '../options/seen.ts';
import type { SnapshotRoleFlags } from '../options/snapshots.ts';
import { type OtlpFlags, withTracing } from '../options/tracing.ts';
import type { QueryService } from './query-service.ts';
import { sayNotes } from './say-notes.ts';
import { takeFetcherRole, takeFrontierRole } from './take-role.ts';

/** `clients` undefined: this program has no lease clients. */
export async function keepFetcher(
  flags: RoleFlags & FetcherFlags & PluginFlags,
  clients: LeaseClients | undefined,
): Promise<void> {
  needContact(flags, []);
  const plugins = await openFetcherPlugins(flags);
  const lending = clients?.open(flags, flags.http !== undefined, new SystemClock());
  const outside = lending?.outside;
  const take: TakeRole = async (role) => {
    await recordPlugins(role, topology.fetcher, plugins.loaded);
    lending?.open({ ...role, topics: role.manifest });
    return takeFetcherRole(role, { ...fetcherConfig(flags), ...plugins.hooks, say: sayOf('fetcher'), outside });
  };
  const routes = lending === undefined ? [] : [lending.routes];
  const run = () => runRole('fetcher', flags, take, routes);
  await (lending === undefined ? run() : lending.serve(say, run));
}

export function keepFrontier(flags: FrontierFlags, queries: QueryService): Promise<void> {
  return runRole('frontier', flags, (role) => takeFrontierRole({ ...role, flags, queries }), [queries.routes]);
}

export type FrontierFlags = RoleFlags & SeenFlags & MemberFlags & SnapshotRoleFlags;

type TakeRole = (role: Parameters<typeof takeFetcherRole>[0]) => Promise<HeldRole>;

interface HeldRole {
  /** Resolves when the role is ready. Absent: it is ready at once. */
  ready?(): Promise<void>;
  /** The reason for its present wait, after it was ready; null: none. Absent: it never waits. */
  waitsFor?(): string | null;
  /** The reason why other members should not stop yet, although this one is ready; null: none. Absent: never any. */
  warms?(): string | null;
  /** A note for the operator although the role is ready; null: none. */
  note?(): string | null;
  stop(): Promise<void>;
}

/** Pause before a role that a broker's absence has ended is taken again. */
const againMs = 2_000;

/**
 * A role that is stopped has this long to hand over, ms: a request under way ends within 30 s. With what closing the log
 * may take it is less than the minute that orchestrators grant (deploy/).
 */
const stopMs = 40_000;

export interface RoleFlags extends KafkaFlags, HttpFlags, OtlpFlags {}

/** `name`: the role's, in metrics. `routes`: its HTTP routes beside probes and metrics. */
export async function runRole(
  name: string,
  flags: RoleFlags,
  take: TakeRole,
  routes: readonly Routes[] = [],
): Promise<void> {
  const stop = new AbortController();
  // This precedes the line with the address, since a reader of that line may stop the process at once.
  const release = stopOnSignals(stop, 'stopping: handing over');
  const untime = timeLines();
  try {
    await withHttp(flags, { role: name, routes, say }, (service) =>
      withTracing(flags, service, say, () => keepRole(name, flags, service, take, stop.signal)),
    );
  } finally {
    untime();
    release();
  }
}

async function keepRole(
  name: string,
  flags: RoleFlags,
  service: Service,
  take: TakeRole,
  signal: AbortSignal,
): Promise<void> {
  const clock = new SystemClock();
  service.crawl = flags.crawl;
  let before: ErrorCode | undefined;
  while (!signal.aborted) {
    if (before === undefined) service.probes.suspend('connecting to the brokers');
    try {
      const hold = (connection: KafkaConnection) => {
        before = undefined;
        return holdRole({ ...connection, clock, flags, service }, take, signal);
      };
      if (contactHosts.has(name)) refuseOfFleet(flags.crawl);
      await withKafka(flags, clock, name === 'frontier' ? true : 'joins', hold, signal);
    } catch (error) {
      service.forget();
      // Either nothing was under way, or its outcome was reported.
      if (signal.aborted && isCutShort(error)) return;
      const folder = ownFolderPath(flags, flags.crawl);
      const { code, why } = mendable(error, folder);
      // It is printed once, however often it is tried and in whatever words it fails; probes report it all the time.
      if (code !== before) say(`${why}; retrying`, 'warn', { component: 'brokers', code });
      before = code;
      service.probes.suspend(why);
      service.away = () => awayAfter(code);
      do await clock.sleepUntil(clock.nowMs() + againMs, signal);
      while (code === 'DISK_FULL' && !signal.aborted && !(await hasRoom([folder, ...service.disks.values()])));
    }
  }
}

/**
 * Returns an error that a person or time may fix while this process runs; throws any other. `folder`: of this process.
 */
function mendable(error: unknown, folder: string): { readonly code: ErrorCode; readonly why: string } {
  if (isDiskFull(error)) {
    return {
      code: 'DISK_FULL',
      why: `the disk of ${folder} is full: work that needs space waits; free some. Nothing is lost`,
    };
  }
  if (!(error instanceof CrawlstreamError && error.retriable)) throw error;
  return { code: error.code, why: error.message };
}

async function holdRole(
  role: Omit<Parameters<TakeRole>[0], 'onFailure'>,
  take: TakeRole,
  signal: AbortSignal,
): Promise<void> {
  const { log, codec, clock, manifest, service } = role;
  let fail: (error: unknown) => void = () => {};
  const stopped = new Promise<void>((resolve, reject) => {
    fail = reject;
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
  stopped.catch(() => {});
  codec.waits.onWait = ({ message, code }) =>
    say(`${message}; retrying until it is available`, 'warn', { component: 'brokers', code });
  service.probes.suspend('joining the group');
  const cluster = watchCluster({ ...role, say: sayOf('crawl') });
  service.away = cluster.away;
  service.sources.add(cluster.metrics);
  service.partitions = manifest.partitions;
  const held = await cutShort(signal, log, () => take({ ...role, onFailure: fail })).catch(async (error) => {
    await cluster.stop();
    throw error;
  });
  service.probes.serve(
    () => cluster.waitsFor() ?? held.waitsFor?.() ?? null,
    () => cluster.note(held.note?.()),
    () => held.warms?.() ?? null,
  );
  const noting = sayNotes({
    note: () => (cluster.waitsFor() === null ? (held.note?.() ?? null) : undefined),
    ...{ clock, signal, say: sayOf('crawl') },
  });
  try {
    await Promise.race([held.ready?.(), stopped]);
    if (!signal.aborted) say(`ready, crawl ${manifest.crawl}`, 'info', { crawl: manifest.crawl });
    if (!signal.aborted) await stopped;
  } finally {
    service.probes.suspend('stopping');
    noting.end();
    await cluster.stop();
    await handOver(held, log);
  }
}

async function handOver(held: HeldRole, log: Pick<Log, 'close'>): Promise<void> {
  try {
    await cutShort(AbortSignal.timeout(stopMs), log, () => held.stop());
  } catch (error) {
    if (!isCutShort(error)) throw error;
    const text = `some leases were not handed over (${error.message}): other processes repeat them after they expire`;
    say(text, 'warn');
  }
}
