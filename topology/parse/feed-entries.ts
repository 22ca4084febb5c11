/**
 * Entries of RSS 0.9–2.0, RSS 1.0 (RDF), RSS 1.1, CDF and Atom: addresses and dates.
 *
 * Only direct children of an entry belong to it. Elements inside `source`, an image or markup of the content are
 * ignored. Addresses are, in this order:
 * - links: Atom's `link` without rel, or with rel alternate, as a name or as an IRI (RFC 4287 §4.2.7.2); RSS's `link`
 * with its text. In RSS, Atom's link counts if it has rel alternate, or if there is no other. CDF's item has an href;
 * - a permalink: RSS's `guid`, unless it says that it is none;
 * - the entry's own text, if the entry has no child element.
 * A permalink or text counts only if it is an absolute http(s) URL.
 *
 * Relative links resolve against xml:base (RFC 4287 §2). Feeds are often malformed. So an end tag without a start is
 * ignored, and the end of an entry, or the start of the next one, closes all open elements in it.
 */
import { parseSitemapDate } from './sitemap-date.ts';
import { emptyScope, scopeWithin, type XmlScope } from './xml-scope.ts';

export interface FeedEntry {
  /** As written, blanks trimmed. */
  readonly location: string;
  /** ms since the Unix epoch. 0: unknown. */
  readonly lastModifiedMs: number;
  /** Base URL of the location; absent: the feed's URL. */
  readonly base?: string;
}

/** `channel` is the root of RSS 1.1 and of CDF. */
export type FeedRoot = 'rss' | 'rdf' | 'feed' | 'channel';

type Attributes = ReadonlyMap<string, string>;

type Vocabulary = 'own' | 'atom' | 'other';

/** Longest text of a location or a date that is kept. */
const fieldCharsMax = 8_192;
/** Locations of one entry. Normally there is one; feeds that repeat it mean the same page in other words. */
const locationsPerItemMax = 64;
/** Elements around the entries with a remembered scope. Feeds have three; deeper elements have the scope of these. */
const outerDepthMax = 16;

const hints = new Set(['ttl', 'updateperiod', 'updatefrequency']);
/** The first of these that an entry has is its date. */
const dates = ['updated', 'modified', 'pubdate', 'date', 'published', 'issued'];
const atomNamespaces = new Set(['http://www.w3.org/2005/atom', 'http://purl.org/atom/ns#']);
const rssNamespaces = new Set([
  'http://purl.org/rss/1.0/',
  'http://backend.userland.com/rss',
  'http://backend.userland.com/rss2',
  'http://blogs.law.harvard.edu/tech/rss',
  'http://my.netscape.com/rdf/simple/0.9/',
  'http://channel.netscape.com/rdf/simple/0.9/',
  'http://purl.org/net/rss1.1#',
]);
const alternate = /^(?:https?:\/\/www\.iana\.org\/assignments\/(?:link-)?relations?\/)?alternate$/i;
const absoluteHttp = /^https?:\/\/[^\s<>"]+$/i;

/** An element with a remembered scope or text. */
interface Frame {
  readonly prefix: string;
  readonly name: string;
  readonly scope: XmlScope;
}

interface Item extends Frame {
  readonly links: { readonly location: string; readonly base: string }[];
  /** Atom's links in RSS that do not say their relation. */
  readonly spare: { readonly location: string; readonly base: string }[];
  permalink: string;
  /** One entry for each name in `dates`, in that order. */
  readonly datesMs: number[];
  hasElements: boolean;
  text: string;
}

type Role = 'link' | 'guid' | 'date' | 'title' | 'inert';

interface Child extends Frame {
  role: Role;
  /** Elements of the same name within it. */
  depth: number;
  /** Entries of another feed within it. */
  entries: number;
  text: string;
}

/** Reads the entries of a feed from the events of its markup. */
export class EntryReader {
  readonly #rootPrefix: string;
  readonly #url: string;
  readonly #isAtom: boolean;
  readonly #isChannel: boolean;
  readonly #itemName: string;
  readonly #ownNamespaces: ReadonlySet<string>;
  readonly #outer: Frame[];
  readonly #hinted = new Map<string, string>();
  #hint = '';
  #item: Item | null = null;
  #child: Child | null = null;
  #found: FeedEntry[] = [];

  /** `url`: of the feed. */
  constructor(root: FeedRoot, rootPrefix: string, attributes: Attributes, url: string) {
    const scope = scopeWithin(emptyScope, attributes, url);
    const { namespaces } = scope;
    this.#rootPrefix = rootPrefix;
    this.#url = url;
    this.#isAtom = root === 'feed';
    this.#isChannel = root === 'channel';
    this.#itemName = this.#isAtom ? 'entry' : 'item';
    this.#ownNamespaces = new Set([namespaces.get(rootPrefix) ?? '', namespaces.get('') ?? '']);
    this.#outer = [{ prefix: rootPrefix, name: root, scope }];
  }

  open(prefix: string, name: string, attributes: Attributes): void {
    if (this.#item !== null && this.#isForgotten(this.#item, prefix, name)) {
      if (name === this.#itemName) this.#endItem();
      else this.#child = null;
    }
    const [item, child] = [this.#item, this.#child];
    if (item === null) this.#openOuter(prefix, name, attributes);
    else if (child === null) this.#openInItem(item, prefix, name, attributes);
    else if (name === child.name && prefix === child.prefix) child.depth += 1;
    else if (name === item.name && prefix === item.prefix) child.entries += 1;
  }

  close(prefix: string, name: string): void {
    this.#hint = '';
    const [item, child] = [this.#item, this.#child];
    if (item === null) {
      const at = this.#outer.findLastIndex((one) => one.name === name && one.prefix === prefix);
      if (at > 0) this.#outer.length = at;
    } else if (child !== null && name === child.name && prefix === child.prefix) {
      if (child.depth > 0) child.depth -= 1;
      else this.#endChild(item, child);
    } else if (name === item.name && prefix === item.prefix) {
      if (child !== null && child.entries > 0) child.entries -= 1;
      else if (child?.role !== 'link') this.#endItem();
    }
  }

  text(text: string): void {
    const [item, child] = [this.#item, this.#child];
    if (this.#hint !== '') {
      const before = this.#hinted.get(this.#hint) ?? '';
      if (before.length < fieldCharsMax) this.#hinted.set(this.#hint, before + text);
    } else if (child !== null) {
      if (child.role !== 'inert' && child.text.length < fieldCharsMax) child.text += text;
    } else if (item !== null && !item.hasElements && item.text.length < fieldCharsMax) item.text += text;
  }

  /** `cut`: the document breaks off inside markup. */
  end(cut: boolean): void {
    const [item, child] = [this.#item, this.#child];
    // In a cut file, a link counts if some markup, however broken, ended its text.
    if (cut && item !== null && child?.role === 'link') this.#endChild(item, child);
    this.#endItem();
  }

  /** Entries that were complete since the last call. */
  take(): FeedEntry[] {
    const taken = this.#found;
    this.#found = [];
    return taken;
  }

  /** Text of an element of the feed's own that says how often it is worth asking for; '': none. */
  hint(name: string): string {
    return (this.#hinted.get(name) ?? '').trim().toLowerCase();
  }

  #openOuter(prefix: string, name: string, attributes: Attributes): void {
    const scope = scopeWithin(this.#outer.at(-1)!.scope, attributes, this.#url);
    if (name === this.#itemName && this.#vocabularyOf(prefix, scope) === 'own') {
      this.#hint = '';
      const nothing = { permalink: '', datesMs: [], hasElements: false, text: '' };
      this.#item = { prefix, name, scope, links: [], spare: [], ...nothing };
      if (this.#isChannel) addTo(this.#item.links, attributes.get('href') ?? '', scope);
      return;
    }
    this.#hint = hints.has(name) ? name : '';
    if (this.#hint !== '') this.#hinted.set(this.#hint, '');
    if (this.#outer.length < outerDepthMax) this.#outer.push({ prefix, name, scope });
  }

  #openInItem(item: Item, prefix: string, name: string, attributes: Attributes): void {
    const scope = scopeWithin(item.scope, attributes, this.#url);
    item.hasElements = true;
    const role = this.#roleOf(item, name, this.#vocabularyOf(prefix, scope), attributes, scope);
    this.#child = { prefix, name, scope, role, depth: 0, entries: 0, text: '' };
  }

  /** The vocabulary of an element: the feed's own, Atom's in another feed, or another. */
  #vocabularyOf(prefix: string, { namespaces }: XmlScope): Vocabulary {
    const namespace = namespaces.get(prefix) ?? '';
    if (namespace === '') {
      return prefix === '' || prefix === this.#rootPrefix ? 'own' : prefix === 'atom' ? 'atom' : 'other';
    }
    if (this.#ownNamespaces.has(namespace)) return 'own';
    const known = namespace.toLowerCase();
    if (atomNamespaces.has(known)) return this.#isAtom ? 'own' : 'atom';
    return !this.#isAtom && rssNamespaces.has(known) ? 'own' : 'other';
  }

  #roleOf(item: Item, name: string, vocabulary: Vocabulary, attributes: Attributes, scope: XmlScope): Role {
    if (dates.includes(name)) return 'date';
    if (vocabulary === 'other') return 'inert';
    if (name === 'link') return openLink(item, attributes, vocabulary, scope);
    if (vocabulary !== 'own') return 'inert';
    if (name === 'guid' && !this.#isAtom) return saysNo(attributes.get('ispermalink')) ? 'inert' : 'guid';
    return name === 'title' && attributes.get('type') !== 'xhtml' ? 'title' : 'inert';
  }

  /** Did the author forget to close elements? An entry may be nested in Atom's content, and in no other element. */
  #isForgotten(item: Item, prefix: string, name: string): boolean {
    const child = this.#child;
    if (name === this.#itemName) {
      return (child === null || !this.#isAtom) && this.#vocabularyOf(prefix, item.scope) === 'own';
    }
    if (child?.role !== 'title' || (name !== 'link' && name !== 'guid')) return false;
    return this.#vocabularyOf(prefix, item.scope) === 'own';
  }

  #endItem(): void {
    if (this.#item !== null) this.#found.push(...entriesOf(this.#item));
    this.#item = this.#child = null;
  }

  #endChild(item: Item, { role, name, text, scope }: Child): void {
    this.#child = null;
    if (role === 'link') addTo(item.links, text, scope);
    else if (role === 'guid') item.permalink ||= absoluteHttp.test(text.trim()) ? text.trim() : '';
    else if (role === 'date') addDate(item, name, text);
  }
}

function openLink(item: Item, attributes: Attributes, vocabulary: 'own' | 'atom', scope: XmlScope): Role {
  const href = attributes.get('href') ?? '';
  const rel = (attributes.get('rel') ?? '').trim();
  if (rel !== '' && !alternate.test(rel)) return 'inert';
  // RSS's link is its text.
  if (href === '') return vocabulary === 'own' ? 'link' : 'inert';
  addTo(rel === '' && vocabulary === 'atom' ? item.spare : item.links, href, scope);
  return 'inert';
}

function saysNo(isPermalink = ''): boolean {
  return /^\s*(?:false|no|0)\s*$/i.test(isPermalink);
}

function addTo(links: Item['links'], text: string, { base }: XmlScope): void {
  const location = text.trim();
  if (location !== '' && links.length < locationsPerItemMax) links.push({ location, base });
}

function addDate(item: Item, name: string, text: string): void {
  const ms = parseSitemapDate(text);
  if (ms !== null && ms > 0) item.datesMs[dates.indexOf(name)] ||= ms;
}

function entriesOf(item: Item): FeedEntry[] {
  const lastModifiedMs = item.datesMs.find((ms) => ms > 0) ?? 0;
  const words = item.permalink || (item.hasElements ? '' : item.text.trim());
  const links = [item.links, item.spare].find((some) => some.length > 0);
  if (links === undefined) return absoluteHttp.test(words) ? [{ location: words, lastModifiedMs }] : [];
  return links.map(({ location, base }) => ({ location, lastModifiedMs, ...(base !== '' && { base }) }));
}
