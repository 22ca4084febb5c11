/**
 * Content dedup: decides which pages are duplicates, and of which page.
 *
 * Pages with the same or nearly the same content form clusters (content-nodes.ts). The best page of a cluster
 * represents it. Its registrable domain is that of the page that has had the content for longest, ignoring pages that
 * name a page of another domain as canonical. A page's own statements count only within its domain, because any copy
 * may call itself the original: there, the page that names itself canonical is best, then the earliest, then by URL.
 * A verdict is published on `duplicates` again whenever it changes, so the newest record of a URL counts.
 *
 * A cluster's best page depends on its set of pages, not on the order in which they came. The order may affect which
 * pages are near each other, if a page lies between two others (content-nodes.ts). A replaced version of a page still
 * takes part in comparisons. Outputs are acked before their rows are written: after a crash they may be published
 * twice, but none is missing.
 */
import type { Duplicate, Page } from '../../../schemas/types.ts';
import { contentLimits } from '../../../topology/content/content-limits.ts';
import { domainOf } from '../../../topology/url/domain-of.ts';
import type { StateStore, StoreOp } from '../../runtime/store/store.ts';
import type { ContentNodes } from './content-nodes.ts';
import {
  type Authority,
  bestKey,
  bestsOf,
  claimKey,
  claimOf,
  claimsOf,
  fromJson,
  jsonRow,
  type KnownPage,
  pageKey,
  rankOf,
  touchedKey,
  touchedRange,
  urlOfPage,
  urlOfRank,
} from './rows.ts';

/** A page's fields for the dedup. */
export interface PageSeen {
  readonly page: Pick<Page, 'url' | 'hostKey' | 'fetchedAtMs' | 'canonical' | 'title' | 'text' | 'mainText'>;
  /** First 64 bits of a hash of its content, hexadecimal. */
  readonly content: string;
  readonly language: string;
  readonly partition: number;
  readonly offset: number;
}

export interface Verdict {
  readonly isNew: boolean;
  /** The representative of the page; empty: the page is not a duplicate. */
  readonly representative: string;
}

export interface DeduperOptions {
  readonly store: StateStore;
  readonly nodes: ContentNodes;
  readonly nowMs: () => number;
  /** Resolves once they are durable. */
  readonly publish: (
    published: readonly { readonly partition: number; readonly duplicate: Duplicate }[],
  ) => Promise<void>;
}

/** A cluster's fields. */
interface Best {
  readonly domain: string;
  /** The keys of the page of that domain that has been there for longest, and of its best page. */
  readonly claim: Buffer;
  readonly rank: Buffer;
}

/** Without a node, the page is gone; it is remembered so that an older version of it does not come back. */
const nowhere = -1;

export class Deduper {
  readonly #options: DeduperOptions;
  /** Pages in each cluster, by root. */
  readonly #members = new Map<number, number>();
  /** The best page of recently used clusters, least recently used first. */
  readonly #bests = new Map<number, Best>();
  /** Pages of the current batch. */
  readonly #pages = new Map<string, KnownPage>();
  /** Nodes with clusters that the batch changes, and those of them that are marked in the store. */
  readonly #touched = new Set<number>();
  readonly #marked = new Set<number>();
  #ops: StoreOp[] = [];
  #unpublished: { partition: number; duplicate: Duplicate }[] = [];

  private constructor(options: DeduperOptions) {
    this.#options = options;
  }

  static async open(options: DeduperOptions): Promise<Deduper> {
    const deduper = new Deduper(options);
    const { clusters } = options.nodes;
    for (let node = 0; node < clusters.size; node++) {
      for await (const _ of options.store.scan(claimsOf(node))) deduper.#count(clusters.rootOf(node), 1);
    }
    await deduper.#finishPublishing();
    return deduper;
  }

  /**
   * A batch that was cut short has written some of its pages, but has not published what follows from them for others.
   */
  async #finishPublishing(): Promise<void> {
    const nodes: number[] = [];
    for await (const [key] of this.#options.store.scan(touchedRange)) nodes.push(key.readUInt32BE(1));
    for (const node of nodes) {
      this.#marked.add(node);
      await this.#choose(node);
    }
    await this.finish([]);
  }

  /** Loads the known rows of a batch's pages at once. */
  async prepare(urls: readonly string[]): Promise<void> {
    this.#pages.clear();
    const wanted = [...new Set(urls)];
    const rows = await this.#options.store.getMany(wanted.map(pageKey));
    for (const [i, row] of rows.entries()) {
      const known = fromJson<KnownPage>(row);
      if (known !== undefined) this.#pages.set(wanted[i]!, known);
    }
  }

  async add(seen: PageSeen): Promise<Verdict> {
    const { page, content, language, partition, offset } = seen;
    const { url, hostKey, fetchedAtMs } = page;
    const known = this.#pages.get(url);
    const { nodes } = this.#options;
    // Menus and advertisements around a text differ from site to site, and would hide that the texts are equal. SimHash
    // signs the whole text, as stores of earlier releases do: signatures of both would not compare.
    const text = nodes.method === 'simhash' ? page.text : page.mainText || page.text;
    const node = await nodes.place({ hash: content, text, title: page.title, hostKey }, this.#ops);
    const root = nodes.clusters.rootOf(node);
    this.#touched.add(node);
    if (known !== undefined && known.fetchedAtMs >= fetchedAtMs) {
      return { isNew: false, representative: known.told };
    }
    const published = known?.told ?? '';
    const reportedAtMs = known?.toldAtMs ?? 0;
    const domain = domainOf(url);
    // A page that stays nearly the same keeps the time at which it was first seen, and so does one that was gone and is
    // back unchanged.
    const isAsBefore =
      known !== undefined &&
      (known.content === content || (known.node !== nowhere && nodes.clusters.rootOf(known.node) === root));
    const now: KnownPage = {
      node,
      hostKey,
      domain,
      sinceMs: isAsBefore ? known.sinceMs : fetchedAtMs,
      partition,
      offset,
      fetchedAtMs,
      content,
      language,
      authority: authorityOf(page, domain),
      told: published,
      toldAtMs: reportedAtMs,
    };
    const left = known === undefined ? undefined : await this.#leave(url, known);
    const before = await this.#bestOf(root);
    this.#keep(url, now);
    for (const key of keysOf(url, now)) this.#ops.push({ key, value: Buffer.alloc(0) });
    this.#count(root, 1);
    const best = await this.#withPage(root, before, url, now);
    const representative = urlOfRank(best.rank);
    const better = representative === url ? '' : representative;
    // An index may have received the verdict after this version was fetched, so it is published again.
    this.#publish(url, better, better !== '' || published !== '' || reportedAtMs >= fetchedAtMs);
    if (before !== undefined && urlOfRank(before.rank) !== representative) {
      await this.#publishAll([...this.#options.nodes.clusters.of(node)], representative);
    }
    if (left !== undefined) await this.#choose(left);
    return { isNew: known === undefined, representative: better };
  }

  /** The page is gone, or asks not to be indexed: it represents nothing. */
  async remove(
    url: string,
    atMs: number,
    place: Pick<PageSeen, 'partition'> & { readonly hostKey: string },
  ): Promise<void> {
    const known = this.#pages.get(url);
    if (known !== undefined && known.fetchedAtMs >= atMs) return;
    const left = known === undefined ? undefined : await this.#leave(url, known);
    const { partition, hostKey } = place;
    const none = { content: '', language: '', authority: 1, told: '', toldAtMs: 0, sinceMs: 0 } as const;
    const domain = domainOf(url);
    // There is no offset, so this record does not make an index show the page again.
    this.#keep(url, { ...none, domain, ...known, node: nowhere, offset: -1, fetchedAtMs: atMs, hostKey, partition });
    this.#publish(url, '', false);
    if (left !== undefined) await this.#choose(left);
  }

  /** Forgets the pages with URLs in the range: they represent nothing, and nothing represents them. */
  async purge({ from, below }: { readonly from: string; readonly below: string }): Promise<void> {
    const { store } = this.#options;
    for (;;) {
      await this.commit([]);
      const urls: string[] = [];
      const range = { gte: pageKey(from), lt: pageKey(below), limit: contentLimits.publishedAtOnce };
      for await (const [key] of store.scan(range)) urls.push(urlOfPage(key));
      if (urls.length === 0) return;
      for (const url of urls) {
        await this.#load(url);
        const left = await this.#leave(url, this.#pages.get(url)!);
        this.#pages.delete(url);
        this.#ops.push({ key: pageKey(url), value: null });
        if (left !== undefined) await this.#choose(left);
      }
    }
  }

  /** Ends a batch: all of it is durable, together with `ops`. */
  async finish(ops: readonly StoreOp[]): Promise<void> {
    const unmarked = [...this.#marked].map((node) => ({ key: touchedKey(node), value: null }));
    this.#touched.clear();
    await this.commit([...ops, ...unmarked]);
    this.#marked.clear();
  }

  /** Saves in the middle of a batch: the clusters it touches are marked, so that a restart finishes publishing them. */
  async commit(ops: readonly StoreOp[]): Promise<void> {
    if (this.#unpublished.length > 0) await this.#options.publish(this.#unpublished);
    this.#unpublished = [];
    const rows = [...this.#ops, ...this.#options.nodes.settle(), ...ops];
    for (const node of this.#touched) {
      if (!this.#marked.has(node)) rows.push({ key: touchedKey(node), value: Buffer.alloc(0) });
      this.#marked.add(node);
    }
    this.#touched.clear();
    this.#ops = [];
    if (rows.length > 0) await this.#options.store.write(rows);
  }

  /** Takes a page out of its cluster; returns the cluster's root if it has to choose another best page. */
  async #leave(url: string, known: KnownPage): Promise<number | undefined> {
    if (known.node === nowhere) return undefined;
    this.#touched.add(known.node);
    const root = this.#options.nodes.clusters.rootOf(known.node);
    const best = await this.#bestOf(root);
    for (const key of keysOf(url, known)) this.#ops.push({ key, value: null });
    this.#count(root, -1);
    if (best === undefined || (urlOfRank(best.rank) !== url && urlOfRank(best.claim) !== url)) return undefined;
    this.#bests.delete(root);
    return known.node;
  }

  /** The best page of a cluster has left, or a better one came: the new representative of the others is published. */
  async #choose(node: number): Promise<void> {
    const { clusters } = this.#options.nodes;
    const best = await this.#bestOf(clusters.rootOf(node));
    if (best !== undefined) await this.#publishAll([...clusters.of(node)], urlOfRank(best.rank));
  }

  async #publishAll(nodes: readonly number[], representative: string): Promise<void> {
    await this.commit([]);
    for (const node of nodes) {
      for await (const [key] of this.#options.store.scan(claimsOf(node))) {
        const url = urlOfRank(claimOf(key));
        await this.#load(url);
        this.#publish(url, url === representative ? '' : representative, false);
        if (this.#unpublished.length >= contentLimits.publishedAtOnce) await this.commit([]);
      }
    }
  }

  /** Publishes a verdict; `always`: even if it has not changed. */
  #publish(url: string, representative: string, always: boolean): void {
    const known = this.#pages.get(url)!;
    if (known.told === representative && !always) return;
    const { clusters, method } = this.#options.nodes;
    const atMs = Math.max(this.#options.nowMs(), known.fetchedAtMs + 1, known.toldAtMs + 1);
    const same = this.#pages.get(representative)?.content === known.content;
    const { hostKey, language, offset, fetchedAtMs, partition } = known;
    const duplicate: Duplicate = {
      url,
      hostKey,
      representative: representative || url,
      method: representative === '' ? 'none' : same ? 'exact' : method,
      members: known.node === nowhere ? 0 : (this.#members.get(clusters.rootOf(known.node)) ?? 0),
      language,
      pageOffset: offset,
      fetchedAtMs,
      atMs,
    };
    this.#unpublished.push({ partition, duplicate });
    this.#keep(url, { ...known, told: representative, toldAtMs: atMs });
  }

  /** The best page of a cluster that has one page more; that page's rows may not be in the store yet. */
  async #withPage(root: number, before: Best | undefined, url: string, page: KnownPage): Promise<Best> {
    const [claim, rank] = [claimOf(claimKey(url, page)), rankOf(bestKey(url, page))];
    const { domain } = page;
    if (before !== undefined && before.domain !== domain && Buffer.compare(claim, before.claim) < 0) {
      // The cluster now belongs to this domain; its best page may have been there before.
      this.#bests.delete(root);
      return (await this.#bestOf(root))!;
    }
    if (before !== undefined && before.domain !== domain) return before;
    const best =
      before === undefined
        ? { domain, claim, rank }
        : { domain, claim: lesser(before.claim, claim), rank: lesser(before.rank, rank) };
    this.#setBest(root, best);
    return best;
  }

  async #bestOf(root: number): Promise<Best | undefined> {
    const held = this.#bests.get(root);
    if (held !== undefined) {
      this.#setBest(root, held);
      await this.#load(urlOfRank(held.rank));
      return held;
    }
    if ((this.#members.get(root) ?? 0) === 0) return undefined;
    await this.commit([]);
    const nodes = [...this.#options.nodes.clusters.of(root)];
    const claim = await this.#least(nodes, claimsOf, claimOf);
    if (claim === undefined) return undefined;
    await this.#load(urlOfRank(claim));
    const { domain } = this.#pages.get(urlOfRank(claim))!;
    const rank = (await this.#least(nodes, (node) => bestsOf(node, domain), rankOf))!;
    const best = { domain, claim, rank };
    this.#setBest(root, best);
    await this.#load(urlOfRank(rank));
    return best;
  }

  /** The first in the sort order, over all nodes. */
  async #least(
    nodes: readonly number[],
    rangeOf: (node: number) => { readonly gte: Buffer; readonly lt: Buffer },
    partOf: (key: Buffer) => Buffer,
  ): Promise<Buffer | undefined> {
    let least: Buffer | undefined;
    for (const node of nodes) {
      for await (const [key] of this.#options.store.scan({ ...rangeOf(node), limit: 1 })) {
        const part = Buffer.from(partOf(key));
        least = least === undefined ? part : lesser(least, part);
      }
    }
    return least;
  }

  #setBest(root: number, best: Best): void {
    this.#bests.delete(root);
    this.#bests.set(root, best);
    if (this.#bests.size > contentLimits.bestsMax) this.#bests.delete(this.#bests.keys().next().value!);
  }

  #count(root: number, more: number): void {
    if (more !== 0) this.#members.set(root, (this.#members.get(root) ?? 0) + more);
  }

  /** The stored fields of a page that is not in the batch. */
  async #load(url: string): Promise<void> {
    if (this.#pages.has(url)) return;
    const known = fromJson<KnownPage>(await this.#options.store.get(pageKey(url)));
    if (known !== undefined) this.#pages.set(url, known);
  }

  #keep(url: string, known: KnownPage): void {
    this.#pages.set(url, known);
    this.#ops.push(jsonRow(pageKey(url), known));
  }
}

function keysOf(url: string, known: KnownPage): readonly Buffer[] {
  return [claimKey(url, known), bestKey(url, known)];
}

function lesser(a: Buffer, b: Buffer): Buffer {
  return Buffer.compare(a, b) <= 0 ? a : b;
}

function authorityOf({ url, canonical }: PageSeen['page'], domain: string): Authority {
  if (canonical === '') return 1;
  if (canonical === url) return 0;
  // Text that is not an http URL names no other page.
  return /^https?:\/\/[^/]/.test(canonical) && domainOf(canonical) !== domain ? 3 : 2;
}
