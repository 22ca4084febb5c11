/**
 * The XML formats that list URLs: sitemap and sitemap index (sitemaps.org), RSS 0.9–2.0, RSS 1.0 (RDF) and Atom.
 *
 * All are a root with items, an item with locations and a date; a shape says how each spells them. Elements of another
 * prefix than the root's are another vocabulary's (`image:loc`, `video:player_loc`) and not locations.
 */
import { parseSitemapDate } from './sitemap-date.ts';
import { createXmlScanner } from './xml.ts';

export interface Located {
  /** As written, blanks trimmed. */
  readonly location: string;
  /** ms since the Unix epoch. 0: unknown. */
  readonly lastModifiedMs: number;
}

export interface FeedReader {
  write(xml: string): void;
  /** Nothing more comes. */
  end(): void;
  /** What was found since the last call; an item appears once it is complete. */
  take(): readonly Located[];
  /** Are the items sitemaps? Known from the first of them on. */
  readonly index: boolean;
  /** Sitemaps must give absolute URLs; feeds may give relative ones. */
  readonly relative: boolean;
}

interface Shape {
  readonly item: string;
  readonly location: string;
  readonly dates: readonly string[];
  readonly index: boolean;
  /** Is the vocabulary's prefix that of the root? Feeds mix vocabularies by default namespace instead. */
  readonly strictPrefix: boolean;
}

const sitemap = { location: 'loc', dates: ['lastmod'], strictPrefix: true } as const;
const rss = { item: 'item', location: 'link', dates: ['pubdate', 'date'], index: false, strictPrefix: false } as const;

const shapes: ReadonlyMap<string, Shape> = new Map<string, Shape>([
  ['urlset', { ...sitemap, item: 'url', index: false }],
  ['sitemapindex', { ...sitemap, item: 'sitemap', index: true }],
  ['rss', rss],
  ['rdf', rss],
  ['feed', { ...rss, item: 'entry', dates: ['updated', 'modified', 'published', 'issued'] }],
]);

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
  /** Of the item being read, and of those that are complete. */
  let item: { location: string; lastModifiedMs: number }[] = [];
  let found: Located[] = [];

  const addLocation = (text: string) => {
    const location = text.trim();
    if (location !== '' && item.length < locationsPerItemMax) item.push({ location, lastModifiedMs: itemDateMs });
  };
  const addDate = (text: string) => {
    const ms = parseSitemapDate(text);
    if (ms === null || ms <= 0) return;
    const last = item.at(-1);
    if (last !== undefined) last.lastModifiedMs ||= ms;
    else itemDateMs ||= ms;
  };
  const endItem = () => {
    for (const one of item) found.push(one);
    item = [];
    itemDateMs = 0;
  };
  const endField = () => {
    if (field === shape!.location) addLocation(gathered);
    else if (field !== '') addDate(gathered);
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
      // Inside a location nothing opens: some writers wrap the URL once more.
      if (shape === null || field === shape.location || !ours(prefix)) return;
      if (name === shape.item) {
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
      if (inItem && gathered.length < fieldCharsMax) gathered += text;
    },
  });
  return {
    write: (xml) => scanner.write(xml),
    end() {
      // A cut file: a location counts if some markup, however broken, ended its text.
      if (scanner.end() && shape !== null && field === shape.location) addLocation(gathered);
      endItem();
    },
    take() {
      const taken = found;
      found = [];
      return taken;
    },
    get index() {
      return shape?.index ?? false;
    },
    get relative() {
      return shape !== null && !shape.strictPrefix;
    },
  };
}

/** `atom:link` in an RSS item names the feed or a comment page, not the item. */
function isForeignLink(shape: Shape, prefix: string, rootPrefix: string): boolean {
  return !shape.strictPrefix && prefix !== '' && prefix !== rootPrefix;
}
