/** Removes purged pages, and pages with withdrawn permission, from every store of copies. */
import { join } from 'node:path';
import { topicsWithCopies } from '../../../topology/topics.ts';
import type { NotReached } from '../../application/processor/holding.ts';
import { installed } from '../../extras/installed.ts';
import { logFolder, readRequest } from '../../hosting/connect/crawl-folder.ts';
import { needData, withFolderLog } from '../../hosting/connect/folder-log.ts';
import { withKafka } from '../../hosting/connect/kafka-connection.ts';
import { namedFolder } from '../../hosting/connect/own-folder.ts';
import type { OperatorFlags } from '../../hosting/options/operator.ts';
import { reachOf } from '../../hosting/options/processors.ts';
import type { Clock } from '../../runtime/clock.ts';
import { controlEvents } from '../../runtime/crawl/control-log.ts';
import { readPurges } from '../../runtime/crawl/purges.ts';
import { readDataFolder } from '../../runtime/data-folder/data-folder.ts';
import { say } from '../../runtime/logging/say.ts';
import { createService } from '../../runtime/metrics/service.ts';
import { journalsBeside, rewriteStores } from './forget-bytes.ts';
import { followedBy, followPatienceMs } from './forget-groups.ts';
import { followInStates, forgetHeld, ownFollowers, pluginFollowers, unknownHolders } from './forget-held.ts';
import { forgetTopics, readGone, type Topics } from './forget-topics.ts';
import type { Receipt } from './receipt.ts';

export interface ForgetFlags extends OperatorFlags, Readonly<Record<string, unknown>> {
  readonly receipt?: string;
  readonly receiptKey?: string;
  readonly verify?: true;
  readonly mark?: readonly string[];
}

export type Found = Pick<Receipt, 'places' | 'notReached' | 'withdrawn' | 'purged'> & {
  readonly crawl: string;
  /** Folder of the crawl on this machine: it gets the receipts. */
  readonly folder: string;
  /** A skipped step is final. */
  readonly isWhole: boolean;
};

/** No crawl may run on the folder. Each step can be repeated: the next run completes one that was killed. */
export async function forgetInFolder(flags: ForgetFlags, clock: Clock): Promise<Found> {
  const folder = await readDataFolder(await needData(flags));
  const { options = {} } = await readRequest(folder);
  const found = await withFolderLog(folder, clock, async ({ log, codec }) => {
    const { manifest, part } = folder;
    const topics: Topics = { log, codec, ...manifest, erase: log.erase };
    const gone = await readGone(topics, await readPurges(log, codec, manifest));
    const places = await forgetTopics(
      topics,
      gone,
      topicsWithCopies().filter((name) => name !== 'duplicates'),
    );
    const service = createService('forget');
    const own = {
      log,
      codec,
      clock,
      manifest,
      part,
      shared: false,
      fromStart: false,
      service,
      say,
      reach: reachOf({}),
    };
    await followInStates(own, options);
    places.push(...(await forgetTopics(topics, gone, ['duplicates'])));
    const { crawl } = manifest;
    const all = { ...options, ...given(flags) };
    const held = await forgetHeld({ crawl, part, isOnBrokers: false, options: all, gone, clock });
    places.push(...held.places);
    const ofPlugins = await followedBy(log, clock, manifest, await pluginFollowers({ log, codec, crawl }), 0);
    places.push(...ofPlugins.followed);
    const notReached = [...held.notReached, ...ofPlugins.behind, ...(await unknownHolders({ log, codec, crawl }))];
    return { crawl, purged: await orders(topics), withdrawn: gone.withdrawn, places, notReached };
  });
  // Runs when no process has a store open, and before the receipt declares the pages erased.
  const erasedNow = found.places.some(({ place, removed = 0 }) => place.startsWith('topic ') && removed > 0);
  const bytes = await rewriteStores(folder.path, (path) => erasedNow && path === logFolder(folder));
  const notReached = [...beyondReach, ...found.notReached, ...(await journalsBeside(folder.path))];
  return { ...found, folder: folder.path, isWhole: true, places: [...found.places, bytes], notReached };
}

/** The roles keep running, and catch up themselves. */
export function forgetOnBrokers(flags: ForgetFlags, clock: Clock): Promise<Found> {
  return withKafka(flags, clock, false, async ({ log, codec, manifest }) => {
    const topics: Topics = { log, codec, ...manifest };
    const gone = await readGone(topics, await readPurges(log, codec, manifest));
    const places = await forgetTopics(topics, gone);
    const folder = await namedFolder(flags, manifest);
    const { crawl } = manifest;
    const followers = [...ownFollowers, ...(await pluginFollowers({ log, codec, crawl }))];
    const groups = await followedBy(log, clock, manifest, followers, followPatienceMs);
    const held = await forgetHeld({ crawl, part: folder?.part, isOnBrokers: true, options: flags, gone, clock });
    const unknown = await unknownHolders({ log, codec, crawl });
    const notReached = [...groups.behind, ...beyondReachOnBrokers(crawl), ...held.notReached, ...unknown];
    return {
      crawl,
      folder: folder?.path ?? join('crawl-data', crawl),
      isWhole: false,
      purged: await orders(topics),
      withdrawn: gone.withdrawn,
      places: [...places, ...held.places, ...groups.followed],
      notReached,
    };
  });
}

/** Options that were given. */
function given(flags: ForgetFlags): Record<string, unknown> {
  return Object.fromEntries(Object.entries(flags).filter(([, value]) => value !== undefined));
}

const filesMade = {
  place: 'files made from the crawl before',
  why: `${[...installed.flatMap(({ files = [] }) => files), 'snapshots'].join(', ')}: make them again`,
};

const beyondReach = [
  { place: 'topics discovered, results, control, frontier-changelog', why: 'they name URLs until they are trimmed' },
  { place: 'topic dead-letters', why: 'its records are deleted by age' },
  filesMade,
];

/** Topics with copies that forgetTopics cannot erase on brokers. */
function withoutTombstones(): readonly string[] {
  return topicsWithCopies().filter((name) => name !== 'pages');
}

export function beyondReachOnBrokers(crawl: string): readonly NotReached[] {
  if (!crawl.includes('.'))
    return [
      ...beyondReach,
      { place: `topics ${withoutTombstones().join(', ')}`, why: 'brokers delete their records by age' },
    ];
  // In a fleet's crawl, most topics share one flow, from which no topic is dropped separately.
  return [
    {
      place: 'topic flow',
      why: 'links, results, orders, duplicates and dead letters stay until the fleet deletes the crawl',
    },
    { place: 'topic frontier-changelog', why: 'it names URLs until it is trimmed' },
    { place: 'topic responses', why: 'if it exists, brokers delete its records by age' },
    filesMade,
  ];
}

export async function orders({ log, codec, crawl, partitions }: Topics): Promise<Receipt['purged']> {
  const purged: Receipt['purged'][number][] = [];
  for (let partition = 0; partition < partitions; partition++) {
    const { start, end } = await log.offsets(`${crawl}.control`, partition);
    for await (const { event, offset } of controlEvents(log, codec, crawl, partition, start, end)) {
      const { kind, hostKey, payload, atMs, by } = event;
      if (kind !== 'purge') continue;
      const url = payload === '' ? null : ((JSON.parse(payload) as { readonly url?: string }).url ?? null);
      purged.push({ hostKey, url, at: new Date(atMs).toISOString(), by, control: `${partition}:${offset}` });
    }
  }
  return purged;
}
