/**
 * The XML formats that list URLs: sitemap and sitemap index (sitemaps.org), RSS 0.9–2.0, RSS 1.0 (RDF) and Atom.
 *
 * All are a root with items, an item with locations and a date; a shape says how each spells them. Elements of another
 * prefix than the root's are another vocabulary's (`image:loc`, `video:player_loc`) and not locations.
 */
import { parseSitemapDate } from './sitemap-date.ts';
import { scanXml } from './xml.ts';

export interface Located {
  /** As written, blanks trimmed. */
  readonly location: string;
  /** ms since the Unix epoch. 0: unknown. */
  readonly lastModifiedMs: number;
}

export interface FeedContent {
  readonly index: boolean;
  /** Sitemaps must give absolute URLs; feeds may give relative ones. */
  readonly relative: boolean;
  readonly items: readonly Located[];
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

/** null: the root is none of the known. */
export function readFeed(xml: string, itemsMax: number, expired: () => boolean): FeedContent | null {
  let shape: Shape | null = null;
  let rootPrefix = '';
  let rootSeen = false;
  let inItem = false;
  let itemFirst = 0;
  let itemDateMs = 0;
  /** The element whose text is gathered: a location, a date, or the item itself. */
  let field = '';
  let gathered = '';
  const items: { location: string; lastModifiedMs: number }[] = [];

  const addLocation = (text: string) => {
    const location = text.trim();
    if (location !== '' && items.length < itemsMax) items.push({ location, lastModifiedMs: itemDateMs });
  };
  const addDate = (text: string) => {
    const ms = parseSitemapDate(text);
    if (ms === null || ms <= 0) return;
    if (items.length > itemFirst) items[items.length - 1]!.lastModifiedMs ||= ms;
    else itemDateMs ||= ms;
  };
  const endField = () => {
    if (field === shape!.location) addLocation(gathered);
    else if (field !== '') addDate(gathered);
    field = gathered = '';
  };
  const ours = (prefix: string) => !shape!.strictPrefix || prefix === rootPrefix;

  scanXml(
    xml,
    {
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
          inItem = true;
          itemFirst = items.length;
          itemDateMs = 0;
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
          if (items.length === itemFirst && gathered !== '') addLocation(gathered);
          inItem = false;
          gathered = '';
        }
      },
      text(text) {
        if (inItem && gathered.length < fieldCharsMax) gathered += text;
      },
    },
    () => items.length >= itemsMax || expired(),
  );
  const found = shape as Shape | null;
  if (found === null) return null;
  // A cut file: a location counts if some markup, however broken, ended its text.
  if (field === found.location && xml.lastIndexOf('<') > xml.lastIndexOf('>')) addLocation(gathered);
  return { index: found.index, relative: !found.strictPrefix, items };
}

/** `atom:link` in an RSS item names the feed or a comment page, not the item. */
function isForeignLink(shape: Shape, prefix: string, rootPrefix: string): boolean {
  return !shape.strictPrefix && prefix !== '' && prefix !== rootPrefix;
}
