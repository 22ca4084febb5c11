/**
 * `crawlstream state at`: the frontier as it was, built from its changelog up to a moment, in a scratch folder. It
 * prints its status, answers for one host or URL, or serves the query endpoints until it is stopped. The live state is
 * not touched, and no process has to stop for it.
 */
import type { Command } from 'commander';
import { CrawlstreamError } from '../../../topology/errors.ts';
import { answerHost, answerUrl } from '../../../topology/frontier/ask/queries.ts';
import type { FrontierState } from '../../../topology/frontier/state/state.ts';
import { hostKeyOf, partitionKeyOf } from '../../../topology/url/host-key.ts';
import { compileNormalizer } from '../../../topology/url/normalize.ts';
import { partitionOf } from '../../../topology/url/partition.ts';
import { withScheme } from '../../../topology/url/seed.ts';
import { rebuild } from '../../frontier/open/rebuild.ts';
import { type PastState, PastStates } from '../../frontier/query/past-states.ts';
import { queryRoutes } from '../../frontier/query/query-routes.ts';
import { runJob } from '../../frontier/restore/job-runner.ts';
import { changelogTopic } from '../../frontier/restore/restore.ts';
import { type HttpFlags, withHttp } from '../../hosting/options/http-side.ts';
import { printRestore } from '../../hosting/progress/restore-text.ts';
import { withSnapshots } from '../../hosting/state/open-snapshot-repository.ts';
import {
  identityOf,
  partitionsOf,
  type StateFlags,
  type StateSource,
  statusOf,
  withScratch,
} from '../../hosting/state/state-source.ts';
import { counted } from '../../runtime/counted.ts';
import { toStderr, toStdout } from '../../runtime/logging/door.ts';
import { stopOnSignals } from '../../runtime/stop-signals.ts';
import { moment, wholeNumber } from '../flags/arguments.ts';
import { addHttpOption } from '../flags/http-flags.ts';

export interface AtFlags extends StateFlags, HttpFlags {
  readonly time?: number;
  readonly offset?: number;
  readonly snapshots?: string;
  readonly url?: string;
  readonly host?: string;
}

/** On a command that has the options of `state`. */
export function addAtOptions(command: Command): Command {
  return addHttpOption(
    command
      .description('open an earlier state of the frontier: print it, or answer queries')
      .option('--time <when>', 'state at this time, as in 2026-01-31T12:00:00Z', moment('--time'))
      .option('--offset <n>', 'state before this offset of the changelog, of one --partition', wholeNumber('--offset'))
      .option('--url <url>', 'also print the state of this URL at that time, as JSON')
      .option('--host <key>', 'show the state of this host'),
  );
}

export async function runAt(source: StateSource, flags: AtFlags): Promise<void> {
  const wanted = wantedPartitions(source, flags);
  const tos: { readonly partition: number; readonly to: number }[] = [];
  for (const partition of wanted) tos.push({ partition, to: await endOf(source, partition, flags) });
  await withPast(source, tos, flags.snapshots, async (pasts) => {
    const partitions = pasts.map(({ partition, state }) => ({ ...statusOf(partition, state), ...howItStood(state) }));
    const answers = await answersTo(pasts, flags);
    if (flags.json) toStdout(`${JSON.stringify({ partitions, ...answers })}\n`);
    else {
      for (const one of partitions) toStdout(`${textOf(one)}\n`);
      for (const answer of Object.values(answers)) toStdout(`${JSON.stringify(answer, null, 2)}\n`);
    }
    if (flags.http !== undefined) await serve(source, pasts, partitions, flags);
  });
}

/** A query for one host or URL needs only its partition. */
function wantedPartitions(source: StateSource, flags: AtFlags): number[] {
  if ((flags.time === undefined) === (flags.offset === undefined))
    throw new CrawlstreamError(
      'INVALID_ARGUMENT',
      'no point in time is given: add --time, or --offset with --partition',
    );
  if (flags.offset !== undefined && flags.partition === undefined)
    throw new CrawlstreamError('INVALID_ARGUMENT', '--partition is missing: an offset belongs to one partition');
  const asked = flags.host ?? flags.url;
  if (asked === undefined || flags.partition !== undefined) return partitionsOf(source, flags);
  const { keyMode, partitions } = source.manifest;
  return [partitionOf(partitionKeyOf(hostKeyOf(normalOf(asked)), keyMode), partitions)];
}

/** The first record of the changelog after the wanted ones. */
async function endOf({ log, manifest }: StateSource, partition: number, { time, offset }: AtFlags): Promise<number> {
  if (offset !== undefined) return offset;
  return log.offsetAt(changelogTopic(manifest.crawl), partition, time! + 1);
}

/** All of them open at once, one within another. */
async function withPast(
  source: StateSource,
  [next, ...others]: readonly { readonly partition: number; readonly to: number }[],
  snapshots: string | undefined,
  act: (pasts: readonly PastState[]) => Promise<void>,
  open: readonly PastState[] = [],
): Promise<void> {
  if (next === undefined) return act(open);
  const { partition, to } = next;
  const options = { ...source, identity: identityOf(source, partition), to, onProgress: printRestore };
  return withSnapshots(source, partition, snapshots, (found) =>
    withScratch(async (store) => {
      const state = await rebuild({ ...options, ...found, store });
      return withPast(source, others, snapshots, act, [...open, { partition, state, store }]);
    }),
  );
}

function howItStood({ nowMs, policyVersion, counters }: FrontierState) {
  return { time: nowMs === 0 ? null : new Date(nowMs).toISOString(), policyVersion, counters: { ...counters } };
}

function textOf(one: ReturnType<typeof statusOf> & ReturnType<typeof howItStood>): string {
  const { partition, position, digest, time, counters } = one;
  const { hosts, admitted, queued, leased, retrying, deferred, page, redirected, denied, failed, dead } = counters;
  const ended = `${counted(page, 'page')}, ${redirected + denied + failed + dead} ended otherwise`;
  const waits = `${queued} queued, ${leased} leased, ${retrying} retrying, ${deferred} deferred`;
  return `partition ${partition} at ${position}, ${time ?? 'before its first commit'}: ${digest}
  ${counted(admitted, 'URL')} of ${counted(hosts, 'host')}: ${waits}, ${ended}`;
}

async function answersTo(pasts: readonly PastState[], { url, host }: AtFlags): Promise<Record<string, unknown>> {
  const [past] = pasts;
  const answers: Record<string, unknown> = {};
  if (past === undefined) return answers;
  const { state, store } = past;
  if (host !== undefined)
    answers['host'] = await runJob(store, answerHost(state, hostKeyOf(normalOf(host)), 20, { frontQueue: 0, seq: 0 }));
  if (url !== undefined) answers['url'] = await runJob(store, answerUrl(state, normalOf(url)));
  return answers;
}

const normalize = compileNormalizer();

function normalOf(given: string): string {
  const normal = normalize(withScheme(given));
  if (normal !== null) return normal;
  throw new CrawlstreamError('INVALID_ARGUMENT', `${given} cannot be crawled: crawlstream check url shows why`);
}

async function serve(
  { manifest }: StateSource,
  pasts: readonly PastState[],
  partitions: readonly object[],
  flags: AtFlags,
): Promise<void> {
  const queries = new PastStates(pasts);
  const queried = {
    partitions: manifest.partitions,
    keyMode: manifest.keyMode,
    queries,
    places: async () => ({ partitions, ageMs: 0 }),
    own: () => [],
  };
  const say = (text: string) => toStderr(`${text}\n`);
  const stop = new AbortController();
  const forget = stopOnSignals(stop, 'stopping', say);
  try {
    await withHttp(flags, { role: 'past', routes: [queryRoutes(() => queried)], say }, async ({ probes }) => {
      probes.serve(() => null);
      await new Promise<void>((resolve) => stop.signal.addEventListener('abort', () => resolve(), { once: true }));
    });
  } finally {
    forget();
  }
}
