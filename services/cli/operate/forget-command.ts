/**
 * `crawlstream forget`: removes purged pages, and pages with withdrawn permission, from every store of copies, and
 * writes a signed receipt.
 *
 * Each step can be repeated, so the next run completes one that was killed. No crawl may run on a data folder; on
 * brokers the roles keep running and catch up themselves.
 */

import { dirname, join } from 'node:path';
import type { Command } from 'commander';
import { CrawlstreamError } from '../../../topology/errors.ts';
import type { NotReached, Place } from '../../application/processor/holding.ts';
import { consumers } from '../../application/topology.ts';
import { installed } from '../../extras/installed.ts';
import { type Clock, SystemClock } from '../../runtime/clock.ts';
import { counted } from '../../runtime/counted.ts';
import { controlEvents } from '../../runtime/crawl/control-log.ts';
import { readPurges } from '../../runtime/crawl/purges.ts';
import { readDataFolder } from '../../runtime/data-folder/data-folder.ts';
import { makeFolders } from '../../runtime/disk/make-folders.ts';
import { writeNamedFile } from '../../runtime/disk/named-file.ts';
import { createService } from '../../runtime/metrics/service.ts';
import { logFolder, readRequest } from '../connect/crawl-folder.ts';
import { needData, withFolderLog } from '../connect/folder-log.ts';
import { withKafka } from '../connect/kafka-connection.ts';
import { namedFolder } from '../connect/own-folder.ts';
import { addOperatorOptions, type OperatorFlags, operatorsGroup } from '../flags/operator-flags.ts';
import { reachOf } from '../flags/processor-flags.ts';
import { print, rows } from '../terminal/print.ts';
import { say } from '../terminal/say.ts';
import { findMarks } from './find-marks.ts';
import { journalsBeside, rewriteStores } from './forget-bytes.ts';
import { followedBy, followPatienceMs } from './forget-groups.ts';
import { followInStates, forgetHeld, ownFollowers, pluginFollowers, unknownHolders } from './forget-held.ts';
import { forgetTopics, readGone, type Topics } from './forget-topics.ts';
import { type Receipt, receiptKey, signReceipt } from './receipt.ts';

interface ForgetFlags extends OperatorFlags, Readonly<Record<string, unknown>> {
  readonly receipt?: string;
  readonly receiptKey?: string;
  readonly verify?: true;
  readonly mark?: readonly string[];
}

export function addForgetCommand(program: Command): void {
  const command = addOperatorOptions(program.command('forget').helpGroup(operatorsGroup))
    .description('erase purged and no longer permitted pages; a signed receipt names copies not reached')
    .option('--receipt <file>', 'file for the signed receipt (default: receipts/ in the data folder)')
    .option(
      '--receipt-key <key>',
      'private Ed25519 key, env:NAME or file:PATH (default: the crawl’s own, made at first)',
    )
    .option('--verify', 'change nothing; search every file of the data folder for --mark (required)')
    .option('--mark <text...>', 'text that --verify searches for: a line of a forgotten page, or its URL')
    .addHelpText(
      'after',
      `
Pages: a tombstone for each; in a data folder their records are erased, on brokers compaction forgets them. Dedup, index and
graph follow, WARC files are rewritten without the records. A data folder's crawl must have ended (Ctrl-C, and go on
afterwards). The receipt is a JSON Web Signature: what was ordered, what went where, what was not reached.

Example:
  $ crawlstream purge https://example.org/about --data crawl-data/example.org
  $ crawlstream forget --data crawl-data/example.org
  $ crawlstream forget --verify --mark "a line of its text" --data crawl-data/example.org`,
    )
    .action(forget);
  for (const { holds } of consumers) {
    if (typeof holds === 'object' && holds.option) command.option(holds.option.flags, holds.option.about);
  }
}

type Found = Pick<Receipt, 'places' | 'notReached' | 'withdrawn' | 'purged'> & {
  readonly crawl: string;
  /** A skipped step is final. */
  readonly isWhole: boolean;
};

async function forget(flags: ForgetFlags): Promise<void> {
  const clock = new SystemClock();
  if (flags.verify) return verify(flags);
  if (flags.brokers === undefined) return forgetInFolder(flags, clock);
  await withKafka(flags, clock, false, async ({ log, codec, manifest }) => {
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
    const receipts = folder?.path ?? join('crawl-data', manifest.crawl);
    const found = { crawl, isWhole: false, purged: await orders(topics), withdrawn: gone.withdrawn };
    await give(
      flags,
      receipts,
      { ...found, places: [...places, ...held.places, ...groups.followed], notReached },
      clock,
    );
  });
}

/** Throws INVALID_RECORD if a mark is found, or a file could not be searched. */
async function verify(flags: ForgetFlags): Promise<void> {
  const { mark: marks = [] } = flags;
  if (flags.brokers !== undefined || marks.length === 0 || marks.includes('')) {
    const message =
      'forget --verify searches a data folder: name it (--data), and what to search for (--mark "a line of the page")';
    throw new CrawlstreamError('INVALID_ARGUMENT', message);
  }
  const { path } = await readDataFolder(await needData(flags));
  const searched = await findMarks(path, marks);
  const { files, bytes, found, unread } = searched;
  const text = [
    `${counted(files, 'file')}, ${counted(bytes, 'byte')} searched: ${found.length === 0 ? 'no mark is found' : `${found.length} found`}`,
    rows(found.map(({ file, mark }): [string, string] => [`  ${file}`, mark])),
    rows(unread.map(({ file, why }): [string, string] => [`  ${file}`, `not searched within: ${why}`])),
  ];
  print({ json: searched, text: text.filter((part) => part !== '').join('\n') }, flags.json);
  if (found.length + unread.length === 0) return;
  const message = `${found.length} marks are found in ${path}, ${unread.length} files could not be searched within: stop the crawl and run crawlstream forget (URLs stay in topics of state until they are trimmed)`;
  throw new CrawlstreamError('INVALID_RECORD', message);
}

async function forgetInFolder(flags: ForgetFlags, clock: Clock): Promise<void> {
  const folder = await readDataFolder(await needData(flags));
  const { options = {} } = await readRequest(folder);
  const found = await withFolderLog(folder, clock, async ({ log, codec }) => {
    const { manifest, part } = folder;
    const topics: Topics = { log, codec, ...manifest, erase: log.erase };
    const gone = await readGone(topics, await readPurges(log, codec, manifest));
    const places = await forgetTopics(topics, gone, ['pages', 'responses', 'render']);
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
  // Once nobody has a store open, and before the receipt says that all is gone.
  const erasedNow = found.places.some(({ place, removed = 0 }) => place.startsWith('topic ') && removed > 0);
  const bytes = await rewriteStores(folder.path, (path) => erasedNow && path === logFolder(folder));
  const notReached = [...beyondReach, ...found.notReached, ...(await journalsBeside(folder.path))];
  await give(flags, folder.path, { ...found, isWhole: true, places: [...found.places, bytes], notReached }, clock);
}

/** Options that were given. */
function given(flags: ForgetFlags): Record<string, unknown> {
  return Object.fromEntries(Object.entries(flags).filter(([, value]) => value !== undefined));
}

const filesMade = {
  place: 'files made of the crawl before',
  why: `${[...installed.flatMap(({ files = [] }) => files), 'snapshots'].join(', ')}: make them again`,
};

const beyondReach = [
  { place: 'topics discovered, results, control, frontier-changelog', why: 'they name URLs until they are trimmed' },
  { place: 'topic dead-letters', why: 'it goes by age' },
  filesMade,
];

function beyondReachOnBrokers(crawl: string): readonly NotReached[] {
  if (!crawl.includes('.'))
    return [...beyondReach, { place: 'topics responses, render, duplicates', why: 'they go by age on brokers' }];
  // In a fleet's crawl, most topics share one flow, from which no topic is dropped separately.
  return [
    {
      place: 'topic flow',
      why: 'links, results, orders, duplicates and dead letters stay until the fleet deletes the crawl',
    },
    { place: 'topic frontier-changelog', why: 'it names URLs until it is trimmed' },
    { place: 'topic responses', why: 'where there is one, it goes by age on brokers' },
    filesMade,
  ];
}

async function give(flags: ForgetFlags, folder: string, found: Found, clock: Clock): Promise<void> {
  const { crawl, isWhole, purged, withdrawn, places, notReached } = found;
  const atMs = clock.nowMs();
  const receipt: Receipt = {
    receipt: 'crawlstream-forget-1',
    crawl,
    at: new Date(atMs).toISOString(),
    by: flags.by,
    purged,
    withdrawn,
    places,
    notReached,
  };
  const signed = signReceipt(receipt, await receiptKey(flags.receiptKey, join(folder, 'receipts', 'key.pem')));
  const file = flags.receipt ?? join(folder, 'receipts', `${receipt.at.replaceAll(/[:.]/g, '-')}.jws`);
  await makeFolders(dirname(file), { recursive: true });
  await writeNamedFile(file, `${signed}\n`);
  print({ json: { ...receipt, file }, text: textOf(receipt, file) }, flags.json);
  const left = places.filter((one) => one.left > 0 && isWhole);
  if (left.length === 0) return;
  const where = left.map(({ place }) => place).join(', ');
  throw new CrawlstreamError(
    'INVALID_RECORD',
    `some data could not be removed from ${where}: run the same command again`,
  );
}

async function orders({ log, codec, crawl, partitions }: Topics): Promise<Receipt['purged']> {
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

function textOf({ purged, withdrawn, places, notReached }: Receipt, file: string): string {
  const line = ({ place, removed, left, more = {} }: Place): [string, string] => {
    const also = Object.entries(more)
      .filter(([, value]) => (Array.isArray(value) ? value.length : value) !== 0)
      .map(([name, value]) => `, ${name} ${Array.isArray(value) ? value.length : value}`);
    return [`  ${place}`, `${removed === undefined ? '' : `${removed} removed, `}${left} left${also.join('')}`];
  };
  return [
    `${counted(purged.length, 'order')} to purge, ${counted(withdrawn, 'page')} withdrawn`,
    rows(places.map(line)),
    'not reached:',
    rows(notReached.map(({ place, why }): [string, string] => [`  ${place}`, why])),
    `signed receipt: ${file}`,
  ].join('\n');
}
