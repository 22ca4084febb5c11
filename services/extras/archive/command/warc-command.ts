/**
 * `crawlstream warc replay`: sends the responses of WARC files through parsing and discovery again, without a
 * network.
 *
 * Each page becomes the record that the fetcher would have made. Without a destination, pages are printed like those
 * of `crawlstream pages`; with one, `pages` and `discovered` records are appended to that crawl, for its frontier and
 * consumers.
 */
import { once } from 'node:events';
import type { Command } from 'commander';
import { crawlLimits } from '../../../../topology/policy/crawl-limits.ts';
import { hostKeyOf, type KeyMode, partitionKeyOf } from '../../../../topology/url/host-key.ts';
import { compileNormalizer } from '../../../../topology/url/normalize.ts';
import { addKafkaOptions } from '../../../cli/flags/kafka-flags.ts';
import { fetcherLimits } from '../../../fetcher/fetcher-limits.ts';
import { decodeBody } from '../../../fetcher/http/content-coding.ts';
import { listOf } from '../../../fetcher/http/headers.ts';
import { productToken } from '../../../fetcher/http/identity.ts';
import { requestLimits } from '../../../fetcher/http/request-limits.ts';
import { createExtractor } from '../../../fetcher/pages/extract.ts';
import type { PageReader } from '../../../fetcher/pages/page-reader.ts';
import { wantsBody } from '../../../fetcher/pages/wanted-bodies.ts';
import { createLinkCache } from '../../../fetcher/publish/link-cache.ts';
import { createContactRecords } from '../../../fetcher/unleased/contact-records.ts';
import { pageRecords } from '../../../fetcher/unleased/page-records.ts';
import { withFolderLog } from '../../../hosting/connect/folder-log.ts';
import { withKafka } from '../../../hosting/connect/kafka-connection.ts';
import { newCrawl } from '../../../hosting/connect/new-crawl.ts';
import type { KafkaFlags } from '../../../hosting/options/crawl-place.ts';
import type { RecordCodec } from '../../../runtime/avro/record-codec.ts';
import { SystemClock } from '../../../runtime/clock.ts';
import { openDataFolder } from '../../../runtime/data-folder/data-folder.ts';
import type { Manifest } from '../../../runtime/data-folder/manifest.ts';
import type { Log } from '../../../runtime/log/log.ts';
import { toStderr, toStdout } from '../../../runtime/logging/door.ts';
import { productVersion } from '../../../runtime/version.ts';
import { archiveLimits } from '../archive-limits.ts';
import { readExchanges } from '../exchanges.ts';
import { httpMessageOf } from '../http-message.ts';
import { type Replayed, replayAnswer } from '../replay-answer.ts';
import { createPayloads, type Payloads } from '../warc-payloads.ts';
import { addColumnarCommand } from './columnar-command.ts';
import { addDeriveCommands } from './derive-command.ts';
import { addWaczCommand } from './wacz-command.ts';

interface ReplayFlags extends KafkaFlags {
  readonly json?: boolean;
}

/** Takes what one answer gave. */
type Sink = (replayed: Replayed) => Promise<void>;

export function addWarcCommand(program: Command): void {
  const warc = program
    .command('warc')
    .description('WARC files: parse again, pack as WACZ, make WAT, WET or a Parquet index');
  addKafkaOptions(
    warc
      .command('replay')
      .description('parse the responses of WARC files again, into a crawl or as JSON lines')
      .argument('<file...>', 'WARC files, in the order they were written'),
    'data folder of a new or finished crawl (without it and --brokers, pages are printed)',
  )
    .option('--json', 'print the counts as one JSON object; on stderr where pages go to stdout')
    .action((files: string[], flags: ReplayFlags) => replay(files, flags));
  addWaczCommand(warc);
  addColumnarCommand(warc);
  addDeriveCommands(warc);
}

async function replay(files: readonly string[], flags: ReplayFlags): Promise<void> {
  const clock = new SystemClock();
  const isPrinting = flags.brokers === undefined && flags.data === undefined;
  const say = (counts: Counts) => {
    const { pages, links, redirects, sitemaps, robots, other, lost } = counts;
    if (flags.json) return (isPrinting ? process.stderr : process.stdout).write(`${JSON.stringify(counts)}\n`);
    return toStderr(
      `${pages} pages, ${links} links; ${redirects} redirects, ${sitemaps} sitemaps, ${robots} robots.txt, ${other} other responses${lost > 0 ? `, ${lost} whose payload is in none of these files` : ''}\n`,
    );
  };
  if (flags.brokers !== undefined) {
    await withKafka(flags, clock, false, async ({ log, codec, manifest }) =>
      say(await replayFiles(files, manifest.keyMode, appendTo(log, codec, manifest))),
    );
  } else if (flags.data !== undefined) {
    const defaults = newCrawl(flags.crawl, flags.partitions ?? 1);
    const folder = await openDataFolder(flags.data, {}, { defaults, createdBy: productVersion, clock });
    await withFolderLog(folder, clock, async ({ log, codec }) =>
      say(await replayFiles(files, folder.manifest.keyMode, appendTo(log, codec, folder.manifest))),
    );
  } else {
    say(await replayFiles(files, 'host', print));
  }
}

const print: Sink = async (replayed) => {
  if (replayed.as !== 'page') return;
  if (!toStdout(`${JSON.stringify(replayed.report.page)}\n`)) await once(process.stdout, 'drain');
};

function appendTo(log: Log, codec: RecordCodec, manifest: Manifest): Sink {
  const contacts = createContactRecords(codec, manifest, 'warc-replay');
  return async (replayed) => {
    if (replayed.as === 'robots') contacts.readRobots(replayed.copy);
    const made =
      replayed.as === 'robots' || replayed.as === 'other' ? [] : pageRecords(replayed.report, codec, manifest);
    const records = [...contacts.take(), ...made];
    if (records.length > 0) await log.append(records);
  };
}

interface Counts {
  readonly pages: number;
  readonly links: number;
  readonly redirects: number;
  readonly sitemaps: number;
  readonly robots: number;
  /** Other answers. */
  readonly other: number;
  /** Revisits of payloads that are not available. */
  readonly lost: number;
}

async function replayFiles(files: readonly string[], keyMode: KeyMode, sink: Sink): Promise<Counts> {
  const counts = { pages: 0, links: 0, redirects: 0, sitemaps: 0, robots: 0, other: 0, lost: 0 };
  const cache = createLinkCache(fetcherLimits.linkCacheEntries);
  const extractor = createExtractor();
  const links = { normalize: compileNormalizer(), cache };
  const linksMax = crawlLimits.linksPerPage;
  const reader: PageReader = { extractor, links, productToken, linksMax, outlinks: false, pdf: false, office: false };
  const payloads = createPayloads(archiveLimits.payloadsBytesMax);
  try {
    for (const file of files) {
      for await (const { answer, kind, depth = 0 } of readExchanges(file)) {
        const { type, fields, block } = answer;
        const url = fields.get('warc-target-uri')?.replace(/^<|>$/g, '') ?? '';
        if (!/^https?:/i.test(url)) continue;
        const response = await responseOf(type, fields, block, payloads);
        if (response === null) {
          counts.lost += 1;
          continue;
        }
        const hostKey = hostKeyOf(links.normalize(url) ?? url);
        const sourceKey = partitionKeyOf(hostKey, keyMode);
        const source = { sourceKey, source: cache.source(sourceKey) };
        const replayed = await replayAnswer(reader, { url, hostKey, depth, kind, response }, source);
        if ('report' in replayed) cache.remember(replayed.report.pending);
        await sink(replayed);
        counts[countOf[replayed.as]] += 1;
        if (replayed.as === 'page') counts.links += replayed.report.page?.links ?? 0;
      }
    }
  } finally {
    await extractor.close();
  }
  return counts;
}

const countOf = {
  page: 'pages',
  redirect: 'redirects',
  sitemap: 'sitemaps',
  robots: 'robots',
  other: 'other',
} as const;

/** Null: a revisit of a payload that is not available. */
async function responseOf(type: string, fields: ReadonlyMap<string, string>, block: Buffer, payloads: Payloads) {
  const message = httpMessageOf(block);
  const digest = fields.get('warc-payload-digest') ?? '';
  const rawBody = type === 'revisit' ? payloads.get(digest) : (message?.body ?? Buffer.alloc(0));
  if (rawBody === undefined) return null;
  if (type === 'response' && digest !== '') payloads.keep(digest, rawBody);
  const { status = 0, headers = [] } = message ?? {};
  const wanted = wantsBody(status, headers);
  const decoded = wanted
    ? await decodeBody(rawBody, listOf(headers, 'content-encoding'), requestLimits.bodyBytesMax)
    : undefined;
  const failed = decoded !== undefined && 'error' in decoded;
  const body = decoded === undefined || failed ? Buffer.alloc(0) : decoded.body;
  const atMs = Date.parse(fields.get('warc-date') ?? '') || 0;
  return {
    status,
    headers,
    body,
    rawBody,
    truncated: fields.has('warc-truncated') || (decoded !== undefined && !failed && decoded.truncated),
    address: fields.get('warc-ip-address') ?? '',
    startMs: atMs,
    endMs: atMs,
    connectMs: 0,
    firstByteMs: 0,
    failure: failed ? ({ kind: 'badResponse', detail: decoded.error } as const) : null,
    staleConnection: false,
    unreached: false,
  };
}
