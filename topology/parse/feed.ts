/**
 * The XML formats that list URLs: sitemap and sitemap index (sitemaps.org), RSS 0.9–2.0, RSS 1.0 (RDF) and Atom.
 *
 * The root element decides. Entries of feeds are read in feed-entries.ts. In sitemaps, elements of another prefix than
 * the root's belong to another vocabulary (`image:loc`, `video:player_loc`) and are no locations, except the alternates
 * of a page (`xhtml:link rel="alternate"`), which are pages too. A feed's own polling interval counts: `ttl` (RSS 2.0),
 * `updatePeriod` and `updateFrequency` (RSS 1.0, module Syndication).
 */
import { EntryReader, type FeedRoot } from './feed-entries.ts';
import { parseSitemapDate } from './sitemap-date.ts';
import { createXmlScanner } from './xml.ts';
import { createPrologReader } from './xml-prolog.ts';
import { RootNamespace } from './xml-scope.ts';

export interface Located {
  /** As written, blanks trimmed. */
  readonly location: string;
  /** ms since the Unix epoch. 0: unknown. */
  readonly lastModifiedMs: number;
  /** The same page in another language: not a separate location of the sitemap. */
  readonly alternate?: true;
  /** Base URL of a location in a feed; absent: the feed's URL. */
  readonly base?: string;
}

/** `sitemap`: lists pages, with any vocabularies; `index`: lists sitemaps; `feed`: lists the newest entries. */
export type ListForm = 'sitemap' | 'index' | 'feed';

export interface FeedReader {
  write(xml: string): void;
  /** Call when the text has ended. */
  end(): void;
  /** Returns the items completed since the last call. */
  take(): readonly Located[];
  /** Form of the list, known once the root element is read; null: none of these. */
  readonly form: ListForm | null;
  /** Shortest time between polls that a feed asks for, ms. 0: it does not. */
  readonly pollMs: number;
}

interface Shape {
  readonly item: string;
  readonly form: ListForm;
}

const sitemaps: ReadonlyMap<string, Shape> = new Map<string, Shape>([
  ['urlset', { item: 'url', form: 'sitemap' }],
  ['sitemapindex', { item: 'sitemap', form: 'index' }],
]);
const feedRoots: ReadonlySet<string> = new Set<FeedRoot>(['rss', 'rdf', 'feed']);

const periodsMs: Readonly<Record<string, number>> = {
  hourly: 3_600_000,
  daily: 86_400_000,
  weekly: 7 * 86_400_000,
  monthly: 30 * 86_400_000,
  yearly: 365 * 86_400_000,
};

/** Longest text of a location or a date that is kept. */
const fieldCharsMax = 8_192;
/** An item has one; lists that repeat it mean the same page in other words. */
const locationsPerItemMax = 64;

/** A document with an unknown root gives no items. `url`: of the document; xml:base resolves against it. */
export function createFeedReader(url = ''): FeedReader {
  const prolog = createPrologReader();
  let rootSeen = false;
  let entries: EntryReader | null = null;
  let locations: LocationReader | null = null;
  const scanner = createXmlScanner({
    open(prefix, name, value, values) {
      if (rootSeen) {
        entries?.open(prefix, name, values);
        locations?.open(prefix, name, value, values);
        return;
      }
      rootSeen = true;
      const shape = sitemaps.get(name);
      if (shape !== undefined) locations = createLocationReader(shape, prefix, values);
      else if (feedRoots.has(name)) entries = new EntryReader(name as FeedRoot, prefix, values, url);
    },
    close(prefix, name) {
      (entries ?? locations)?.close(prefix, name);
    },
    text(text) {
      (entries ?? locations)?.text(text);
    },
  });
  let inRoot = false;
  return {
    write(xml) {
      const markup = inRoot ? xml : prolog.write(xml);
      if (markup === null) return;
      inRoot = true;
      scanner.write(markup);
    },
    end: () => {
      const cut = scanner.end();
      (entries ?? locations)?.end(cut);
    },
    take: () => (entries ?? locations)?.take() ?? [],
    get form() {
      return entries === null ? (locations?.form ?? null) : 'feed';
    },
    get pollMs() {
      if (entries === null) return 0;
      return Math.max(
        minutes(entries.hint('ttl')),
        perPeriod(entries.hint('updateperiod'), entries.hint('updatefrequency')),
      );
    },
  };
}

interface LocationReader extends Pick<EntryReader, 'close' | 'text' | 'end'> {
  open(prefix: string, name: string, value: (attribute: string) => string, values: ReadonlyMap<string, string>): void;
  take(): readonly Located[];
  readonly form: ListForm;
}

/** Locations of a sitemap or an index. */
function createLocationReader(
  shape: Shape,
  rootPrefix: string,
  rootAttributes: ReadonlyMap<string, string>,
): LocationReader {
  const own = new RootNamespace(rootPrefix, rootAttributes);
  let inItem = false;
  let itemDateMs = 0;
  /** The element with the gathered text: a location, a date, or the item itself. */
  let field = '';
  let gathered = '';
  /** Locations of the item being read, and items that are complete. */
  let item: { location: string; lastModifiedMs: number; alternate?: true }[] = [];
  let found: Located[] = [];

  const addLocation = (text: string) => {
    const location = text.trim();
    if (location !== '' && item.length < locationsPerItemMax) item.push({ location, lastModifiedMs: itemDateMs });
  };
  const addAlternate = (rel: string, href: string) => {
    if (rel !== 'alternate' || href === '' || item.length >= locationsPerItemMax) return;
    item.push({ location: href.trim(), lastModifiedMs: 0, alternate: true });
  };
  const addDate = (text: string) => {
    const ms = parseSitemapDate(text);
    if (ms === null || ms <= 0) return;
    const last = item.findLast(({ alternate }) => alternate === undefined);
    if (last !== undefined) last.lastModifiedMs ||= ms;
    else itemDateMs ||= ms;
  };
  const endItem = () => {
    for (const one of item) found.push(one);
    item = [];
    itemDateMs = 0;
  };
  const endField = () => {
    if (field === 'loc') addLocation(gathered);
    else addDate(gathered);
    field = gathered = '';
  };

  return {
    form: shape.form,
    open(prefix, name, value, values) {
      own.open(values);
      // Elements inside a location are ignored: some writers wrap the URL once more.
      if (field === 'loc') return;
      if (inItem && name === 'link' && shape.form === 'sitemap') addAlternate(value('rel'), value('href'));
      if (!own.has(prefix)) return;
      if (name === shape.item) {
        endItem();
        inItem = true;
        field = gathered = '';
      } else if (inItem && (name === 'loc' || name === 'lastmod')) {
        field = name;
        gathered = '';
      }
    },
    close(prefix, name) {
      const isOwn = own.has(prefix);
      own.close();
      if (!isOwn) return;
      if (field !== '' && name === field) endField();
      else if (inItem && name === shape.item && field !== 'loc') {
        // Some write the URL into the item itself.
        if (item.length === 0 && gathered !== '') addLocation(gathered);
        endItem();
        inItem = false;
        gathered = '';
      }
    },
    text(text) {
      if ((inItem || field !== '') && gathered.length < fieldCharsMax) gathered += text;
    },
    end(cut) {
      // In a cut file, a location counts if some markup, however broken, ended its text.
      if (cut && field === 'loc') addLocation(gathered);
      endItem();
    },
    take() {
      const taken = found;
      found = [];
      return taken;
    },
  };
}

function minutes(ttl: string): number {
  return /^\d{1,9}$/.test(ttl) ? Number(ttl) * 60_000 : 0;
}

/** A frequency is how often in the period; the module's defaults are daily, and once. */
function perPeriod(period: string, frequency: string): number {
  if (period === '' && frequency === '') return 0;
  const times = /^\d{1,9}$/.test(frequency) ? Math.max(1, Number(frequency)) : 1;
  return Math.floor((periodsMs[period || 'daily'] ?? 0) / times);
}
