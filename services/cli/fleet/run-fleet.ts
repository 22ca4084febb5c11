/** Runs a fleet in this process until it is stopped. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { CrawlstreamError } from '../../../topology/errors.ts';
import { crawlLimits } from '../../../topology/policy/crawl-limits.ts';
import type { Processor } from '../../application/processor/processor.ts';
import type { FetcherConfig } from '../../fetcher/fetcher-config.ts';
import { createAddressPacer } from '../../fetcher/pace/address-pacer.ts';
import { createFleetPace } from '../../fetcher/pace/fleet-pace.ts';
import { createSharedRobots } from '../../fetcher/robots/shared-robots.ts';
import type { FleetDesk } from '../../fleet/api/fleet-routes.ts';
import { CrawlFiles } from '../../fleet/crawl-file.ts';
import { EventReader } from '../../fleet/events/event-reader.ts';
import { EventStreams } from '../../fleet/events/event-streams.ts';
import { Fleet } from '../../fleet/fleet.ts';
import { fleetServiceLimits } from '../../fleet/fleet-service-limits.ts';
import { openHostFacts } from '../../fleet/host-facts.ts';
import { KeptPages } from '../../fleet/kept-pages.ts';
import { noteLeastWait } from '../../fleet/least-waits.ts';
import { OutputSender } from '../../fleet/outputs/send-output.ts';
import { Callers } from '../../fleet/owners/callers.ts';
import { followOwners } from '../../fleet/owners/follow-owners.ts';
import { keepQuotas } from '../../fleet/owners/keep-quotas.ts';
import type { Owner } from '../../fleet/owners/owner-file.ts';
import { Quotas } from '../../fleet/owners/quotas.ts';
import type { ReadLog } from '../../fleet/running-crawl.ts';
import { PageDesk } from '../../fleet/scrape/page-desk.ts';
import { WebhookSender } from '../../fleet/webhooks/webhook-sender.ts';
import { SystemClock } from '../../runtime/clock.ts';
import { openDataFolder, readDataFolder } from '../../runtime/data-folder/data-folder.ts';
import type { Routes } from '../../runtime/http/http-server.ts';
import type { Service } from '../../runtime/metrics/service.ts';
import { type Journal, openJournal } from '../../runtime/store/journal/journal.ts';
import { productVersion } from '../../runtime/version.ts';
import { logFolder } from '../connect/crawl-folder.ts';
import { newCrawl } from '../connect/new-crawl.ts';
import { withCrawl } from '../connect/open-crawl.ts';
import { withStores } from '../connect/stores.ts';
import { fetcherConfig, needContact } from '../flags/fetcher-flags.ts';
import { withHttp } from '../flags/http-flags.ts';
import { explainer } from '../inspect/explain-command.ts';
import { say } from '../terminal/say.ts';
import { stopOnSignals } from '../terminal/stop-signals.ts';
import type { CrawlDashboards } from './crawl-dashboards.ts';
import type { FleetFlags } from './fleet-flags.ts';
import { fleetPolicy } from './fleet-policy.ts';
import { startFleetCrawl } from './start-fleet-crawl.ts';
import { checkWebhook, webhookPost } from './webhook-post.ts';

export interface FleetCommand {
  readonly role: string;
  /** What it answers by HTTP. The desk throws OWNERSHIP_LOST while the fleet is not up. */
  routes(desk: () => FleetDesk, callers: Callers | null): readonly Routes[];
  /** Reads whose crawls they are; it is asked again and again. Absent: nobody has a key of their own. */
  readonly owners?: (() => readonly Owner[]) | undefined;
  /** What all its crawls take from pages. */
  readonly extract?: FetcherConfig['extract'];
  /** Consumers that run beside each crawl. */
  readonly processors?: readonly Processor[];
  /** Where each crawl that runs is shown. */
  readonly dashboards: CrawlDashboards;
  /** Beside the HTTP side; the fleet stops once it resolves. Absent: it stops by a signal alone. */
  serve?(desk: () => FleetDesk, signal: AbortSignal): Promise<void>;
}

export async function runFleet(flags: FleetFlags, command: FleetCommand): Promise<void> {
  if (existsSync(join(flags.data, 'manifest.json'))) {
    const message = `--data ${flags.data} is the data folder of one crawl: give a folder for the fleet, new or its own`;
    throw new CrawlstreamError('INVALID_ARGUMENT', message);
  }
  const stop = new AbortController();
  const release = stopOnSignals(stop, 'stopping: finishing requests under way');
  let desk: FleetDesk | undefined;
  const needDesk = () => {
    if (desk === undefined)
      throw new CrawlstreamError('OWNERSHIP_LOST', 'the fleet is not up yet: ask again in a moment');
    return desk;
  };
  let isLeft = false;
  try {
    await withStores(async (open) => {
      // Its lock keeps a second process out of the fleet's folder.
      const store = await open(join(flags.data, 'hosts'));
      const token = process.env['CRAWLSTREAM_HTTP_TOKEN'] || undefined;
      const owners = command.owners?.();
      const callers = owners === undefined ? null : new Callers(owners, token, new SystemClock());
      const side = { role: command.role, routes: command.routes(needDesk, callers), say };
      await withHttp(flags, side, (service) => serve(service));

      async function serve(service: Service): Promise<void> {
        const clock = new SystemClock();
        const { journalMs: intervalMs, journalFileBytes: fileBytes } = fleetServiceLimits;
        const journal = await openJournal(join(flags.data, 'journal'), clock, { intervalMs, fileBytes });
        const files = new CrawlFiles(flags.data, (path) => forgetJournaled(journal, path));
        const before = await files.list();
        const facts = await openHostFacts(store, clock.nowMs());
        await noteLeastWait(flags.data, { sinceMs: clock.nowMs(), ms: flags.hostDelay });
        const pace = createFleetPace({
          clock,
          requestsMax: flags.inFlight,
          hostDelayMs: flags.hostDelay,
          isResumed: before.length > 0,
          facts: facts.known,
          onFact: (hostKey, fact) => facts.note(hostKey, fact, clock.nowMs()),
        });
        const byAddress = createAddressPacer(clock, crawlLimits.addressDelayMs, () => 1);
        const { extract } = command;
        const options = {
          pace,
          robots: createSharedRobots(clock),
          // One for all, which no crawl's policy changes.
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
          journal,
          seen: flags,
          keepMs: flags.keep ?? null,
          snapshots: flags,
          say,
        };
        const quotas = owners === undefined ? null : await Quotas.open(flags.data, owners, clock);
        const fleet = new Fleet({
          files,
          clock,
          say,
          check(call) {
            const { seeds, policy } = fleetPolicy(call.seeds, call.policy);
            needContact(flags, seeds);
            if (call.webhook !== undefined) checkWebhook(flags, call.webhook.url);
            return { seeds, policy: { ...policy } };
          },
          make: (path, name) =>
            openDataFolder(path, {}, { defaults: newCrawl(name, 1), createdBy: productVersion, clock }).then(() => {}),
          start: (file, path) => startFleetCrawl(options, file, path),
          pagesEnd: (path) => reading(path, async ({ log, crawl }) => (await log.offsets(`${crawl}.pages`, 0)).end),
          webhookOf: (file) => webhooks.status(file),
          async onDelete(name) {
            quotas?.look(fleet.list());
            await webhooks.forget(name);
          },
          heldFor: (owner) => quotas?.spent(owner) ?? null,
        });
        const kept = new KeptPages();
        const events = new EventReader({ fleet, kept, reading });
        const webhooks = new WebhookSender({ fleet, events, clock, say, post: webhookPost(flags) });
        const streams = new EventStreams(clock);
        const pages = new PageDesk({ fleet, clock, reading, explain });
        const requestsInFlight = () => pace.requestsInFlight;
        const outputs = new OutputSender();
        desk = { fleet, requestsInFlight, reading, kept, events, streams, quotas, explain, pages, outputs };
        const stopping = new AbortController();
        let posting: Promise<void> | undefined;
        let counting: Promise<unknown> | undefined;
        try {
          const opened = fleet.open(before);
          if (command.owners !== undefined && owners !== undefined && callers !== null && quotas !== null) {
            const following = { owners, read: command.owners, callers, quotas, clock, say };
            counting = Promise.all([
              keepQuotas({ fleet, quotas, clock, say }, stopping.signal),
              followOwners(following, stopping.signal),
            ]);
          }
          posting = webhooks.run();
          posting.catch(() => {});
          service.probes.serve(() => null);
          say(`${before.length} crawls in ${flags.data}`);
          const stopped = new Promise<void>((resolve) => {
            if (stop.signal.aborted) resolve();
            else stop.signal.addEventListener('abort', () => resolve(), { once: true });
          });
          const left = command.serve?.(needDesk, stop.signal).then(() => {
            isLeft = !stop.signal.aborted;
          });
          await Promise.race([Promise.all([opened, stopped]), ...(left === undefined ? [] : [left])]);
        } finally {
          service.probes.suspend('stopping');
          streams.close();
          webhooks.stop();
          // What is not answered by then is posted again after the next start.
          await Promise.race([posting, clock.sleepUntil(clock.nowMs() + fleetServiceLimits.graceMs)]);
          stopping.abort();
          await counting;
          await fleet.stop();
          quotas?.look(fleet.list());
          await quotas?.write(true);
          pace.close();
          await facts.settled();
          await journal.close();
        }
      }
    });
  } finally {
    release();
  }
  process.exitCode = isLeft ? 0 : 130;
}

/** What the journal has kept of a crawl that is deleted before it ran again. */
async function forgetJournaled(journal: Journal, path: string): Promise<void> {
  if (!journal.isOwing) return;
  try {
    const place = logFolder(await readDataFolder(path));
    await withStores(async (open) => journal.forget(await open(place, { readOnly: true })));
  } catch (error) {
    // Its frames stay until none of the others is owed any.
    say(`the journal keeps what it has of a crawl that is deleted: ${(error as Error).message}`);
  }
}

/** What it rejects with names no other folder: owners may be told of it. */
async function reading<T>(path: string, act: (reads: ReadLog) => Promise<T>): Promise<T> {
  if (!existsSync(join(path, 'manifest.json')))
    throw new CrawlstreamError('OWNERSHIP_LOST', 'this crawl is being deleted: ask again in a moment');
  return withCrawl({ data: path } as Parameters<typeof withCrawl>[0], ({ log, codec, topics }) =>
    act({ log, codec, crawl: topics.crawl }),
  );
}

function explain(path: string, url: string): Promise<readonly (readonly [name: string, value: string])[]> {
  return withCrawl({ data: path } as Parameters<typeof withCrawl>[0], async (crawl) => {
    const { lines } = await explainer(crawl, { data: path })(url);
    return lines.flatMap(([name, value]) => (value === null ? [] : [[name, value] as const]));
  });
}
