/**
 * The XML formats that list URLs: sitemap and sitemap index (sitemaps.org), RSS 0.9–2.0, RSS 1.0 (RDF), RSS 1.1, CDF
 * and Atom.
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
const feedRoots: ReadonlySet<string> = new Set<FeedRoot>(['rss', 'rdf', 'feed', 'channel']);

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
      if (shape !== undefined) locations = new SitemapLocations(shape, prefix, values);
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
class SitemapLocations implements LocationReader {
  readonly #shape: Shape;
  readonly #own: RootNamespace;
  readonly form: ListForm;
  #inItem = false;
  #itemDateMs = 0;
  /** The element with the gathered text: a location, a date, or the item itself. */
  #field = '';
  #gathered = '';
  /** Locations of the item being read, and items that are complete. */
  #item: { location: string; lastModifiedMs: number; alternate?: true }[] = [];
  #found: Located[] = [];

  constructor(shape: Shape, rootPrefix: string, rootAttributes: ReadonlyMap<string, string>) {
    this.#shape = shape;
    this.form = shape.form;
    this.#own = new RootNamespace(rootPrefix, rootAttributes);
  }

  #addLocation(text: string) {
    const location = text.trim();
    if (location !== '' && this.#item.length < locationsPerItemMax)
      this.#item.push({ location, lastModifiedMs: this.#itemDateMs });
  }

  #addAlternate(rel: string, href: string) {
    if (rel !== 'alternate' || href === '' || this.#item.length >= locationsPerItemMax) return;
    this.#item.push({ location: href.trim(), lastModifiedMs: 0, alternate: true });
  }

  #addDate(text: string) {
    const ms = parseSitemapDate(text);
    if (ms === null || ms <= 0) return;
    const last = this.#item.findLast(({ alternate }) => alternate === undefined);
    if (last !== undefined) last.lastModifiedMs ||= ms;
    else this.#itemDateMs ||= ms;
  }

  #endItem() {
    for (const one of this.#item) this.#found.push(one);
    this.#item = [];
    this.#itemDateMs = 0;
  }

  #endField() {
    if (this.#field === 'loc') this.#addLocation(this.#gathered);
    else this.#addDate(this.#gathered);
    this.#field = this.#gathered = '';
  }

  readonly open: LocationReader['open'] = (prefix, name, value, values) => {
    this.#own.open(values);
    // Elements inside a location are ignored: some writers wrap the URL once more.
    if (this.#field === 'loc') return;
    if (this.#inItem && name === 'link' && this.#shape.form === 'sitemap')
      this.#addAlternate(value('rel'), value('href'));
    if (!this.#own.has(prefix)) return;
    if (name === this.#shape.item) {
      this.#endItem();
      this.#inItem = true;
      this.#field = this.#gathered = '';
    } else if (this.#inItem && (name === 'loc' || name === 'lastmod')) {
      this.#field = name;
      this.#gathered = '';
    }
  };

  readonly close: LocationReader['close'] = (prefix, name) => {
    const isOwn = this.#own.has(prefix);
    this.#own.close();
    if (!isOwn) return;
    if (this.#field !== '' && name === this.#field) this.#endField();
    else if (this.#inItem && name === this.#shape.item && this.#field !== 'loc') {
      // Some write the URL into the item itself.
      if (this.#item.length === 0 && this.#gathered !== '') this.#addLocation(this.#gathered);
      this.#endItem();
      this.#inItem = false;
      this.#gathered = '';
    }
  };

  readonly text: LocationReader['text'] = (text) => {
    if ((this.#inItem || this.#field !== '') && this.#gathered.length < fieldCharsMax) this.#gathered += text;
  };

  readonly end: LocationReader['end'] = (cut) => {
    // In a cut file, a location counts if some markup, however broken, ended its text.
    if (cut && this.#field === 'loc') this.#addLocation(this.#gathered);
    this.#endItem();
  };

  readonly take: LocationReader['take'] = () => {
    const taken = this.#found;
    this.#found = [];
    return taken;
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
