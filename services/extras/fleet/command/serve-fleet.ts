/** Runs a fleet in this process: its crawls, the parts that they share, and their status. */
import { basename, join } from 'node:path';
import { crawlLimits } from '../../../../topology/policy/crawl-limits.ts';
import type { Processor } from '../../../application/processor/processor.ts';
import type { FetcherConfig } from '../../../fetcher/fetcher-config.ts';
import { createAddressPacer } from '../../../fetcher/pace/address-pacer.ts';
import { createFleetPace, type FleetPace } from '../../../fetcher/pace/fleet-pace.ts';
import { LoopShares } from '../../../fetcher/pace/loop-shares.ts';
import { createSharedRobots } from '../../../fetcher/robots/shared-robots.ts';
import { fetcherConfig, needContact } from '../../../hosting/options/fetching.ts';
import { type Clock, SystemClock } from '../../../runtime/clock.ts';
import { counted } from '../../../runtime/counted.ts';
import { say } from '../../../runtime/logging/say.ts';
import { LoopWatch } from '../../../runtime/loop/loop-watch.ts';
import type { Service } from '../../../runtime/metrics/service.ts';
import type { Journal } from '../../../runtime/store/journal/journal.ts';
import type { StateStore } from '../../../runtime/store/store.ts';
import type { FleetParts } from '../api/fleet-parts.ts';
import type { CrawlFile, CrawlKeep } from '../crawl-file.ts';
import type { Documents } from '../documents/documents.ts';
import { EventReader } from '../events/event-reader.ts';
import { EventStreams } from '../events/event-streams.ts';
import { Fleet, type FleetOptions } from '../fleet.ts';
import type { CreateCall } from '../fleet-schemas.ts';
import { openHostFacts } from '../host-facts.ts';
import { KeptPages } from '../kept-pages.ts';
import { noteLeastWait } from '../least-waits.ts';
import { DeletedKeys } from '../made-before.ts';
import { OutputSender } from '../outputs/send-output.ts';
import type { Callers } from '../owners/callers.ts';
import { followOwners } from '../owners/follow-owners.ts';
import { keepQuotas } from '../owners/keep-quotas.ts';
import type { Owner } from '../owners/owner-file.ts';
import { Quotas } from '../owners/quotas.ts';
import { reasonsIn } from '../scrape/no-page.ts';
import { PageScraper } from '../scrape/page-scraper.ts';
import { CallShares } from '../shares/call-shares.ts';
import { shareLimits } from '../shares/share-limits.ts';
import { StartTurns } from '../shares/start-turns.ts';
import { holdStopper } from '../shares/stopped-process.ts';
import { Stops } from '../shares/stops.ts';
import { WebhookSender } from '../webhooks/webhook-sender.ts';
import type { CrawlDashboards } from './crawl-dashboards.ts';
import type { FleetFlags } from './fleet-flags.ts';
import { fleetPolicy } from './fleet-policy.ts';
import { type CrawlData, type FleetCrawlOptions, startFleetCrawl } from './start-fleet-crawl.ts';
import { checkWebhook, webhookPost } from './webhook-post.ts';

/** Most seeds of a crawl without a page that its answer explains. */
const explainedSeedsMax = 3;

/** The storage of a fleet: a folder, or Kafka. */
export interface FleetPlace extends Pick<FleetParts, 'reading' | 'explain'> {
  /** Name of the storage, for messages. */
  readonly name: string;
  readonly documents: Documents;
  readonly files: CrawlKeep;
  /** Store of the hosts' pauses and Crawl-delays. */
  readonly facts: Pick<StateStore, 'scan' | 'write'>;
  readonly data: CrawlData;
  /** Makes the data of a new crawl. */
  make(path: string, file: CrawlFile): Promise<void>;
  /** Throws INVALID_ARGUMENT if such a crawl cannot be stored. Absent: every crawl can. */
  check?(call: CreateCall): void;
  readonly journal?: Journal;
  /** File in which the watch of the event loop notes the name of a crawl. */
  readonly loopNote: string;
  /** As in FleetPaceOptions. */
  readonly mayContact?: () => boolean;
  readonly graceMs: number;
  /** As in FleetCrawlOptions. */
  readonly elsewhere?: FleetCrawlOptions['elsewhere'];
}

export interface ServedFleet {
  readonly flags: FleetFlags;
  readonly command: {
    readonly extract?: FetcherConfig['extract'];
    readonly processors?: readonly Processor[];
    readonly dashboards: CrawlDashboards;
    readonly owners?: (() => readonly Owner[]) | undefined;
    serve?(parts: () => FleetParts, signal: AbortSignal, address: string | null): Promise<void>;
  };
  readonly owners: readonly Owner[] | undefined;
  readonly callers: Callers | null;
  readonly service: Service;
  /** Called with the parts when the fleet is up, and with undefined when it is down. */
  onParts(parts: FleetParts | undefined): void;
  /** Aborted when the fleet must stop. */
  readonly signal: AbortSignal;
}

/** Returns true if the command's own server has ended. */
export async function serveFleet(served: ServedFleet, place: FleetPlace): Promise<boolean> {
  const { files } = place;
  const watch = new LoopWatch(place.loopNote);
  const stops = await Stops.open(place.documents, new SystemClock(), say);
  const before = await holdStopper(await files.list(), watch.verdict, files, stops, say);
  await watch.start((error) => say(`the event loop is not watched: ${error.message}`));
  try {
    return await serveWatched(served, place, { watch, stops }, before);
  } finally {
    await watch.close();
  }
}

async function serveWatched(
  served: ServedFleet,
  place: FleetPlace,
  { watch, stops }: { readonly watch: LoopWatch; readonly stops: Stops },
  before: readonly CrawlFile[],
): Promise<boolean> {
  const { flags, owners, service, onParts } = served;
  const { documents, journal } = place;
  const clock = new SystemClock();
  const facts = await openHostFacts(place.facts, clock.nowMs());
  await noteLeastWait(documents, { sinceMs: clock.nowMs(), ms: flags.hostDelay });
  const loop = new LoopShares();
  const pace = createFleetPace({
    clock,
    requestsMax: flags.inFlight,
    hostDelayMs: flags.hostDelay,
    isResumed: before.length > 0,
    ...(place.mayContact && { mayContact: place.mayContact }),
    facts: facts.known,
    loop,
    onFact: (hostKey, fact) => facts.note(hostKey, fact, clock.nowMs()),
  });
  const options = crawlOptions(served, place, { clock, pace, watch });
  const quotas = owners === undefined ? null : await Quotas.open(documents, owners, clock);
  const deletedKeys = new DeletedKeys(documents, clock);
  await deletedKeys.open();
  const start: FleetOptions['start'] = (...of) => startFleetCrawl(options, ...of);
  const { fleet, webhooks, ...shared } = assembled(flags, place, { clock, quotas, deletedKeys, stops, loop, start });
  const outputs = await OutputSender.open(join(flags.data, 'outputs'));
  const calls = new CallShares(loop, clock);
  const parts = { fleet, requestsInFlight: () => pace.requestsInFlight, ...shared, quotas, outputs, calls };
  onParts(parts);
  service.sources.add((report) => report.value('crawlstream_fleet_held_crawls', fleet.heldForGood));
  service.sources.add((report) => {
    for (const { owner, usedMs, heldMs } of loop.byOwner()) {
      report.value('crawlstream_fleet_owner_loop_seconds_total', usedMs / 1_000, { owner });
      report.value('crawlstream_fleet_owner_held_seconds_total', heldMs / 1_000, { owner });
    }
  });
  const stopping = new AbortController();
  let posting: Promise<void> | undefined;
  let counting: Promise<unknown> | undefined;
  try {
    const opened = fleet.open(before);
    counting = quotas === null ? undefined : countOwners(served, { fleet, quotas, clock }, stopping.signal);
    posting = webhooks.run();
    posting.catch(() => {});
    service.probes.serve(() => null);
    say(`${counted(before.length, 'crawl')} in ${place.name}`);
    return await untilLeft(served, parts, opened);
  } finally {
    service.probes.suspend('stopping');
    parts.streams.close();
    webhooks.stop();
    // Unanswered posts are repeated after the next start.
    await Promise.race([posting, clock.sleepUntil(clock.nowMs() + place.graceMs)]);
    stopping.abort();
    await counting;
    await fleet.stop();
    onParts(undefined);
    pace.close();
    quotas?.look(fleet.list());
    await quotas?.write(true);
    await facts.settled();
    await journal?.close();
  }
}

/** The options that the crawls share. */
function crawlOptions(
  { flags, command }: ServedFleet,
  { data, journal, graceMs, elsewhere }: FleetPlace,
  { clock, pace, watch }: { readonly clock: Clock; readonly pace: FleetPace; readonly watch: LoopWatch },
): FleetCrawlOptions {
  const byAddress = createAddressPacer(clock, crawlLimits.addressDelayMs, () => 1);
  const { extract } = command;
  return {
    pace,
    robots: createSharedRobots(clock),
    // One pacer for all crawls, unaffected by their policies.
    addressPacer: { active: true, size: 0, acquire: byAddress.acquire, setDelay() {} },
    fetcher: {
      ...fetcherConfig(flags),
      ...(extract !== undefined && { extract }),
      requestsMax: flags.inFlight,
      say,
    },
    processors: command.processors ?? [],
    leasesMax: flags.concurrency,
    dashboards: command.dashboards,
    starts: new StartTurns(clock),
    watch,
    ...{ data, journal, graceMs, elsewhere },
    seen: flags,
    keepMs: flags.keep ?? null,
    snapshots: flags,
    say,
  };
}

interface Made {
  readonly clock: Clock;
  readonly quotas: Quotas | null;
  readonly deletedKeys: DeletedKeys;
  readonly stops: Pick<Stops, 'holdOf'>;
  readonly loop: Pick<LoopShares, 'spend'>;
  readonly start: FleetOptions['start'];
}

/** Makes the fleet, and the parts that read its crawls. */
function assembled(flags: FleetFlags, place: FleetPlace, { clock, quotas, deletedKeys, stops, loop, start }: Made) {
  const { documents, files, reading } = place;
  const explain: FleetParts['explain'] = (path, urls) => {
    loop.spend(fleet.file(basename(path))?.owner ?? '', shareLimits.explainMs * urls.length);
    return place.explain(path, urls);
  };
  const onRead: FleetParts['onRead'] = (name, bytes) =>
    loop.spend(fleet.file(name)?.owner ?? '', (shareLimits.readMsPerMegabyte * bytes) / 1_000_000);
  const fleet = new Fleet({
    ...{ files, clock, say, deletedKeys, start },
    check(call, by) {
      place.check?.(call);
      const { seeds, policy } = fleetPolicy(call.seeds, call.policy, by);
      needContact(flags, seeds);
      if (call.webhook !== undefined) checkWebhook(flags, call.webhook.url);
      return { seeds, policy: { ...policy } };
    },
    make: place.make,
    pagesEnd: (path) => reading(path, async ({ log, crawl }) => (await log.offsets(`${crawl}.pages`, 0)).end),
    async whyNoPage({ seeds }, path) {
      const first = seeds.slice(0, explainedSeedsMax);
      const lines = await explain(path, first);
      return first.map((seed, at) => `${seed}: ${reasonsIn(lines[at]!) || 'no result'}`).join('\n');
    },
    webhookOf: (file) => webhooks.status(file),
    async onDelete(name) {
      quotas?.look(fleet.list());
      await webhooks.forget(name);
    },
    heldFor: (owner) => quotas?.spent(owner) ?? null,
    holdOf: (file) => stops.holdOf(file),
  });
  const kept = new KeptPages();
  const events = new EventReader({ fleet, kept, reading });
  const webhooks = new WebhookSender({ fleet, documents, events, clock, say, post: webhookPost(flags) });
  const streams = new EventStreams(clock);
  const pages = new PageScraper({ fleet, clock, reading, explain, onRead });
  return { fleet, webhooks, kept, events, streams, pages, reading, explain, onRead };
}

/** Counts pages against quotas, and follows the file of owners. undefined: there is none. */
function countOwners(
  { owners, command, callers }: ServedFleet,
  { fleet, quotas, clock }: { readonly fleet: Fleet; readonly quotas: Quotas; readonly clock: Clock },
  signal: AbortSignal,
): Promise<unknown> | undefined {
  if (command.owners === undefined || owners === undefined || callers === null) return undefined;
  const following = { owners, read: command.owners, callers, quotas, clock, say };
  return Promise.all([keepQuotas({ fleet, quotas, clock, say }, signal), followOwners(following, signal)]);
}

/** Resolves when the fleet must stop; with true if the command's own server has ended. */
async function untilLeft(
  { command, signal, service }: ServedFleet,
  parts: FleetParts,
  opened: Promise<unknown>,
): Promise<boolean> {
  let isLeft = false;
  const stopped = new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
  const left = command
    .serve?.(() => parts, signal, service.listensOn)
    .then(() => {
      isLeft = !signal.aborted;
    });
  await Promise.race([Promise.all([opened, stopped]), ...(left === undefined ? [] : [left])]);
  return isLeft;
}
