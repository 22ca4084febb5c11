/**
 * Scheduled revisits of a partition: which page is due when, the price of a visit, how refresh and discovery share
 * the fetches, and which hosts' sitemaps are reliable. It is part of the state: only changes alter it. Without a
 * `recrawl` policy it is empty, and costs nothing.
 *
 * It always belongs to the changelog's position, even if rows of hosts are ahead: the checkpoint writes it with the
 * position (checkpoint/save-checkpoint.ts).
 */
import { isFeedSignature } from '../../content/feed-signature.ts';
import { changesPerDay } from '../../policy/recrawl/change-rate.ts';
import { countedIn, type DemoteConfig } from '../../policy/recrawl/demote.ts';
import { classOf, rateClasses } from '../../policy/recrawl/rate-classes.ts';
import type { RecrawlConfig } from '../../policy/recrawl/recrawl-config.ts';
import type { Change, FinalStatus } from '../changes/changes.ts';
import type { Entry } from '../changes/entry.ts';
import { entryOfPage, type PageRecord } from '../changes/page-record.ts';
import { neverDue, type SitemapRound, SitemapRounds } from '../changes/sitemap-rounds.ts';
import { finalStatuses } from '../changes/url-record-bytes.ts';
import { unread } from '../hosts/lease.ts';
import { gainedMax } from './due-flags.ts';
import { type Due, DueTable, noRate } from './due-table.ts';
import type { Retiming } from './retiming.ts';

/** How often a host's sitemaps and feeds reported a change, and how often that was right. Both are halved together. */
export interface Trust {
  readonly fromSitemap: number;
  readonly proved: number;
  /** Due time of the last URL that they reported. */
  readonly lastDueS: number;
}

/** A page of a lease, to be read from its row before the next step. */
export interface PageRead {
  readonly leaseId: number;
  readonly index: number;
  readonly hi: number;
  readonly lo: number;
}

/** Most credit carried along, in thousandths of a fetch. It bounds the longest run of one kind. */
const creditMax = 64_000;
const announcedMax = 64;
/** Encodes a price of zero. */
export const freeVisit = -(2 ** 20);
/** Prices are stored as their logarithm: 1024 steps to the octave. */
const stepsPerOctave = 1024;

export class RecrawlState {
  readonly table = new DueTable();
  readonly trust = new Map<number, Trust>();
  readonly sitemaps = new SitemapRounds();
  /**
   * Pages that are in no row of the checkpoint yet, by fingerprint; and those of a checkpoint that is being written.
   */
  pages = new Map<string, PageRecord>();
  saving: ReadonlyMap<string, PageRecord> = new Map();
  /** Leased pages that have not been read yet. */
  reads: PageRead[] = [];
  price = freeVisit;
  pricedAtMs = 0;
  /** Fetches that refresh is behind its share: thousandths. */
  credit = 0;
  /** In thousandths. */
  share = 0;
  /** null: no policy has changed `recrawl` while pages waited. */
  retiming: Retiming | null = null;
  #unsaved = false;
  #demote: DemoteConfig | undefined;

  /** Follows the policy that is in force from now on. */
  setPolicy(config: RecrawlConfig | undefined): void {
    this.share = config === undefined ? 0 : Math.round(1_000 * config.share);
    this.#demote = config?.demote;
    this.table.countDays(config !== undefined && config.fetchesPerDay !== null);
  }

  get isUnsaved(): boolean {
    return this.#unsaved || this.table.unsaved.size > 0;
  }

  written(): void {
    this.#unsaved = false;
  }

  /** True if there is no schedule, and never was. */
  get isEmpty(): boolean {
    const isUnused = this.credit === 0 && this.pricedAtMs === 0 && this.retiming === null;
    return this.table.size === 0 && this.sitemaps.size === 0 && isUnused;
  }

  /** Price of a visit: freshness for one visit a day. null: no page has been visited twice. */
  get visitPrice(): number | null {
    if (this.pricedAtMs === 0) return null;
    return this.price === freeVisit ? 0 : 2 ** (this.price / stepsPerOctave);
  }

  setPrice(price: number, atMs: number): void {
    this.price = price;
    this.pricedAtMs = atMs;
    this.#unsaved = true;
  }

  setRetiming({ atMs, freshFromMs, reversed, hi, done }: Retiming): void {
    this.retiming = { atMs, freshFromMs, reversed, hi, done };
    this.#unsaved = true;
  }

  put(hi: number, lo: number, host: number, page: PageRecord, dueAtMs: number): void {
    // Feeds are polled in addition to the bandwidth that pages share.
    const rate = isFeedSignature(page.signature) ? null : changesPerDay(page.history);
    const visitedS = Math.floor(page.visitedAtMs / 1_000);
    const row = this.table.find(hi, lo);
    // A failed visit does not change it.
    const before = row < 0 ? null : this.table.at(row);
    const gained = before?.visitedS === visitedS ? before.gained : 0;
    const duplicate = before?.duplicate === true;
    const frontQueue = Math.min(7, countedIn(this.#demote, page, duplicate));
    this.table.put({
      hi,
      lo,
      host,
      dueS: Math.ceil(dueAtMs / 1_000),
      visitedS,
      status: finalStatuses.indexOf(page.record.status),
      frontQueue,
      rateClass: rate === null ? noRate : classOf(rate, frontQueue),
      fromSitemap: false,
      out: false,
      pushed: false,
      duplicate,
      gained,
    });
    this.pages.set(pageKey(hi, lo), page);
  }

  /** URLs that wait for a visit, and hosts with due sitemaps. */
  get scheduled(): number {
    return this.table.size - this.table.out + this.sitemaps.pending;
  }

  /** When a host's first URL, or its sitemaps, are due, ms; undefined: none. */
  dueAtMs(host: number): number | undefined {
    const sitemapsAtMs = this.sitemaps.dueAtMs(host);
    const dueS = this.table.size === 0 ? undefined : this.table.firstDueS(host);
    if (dueS === undefined) return sitemapsAtMs;
    return sitemapsAtMs === undefined ? 1_000 * dueS : Math.min(1_000 * dueS, sitemapsAtMs);
  }

  setRound(host: number, round: SitemapRound): void {
    this.sitemaps.put(host, round);
    this.#unsaved = true;
  }

  /** Changes the due time of a scheduled URL. A leased URL is only marked, and the end of its visit sets the time. */
  move([hi, lo]: Readonly<Uint32Array>, dueS: number, fromSitemap: boolean): void {
    const due = this.table.remove(this.table.find(hi!, lo!));
    this.table.put(due.out ? { ...due, pushed: true } : { ...due, dueS, fromSitemap });
    if (fromSitemap) this.#trust(due.host, { lastDueS: dueS });
  }

  /** The content dedup's verdict on a page that is scheduled; its front queue follows at once, downward. */
  judge([hi, lo]: Readonly<Uint32Array>, duplicate: boolean): void {
    const row = this.table.find(hi!, lo!);
    if (row < 0) return;
    const due = this.table.remove(row);
    const frontQueue = duplicate ? Math.max(due.frontQueue, this.#demote?.frontQueue ?? 0) : due.frontQueue;
    const rateClass = due.rateClass === noRate ? noRate : frontQueue * rateClasses + (due.rateClass % rateClasses);
    this.table.put({ ...due, duplicate, frontQueue, rateClass });
  }

  /** Counts new URLs that links of a page have led to. Does nothing if the page is no longer scheduled. */
  gain([hi, lo]: Readonly<Uint32Array>, urls: number): void {
    const row = this.table.find(hi!, lo!);
    if (row < 0) return;
    const due = this.table.remove(row);
    this.table.put({ ...due, gained: Math.min(gainedMax, due.gained + urls) });
  }

  /** Takes due URLs of a host for a lease; the credit counts all URLs of the lease. */
  take(host: number, grant: Change & { readonly kind: 'grant' | 'grantDue' | 'grantSitemaps' }): readonly Due[] {
    const due = grant.kind === 'grantDue' ? grant.due : 0;
    if (due === 0 && this.share === 0) return none;
    const all = grant.frontQueues.reduce((sum, [, count]) => sum + count, due + grant.again);
    const credit = this.credit + this.share * all - 1_000 * due;
    this.credit = Math.max(-creditMax, Math.min(creditMax, credit));
    this.#unsaved = true;
    return this.table.take(host, due);
  }

  /** A page's entry for a lease: `unread`, and to be read, if it is not in memory. */
  enter({ hi, lo }: Due, leaseId: number, index: number, pages: Map<number, PageRecord>): Entry {
    const page = this.pageAt(hi, lo);
    if (page === undefined) {
      this.reads.push({ leaseId, index, hi, lo });
      return unread;
    }
    pages.set(index, page);
    return entryOfPage(page);
  }

  /** URLs that are still on lease are due again. Returns the numbers of their hosts, which are to be settled. */
  endLeases(nowMs: number): ReadonlySet<number> {
    return this.table.out > 0 ? this.table.endLeases(Math.ceil(nowMs / 1_000)) : new Set();
  }

  isScheduled([hi, lo]: Readonly<Uint32Array>): boolean {
    return this.table.size > 0 && this.table.find(hi!, lo!) >= 0;
  }

  /** A URL on lease leaves the schedule. */
  drop([hi, lo]: Readonly<Uint32Array>): void {
    const row = this.table.find(hi!, lo!);
    if (row >= 0 && this.table.at(row).out) this.table.remove(row);
  }

  /** Removes a URL from the schedule, on lease or not. */
  forgetUrl(hi: number, lo: number): void {
    this.pages.delete(pageKey(hi, lo));
    const row = this.table.find(hi, lo);
    if (row >= 0) this.table.remove(row);
  }

  forgetHost(host: number): void {
    for (let row = 0; row < this.table.end; row++) {
      if (!this.table.inUse(row)) continue;
      const due = this.table.at(row);
      if (due.host === host) this.forgetUrl(due.hi, due.lo);
    }
    if (this.trust.delete(host)) this.#unsaved = true;
    const round = this.sitemaps.of(host);
    if (round !== undefined) this.setRound(host, { ...round, dueS: neverDue });
  }

  learn(host: number, proved: boolean): void {
    const { fromSitemap, proved: was } = this.trust.get(host) ?? noTrust;
    const [kept, keptProved] = fromSitemap >= announcedMax ? [fromSitemap >> 1, was >> 1] : [fromSitemap, was];
    this.#trust(host, { fromSitemap: kept + 1, proved: keptProved + (proved ? 1 : 0) });
  }

  #trust(host: number, change: Partial<Trust>): void {
    this.trust.set(host, { ...(this.trust.get(host) ?? noTrust), ...change });
    this.#unsaved = true;
  }

  /** The present pages are about to be written; until that is done, they are found here. */
  beginSaving(): void {
    this.saving = this.pages;
    this.pages = new Map();
  }

  /** They are in the checkpoint. */
  endSaving(pages: ReadonlyMap<string, PageRecord>): void {
    if (this.saving === pages) this.saving = new Map();
  }

  /** A page that is in memory; undefined: it has to be read. */
  pageAt(hi: number, lo: number): PageRecord | undefined {
    const key = pageKey(hi, lo);
    return this.pages.get(key) ?? this.saving.get(key);
  }

  /** Replaces the URL's record. */
  forget([hi, lo]: Readonly<Uint32Array>): void {
    this.pages.delete(pageKey(hi!, lo!));
  }
}

const none: readonly never[] = [];
const noTrust: Trust = { fromSitemap: 0, proved: 0, lastDueS: 0 };

/** The place a row's URL counts under. */
export function finalStatusOf(status: number): FinalStatus {
  return finalStatuses[status]!;
}

/** The logarithm that a price is kept as. */
export function pricedAs(price: number): number {
  return price <= 0 ? freeVisit : Math.round(stepsPerOctave * Math.log2(price));
}

function pageKey(hi: number, lo: number): string {
  return `${hi.toString(36)} ${lo.toString(36)}`;
}
