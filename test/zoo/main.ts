/**
 * The zoo: web software that nobody here wrote, set up on loopback from Debian packages, crawled by the real command, and
 * compared with `wget -r`.
 *
 *   npm run zoo [-- NAME … | --list] [--seconds N] [--json]
 *
 * `--seconds`: a crawl, and a wget, are ended after so many (600, wget in wikis 60). It prints a line per site and, below, what
 * is missing with its reason, the traps, and titles that a search did not find first. It ends with 1 where a static site
 * lacks pages without a reason, a crawl did not end, or fewer than 95 % of titles were found first. Packages come by
 * apt-get, and nothing is installed. A site that cannot be set up here is named, and fails nothing.
 */
import { compileNormalizer } from '../../topology/url/normalize.ts';
import { defaultNormalize } from '../../topology/url/normalize-config.ts';
import { type CrawledSite, crawlSite } from './crawled-site.ts';
import type { ZooSite } from './site.ts';
import { dokuwiki } from './sites/dokuwiki.ts';
import { fossil } from './sites/fossil.ts';
import { cgit, gitweb } from './sites/git-web.ts';
import { hgweb } from './sites/hgweb.ts';
import { mediawiki } from './sites/mediawiki.ts';
import { staticDocs } from './sites/static-docs.ts';
import { trac } from './sites/trac.ts';
import { wordpress } from './sites/wordpress.ts';
import { type WgetSet, wgetSet } from './wget-set.ts';

const sites: readonly ZooSite[] = [...staticDocs, gitweb, cgit, hgweb, fossil, mediawiki, dokuwiki, wordpress, trac];
/** Named with their reasons; beyond them counted. */
const missingNamed = 10;
const wgetDynamicSeconds = 60;
const titlesShare = 0.95;
/** Fewer own titles say nothing: forges give a repository's name to all pages. */
const titlesMin = 10;

interface Row {
  readonly site: string;
  readonly wget: string;
  readonly pages: number;
  readonly missing: number;
  readonly fetches: number;
  /** Fetches that brought no page for an index, per page that did. */
  readonly waste: number;
  readonly seconds: number;
  readonly end: string;
  readonly titles: string;
  readonly ok: boolean;
  readonly notes: readonly string[];
}

// Servers of the sites have process groups of their own, which a terminal's signals do not reach: they end with this one.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));

const normalize = compileNormalizer(defaultNormalize);
const { names, seconds, json, list } = readArguments(process.argv.slice(2));
if (list) process.stdout.write(`${sites.map(({ name }) => name).join('\n')}\n`);
else await visit(sites.filter(({ name }) => names.length === 0 || names.includes(name)));

async function visit(wanted: readonly ZooSite[]): Promise<void> {
  const rows: Row[] = [];
  for (const site of wanted) {
    process.stderr.write(`${site.name} …\n`);
    const running = await site.start().catch((error: Error) => error);
    if (running instanceof Error) {
      process.stdout.write(`${site.name}: not set up: ${running.message.split('\n')[0]}\n`);
      continue;
    }
    try {
      const wget = await wgetSet(running.url, site.kind === 'static' ? seconds : Math.min(seconds, wgetDynamicSeconds));
      const crawled = await crawlSite(running.url, seconds);
      try {
        const row = await compared(site, wget, crawled);
        rows.push(row);
        if (!row.ok) process.exitCode = 1;
        process.stdout.write(rowText(row));
      } finally {
        crawled.remove();
      }
    } finally {
      await running.stop();
    }
  }
  if (json) process.stdout.write(`${JSON.stringify(rows)}\n`);
}

async function compared(site: ZooSite, wget: WgetSet, crawled: CrawledSite): Promise<Row> {
  const ours = new Set(crawled.pages.map(({ url }) => url));
  const theirs = new Set([...wget.urls].map((url) => normalize(url) ?? url));
  const missing = [...theirs].filter((url) => !ours.has(url)).sort();
  const notes: string[] = [];
  let unexplained = Math.max(0, missing.length - missingNamed);
  for (const url of missing.slice(0, missingNamed)) {
    const why = await crawled.why(url);
    if (!/robots|trap|end redirect|refused by/.test(why)) unexplained += 1;
    notes.push(`missing ${url}: ${why}`);
  }
  if (missing.length > missingNamed) notes.push(`and ${missing.length - missingNamed} missing more`);
  notes.push(...crawled.traps.map((line) => `held back: ${line}`));
  const { asked, first, missed } = crawled.titles;
  if (missed.length > 0) notes.push(`not found first: ${missed.slice(0, 5).join(' | ')}`);
  const useful = crawled.pages.filter(({ noindex, contentType }) => !noindex && /html/.test(contentType));
  const distinct = new Set(useful.map(({ contentHash }) => contentHash)).size;
  const fetches = crawled.counts['fetches'] ?? 0;
  const complete = site.kind === 'dynamic' || (wget.ended && unexplained === 0);
  return {
    site: site.name,
    wget: `${theirs.size}${wget.ended ? '' : '+'}`,
    pages: crawled.pages.length,
    missing: missing.length,
    fetches,
    waste: distinct === 0 ? fetches : (fetches - distinct) / distinct,
    seconds: crawled.seconds,
    end: crawled.end,
    titles: `${first}/${asked}`,
    ok: complete && crawled.end === 'done' && (asked < titlesMin || first >= titlesShare * asked),
    notes,
  };
}

function rowText(row: Row): string {
  const { site, wget, pages, missing, fetches, waste, titles, end, ok, notes } = row;
  const line =
    `${ok ? 'ok  ' : 'FAIL'} ${site.padEnd(12)} wget ${wget}, ours ${pages}, missing ${missing}; ${fetches} fetches, ` +
    `${waste.toFixed(2)} wasted per page; ${end} in ${row.seconds.toFixed(0)} s; titles ${titles}`;
  return `${line}\n${notes.map((note) => `       ${note}\n`).join('')}`;
}

function readArguments(args: readonly string[]) {
  const at = args.indexOf('--seconds');
  const given = at < 0 ? 600 : Number(args[at + 1]);
  if (!(given > 0)) throw new Error('--seconds: give a number of seconds, such as 600');
  const words = args.filter((word, n) => !word.startsWith('--') && n !== at + 1 - (at < 0 ? args.length + 1 : 0));
  const unknown = words.filter((word) => !sites.some(({ name }) => name === word));
  if (unknown.length > 0) throw new Error(`there is no ${unknown.join(', ')} in the zoo: --list names what is`);
  return { names: words, seconds: given, json: args.includes('--json'), list: args.includes('--list') };
}
