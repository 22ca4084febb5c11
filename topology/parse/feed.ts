/**
 * The XML formats that list URLs: sitemap and sitemap index (sitemaps.org), RSS 0.9–2.0, RSS 1.0 (RDF) and Atom.
 *
 * All have a root with items, and items with locations and a date; a shape says how each format spells them. Elements
 * of another prefix than the root's are another vocabulary's (`image:loc`, `video:player_loc`) and not locations, but
 * for the alternates of a sitemap's page (`xhtml:link rel="alternate"`), which are pages too. What a feed says of how
 * often it is worth asking for counts: `ttl` (RSS 2.0), `updatePeriod` and `updateFrequency` (RSS 1.0, module
 * Syndication).
 */
import { parseSitemapDate } from './sitemap-date.ts';
import { createXmlScanner } from './xml.ts';

export interface Located {
  /** As written, blanks trimmed. */
  readonly location: string;
  /** ms since the Unix epoch. 0: unknown. */
  readonly lastModifiedMs: number;
  /** The same page in another language: no location of the sitemap's own. */
  readonly alternate?: true;
}

/** `sitemap`: of pages, of whatever vocabularies; `index`: of sitemaps; `feed`: the newest of what is there. */
export type ListForm = 'sitemap' | 'index' | 'feed';

export interface FeedReader {
  write(xml: string): void;
  /** To be called when the text has ended. */
  end(): void;
  /** What was found since the last call; an item appears once it is complete. */
  take(): readonly Located[];
  /** Known from the root on; null: it is none of these. */
  readonly form: ListForm | null;
  /** Shortest time between polls that a feed asks for, ms. 0: it does not. */
  readonly pollMs: number;
}

interface Shape {
  readonly item: string;
  readonly location: string;
  readonly dates: readonly string[];
  readonly form: ListForm;
  /** Is the vocabulary's prefix that of the root? Feeds mix vocabularies by default namespace instead. */
  readonly strictPrefix: boolean;
}

const sitemap = { location: 'loc', dates: ['lastmod'], strictPrefix: true } as const;
const rss = { item: 'item', location: 'link', dates: ['pubdate', 'date'], form: 'feed', strictPrefix: false } as const;

const shapes: ReadonlyMap<string, Shape> = new Map<string, Shape>([
  ['urlset', { ...sitemap, item: 'url', form: 'sitemap' }],
  ['sitemapindex', { ...sitemap, item: 'sitemap', form: 'index' }],
  ['rss', rss],
  ['rdf', rss],
  ['feed', { ...rss, item: 'entry', dates: ['updated', 'modified', 'published', 'issued'] }],
]);

/** Elements of a feed's own that say how often it is worth asking for. */
const hints = new Set(['ttl', 'updateperiod', 'updatefrequency']);
const periodsMs: Readonly<Record<string, number>> = {
  hourly: 3_600_000,
  daily: 86_400_000,
  weekly: 7 * 86_400_000,
  monthly: 30 * 86_400_000,
  yearly: 365 * 86_400_000,
};

/** Longest text of a location or a date that is kept. */
const fieldCharsMax = 8_192;
/** An item has one; feeds that repeat it mean the same page in other words. */
const locationsPerItemMax = 64;

/** A document whose root is none of the known gives no items. */
export function createFeedReader(): FeedReader {
  let shape: Shape | null = null;
  let rootPrefix = '';
  let rootSeen = false;
  let inItem = false;
  let itemDateMs = 0;
  /** The element whose text is gathered: a location, a date, or the item itself. */
  let field = '';
  let gathered = '';
  /** Locations of the item being read, and items that are complete. */
  let item: { location: string; lastModifiedMs: number; alternate?: true }[] = [];
  let found: Located[] = [];
  const hinted = new Map<string, string>();

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
  /** There is one. */
  const endField = () => {
    if (field === shape!.location) addLocation(gathered);
    else if (hints.has(field)) hinted.set(field, gathered.trim().toLowerCase());
    else addDate(gathered);
    field = gathered = '';
  };
  const ours = (prefix: string) => !shape!.strictPrefix || prefix === rootPrefix;

  const scanner = createXmlScanner({
    open(prefix, name, value) {
      if (!rootSeen) {
        rootSeen = true;
        rootPrefix = prefix;
        shape = shapes.get(name) ?? null;
        return;
      }
      // Elements inside a location are ignored: some writers wrap the URL once more.
      if (shape === null || field === shape.location) return;
      if (inItem && name === 'link' && shape.form === 'sitemap') addAlternate(value('rel'), value('href'));
      if (!ours(prefix)) return;
      if (!inItem && shape.form === 'feed' && hints.has(name)) {
        field = name;
        gathered = '';
      } else if (name === shape.item) {
        endItem();
        inItem = true;
        field = gathered = '';
      } else if (inItem && name === shape.location && !isForeignLink(shape, prefix, rootPrefix)) {
        const href = value('href');
        if (href === '') field = name;
        else if (value('rel') === '' || value('rel') === 'alternate') addLocation(href);
        gathered = '';
      } else if (inItem && shape.dates.includes(name)) {
        field = name;
        gathered = '';
      }
    },
    close(prefix, name) {
      if (shape === null || !ours(prefix)) return;
      if (field !== '' && name === field) endField();
      else if (inItem && name === shape.item && field !== shape.location) {
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
  });
  return {
    write: (xml) => scanner.write(xml),
    end() {
      // In a cut file, a location counts if some markup, however broken, ended its text.
      if (scanner.end() && shape !== null && field === shape.location) addLocation(gathered);
      endItem();
    },
    take() {
      const taken = found;
      found = [];
      return taken;
    },
    get form() {
      return shape?.form ?? null;
    },
    get pollMs() {
      return Math.max(minutes(hinted.get('ttl')), perPeriod(hinted.get('updateperiod'), hinted.get('updatefrequency')));
    },
  };
}

/** `atom:link` in an RSS item names the feed or a comment page, not the item. */
function isForeignLink(shape: Shape, prefix: string, rootPrefix: string): boolean {
  return !shape.strictPrefix && prefix !== '' && prefix !== rootPrefix;
}

function minutes(ttl = ''): number {
  return /^\d{1,9}$/.test(ttl) ? Number(ttl) * 60_000 : 0;
}

/** A frequency is how often in the period; the module's defaults are daily, and once. */
function perPeriod(period: string | undefined, frequency: string | undefined): number {
  if (period === undefined && frequency === undefined) return 0;
  const times = /^\d{1,9}$/.test(frequency ?? '') ? Math.max(1, Number(frequency)) : 1;
  return Math.floor((periodsMs[period ?? 'daily'] ?? 0) / times);
}
