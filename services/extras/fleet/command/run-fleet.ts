/** Runs a fleet in a data folder, in this process, until it is stopped. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { CrawlstreamError } from '../../../../topology/errors.ts';
import type { Processor } from '../../../application/processor/processor.ts';
import type { FetcherConfig } from '../../../fetcher/fetcher-config.ts';
import { logFolder } from '../../../hosting/connect/crawl-folder.ts';
import { newCrawl } from '../../../hosting/connect/new-crawl.ts';
import { withCrawl } from '../../../hosting/connect/open-crawl.ts';
import { withStores } from '../../../hosting/connect/stores.ts';
import { explainEach } from '../../../hosting/inspect/explain.ts';
import { withHttp } from '../../../hosting/options/http-side.ts';
import { SystemClock } from '../../../runtime/clock.ts';
import { openDataFolder, readDataFolder } from '../../../runtime/data-folder/data-folder.ts';
import type { Routes } from '../../../runtime/http/http-server.ts';
import { say } from '../../../runtime/logging/say.ts';
import type { Service } from '../../../runtime/metrics/service.ts';
import { stopOnSignals } from '../../../runtime/stop-signals.ts';
import { type Journal, openJournal } from '../../../runtime/store/journal/journal.ts';
import { productVersion } from '../../../runtime/version.ts';
import type { FleetParts } from '../api/fleet-parts.ts';
import { CrawlFiles } from '../crawl-file.ts';
import { folderDocuments } from '../documents/folder-documents.ts';
import { fleetServiceLimits } from '../fleet-service-limits.ts';
import { Callers } from '../owners/callers.ts';
import type { Owner } from '../owners/owner-file.ts';
import type { ReadLog } from '../running-crawl.ts';
import type { CrawlDashboards } from './crawl-dashboards.ts';
import type { FleetFlags } from './fleet-flags.ts';
import { serveFleet } from './serve-fleet.ts';

export interface FleetCommand {
  readonly role: string;
  /** Routes of the HTTP API. `parts` throws NOT_READY until the fleet is up. */
  routes(parts: () => FleetParts, callers: Callers | null): readonly Routes[];
  /** Reads the crawls' owners; called repeatedly. Absent: owners have no keys. */
  readonly owners?: (() => readonly Owner[]) | undefined;
  /** Extraction settings of all its crawls. */
  readonly extract?: FetcherConfig['extract'];
  /** Consumers that run beside each crawl. */
  readonly processors?: readonly Processor[];
  /** Dashboards of the running crawls. */
  readonly dashboards: CrawlDashboards;
  /**
   * Work beside the HTTP API, once the fleet is up; the fleet stops once it resolves. `address`: of the API; null: it has
   * none. Absent: only a signal stops the fleet.
   */
  serve?(parts: () => FleetParts, signal: AbortSignal, address: string | null): Promise<void>;
}

export async function runFleet(flags: FleetFlags, command: FleetCommand): Promise<void> {
  const stop = new AbortController();
  const release = stopOnSignals(stop, 'stopping: finishing requests under way');
  let isLeft = false;
  try {
    isLeft = await keepFleet(flags, command, stop.signal);
  } finally {
    release();
  }
  process.exitCode = isLeft ? 0 : 130;
}

/** Resolves once it is stopped by `signal`, or, with true, once the command's own work is over. */
export async function keepFleet(flags: FleetFlags, command: FleetCommand, signal: AbortSignal): Promise<boolean> {
  if (existsSync(join(flags.data, 'manifest.json'))) {
    const message = `--data ${flags.data} is the data folder of a single crawl: give a new folder, or the folder of this fleet`;
    throw new CrawlstreamError('INVALID_ARGUMENT', message);
  }
  let parts: FleetParts | undefined;
  const needParts = () => {
    if (parts === undefined) throw new CrawlstreamError('NOT_READY', 'the fleet is starting: retry in a moment');
    return parts;
  };
  let isLeft = false;
  await withStores(async (open) => {
    // The lock of this store keeps a second process out of the fleet's folder.
    const store = await open(join(flags.data, 'hosts'));
    const token = process.env['CRAWLSTREAM_HTTP_TOKEN'] || undefined;
    const owners = command.owners?.();
    const callers = owners === undefined ? null : new Callers(owners, token, new SystemClock());
    const side = { role: command.role, routes: command.routes(needParts, callers), say };
    await withHttp(flags, side, (service) => serve(service));

    async function serve(service: Service): Promise<void> {
      const clock = new SystemClock();
      const { journalMs: intervalMs, journalFileBytes: fileBytes, graceMs } = fleetServiceLimits;
      const journal = await openJournal(join(flags.data, 'journal'), clock, { intervalMs, fileBytes });
      const onParts = (now: FleetParts | undefined) => {
        if (now !== undefined) parts = now;
      };
      const served = { flags, command, owners, callers, service, onParts, signal };
      isLeft = await serveFleet(served, {
        name: flags.data,
        documents: folderDocuments(flags.data),
        files: new CrawlFiles(flags.data, (path) => forgetJournaled(journal, path)),
        facts: store,
        loopNote: join(flags.data, 'loop.json'),
        data: { open: async (_, path) => ({ folder: await readDataFolder(path) }) },
        make: (path, { name }) =>
          openDataFolder(path, {}, { defaults: newCrawl(name, 1), createdBy: productVersion, clock }).then(() => {}),
        ...{ journal, graceMs, reading, explain },
      });
    }
  });
  return isLeft;
}

/** Drops the journaled writes of a crawl that is deleted before it runs again. */
async function forgetJournaled(journal: Journal, path: string): Promise<void> {
  if (!journal.isOwing) return;
  try {
    const place = logFolder(await readDataFolder(path));
    await withStores(async (open) => journal.forget(await open(place, { readOnly: true })));
  } catch (error) {
    // The crawl's frames stay in the journal until no other store needs the file.
    say(`the journal keeps records of a deleted crawl: ${(error as Error).message}`);
  }
}

/** Opens the log of a crawl. The error names no folder, because owners may see it. */
async function reading<T>(path: string, act: (reads: ReadLog) => Promise<T>): Promise<T> {
  if (!existsSync(join(path, 'manifest.json')))
    throw new CrawlstreamError('NOT_READY', 'this crawl is being deleted: retry in a moment');
  return withCrawl({ data: path } as Parameters<typeof withCrawl>[0], ({ log, codec, topics }) =>
    act({ log, codec, crawl: topics.crawl }),
  );
}

const explain: FleetParts['explain'] = (path, urls) =>
  withCrawl({ data: path } as Parameters<typeof withCrawl>[0], (crawl) => explainEach(crawl, { data: path }, urls));
