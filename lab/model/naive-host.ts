/**
 * A host according to the rules of politeness and back-off (docs/design.md §4.15), in the plainest way, for the model
 * (naive-frontier.ts). The product draws the jitter of a back-off; the model has bounds for it. Times in ms.
 */
import type { Result } from '../../schemas/types.ts';
import type { NaiveBudget } from './naive-budgets.ts';
import type { NaiveWindow } from './naive-windows.ts';

/** The settings of a policy that scheduling uses. */
export interface Rules {
  delayMs: number;
  delayFactor: number;
  delayFactorCapMs: number;
  crawlDelayCapMs: number;
  retriesMs: readonly number[];
  serverErrorsMax?: number;
  leadTimeMs: number;
  urlsPerLeaseMax: number;
  urlsPerHostMax: number | null;
  queuedMax: number;
  whenFull: 'pause' | 'dropLowest';
  maxDepth: number;
  pageQuota: number | null;
  parallel: readonly { readonly hosts: readonly string[]; readonly leases: number }[];
  pagesPerHostMax?: number | null;
  bytesPerHostMax?: number | null;
  windows?: readonly NaiveWindow[];
  budget?: NaiveBudget;
  politenessKey?: 'host' | 'domain';
  scope?: { readonly names: readonly string[] };
  overlays?: readonly {
    readonly match: { readonly hosts?: readonly string[]; readonly domains?: readonly string[] };
    readonly set: Partial<Rules> & { readonly leases?: number };
  }[];
}

/**
 * The rules for a host: those of the crawl, with the settings of each overlay that names the host; the last overlay
 * wins.
 */
export function rulesOf(rules: Rules, hostKey: string): Rules & { readonly leases?: number } {
  const name = hostKey.replace(/:\d+$/, '');
  let own: Rules & { readonly leases?: number } = rules;
  for (const { match, set } of rules.overlays ?? []) {
    const isNamed = match.hosts?.includes(name) || match.hosts?.includes(hostKey);
    if (isNamed || match.domains?.some((domain) => name.endsWith(`.${domain}`))) own = { ...own, ...set };
  }
  return own;
}

export interface Url {
  readonly url: string;
  readonly depth: number;
  readonly hop: number;
  readonly attempts: number;
  readonly expiries: number;
  readonly frontQueue: number;
  readonly tags: readonly string[];
}

export const newHost = () => ({
  /** Hosts are numbered in the order in which they are found. */
  number: 0,
  frontQueues: Array.from({ length: 8 }, (): Url[] => []),
  again: [] as { readonly dueMs: number; readonly url: Url }[],
  /** URLs beyond a budget, and whether they may be leased. */
  deferred: [] as Url[],
  isOpen: false,
  ownBudget: -1,
  /** Current leases. */
  out: 0,
  /** Most leases: the operator's value (-1: none), and the value in force. */
  ownSlots: -1,
  hostSlots: 1,
  /** When the next lease may begin, and when returned slots may be used again. */
  nextMs: 0,
  freeMs: [] as number[],
  /** Leases with lower numbers were granted before the trouble began. */
  troubledFrom: 0,
  /** The host is ready between these times: jitter. */
  readyMinMs: 0,
  readyMaxMs: 0,
  crawlDelayMs: -1,
  ownDelayMs: -1,
  ownDelayIsLeast: false,
  pagesMax: -1,
  /** Amounts that the policy allows the host, constant for a whole game: pages (-1: any number), and bytes. */
  pagesCap: -1,
  bytesCap: Number.POSITIVE_INFINITY,
  pages: 0,
  /** URLs with a final answer. */
  fetched: 0,
  bytes: 0,
  fetchMs: 0,
  failures: 0,
  throttles: 0,
  /** Failures in a row, of different URLs. */
  serverErrors: 0,
  returns: 0,
  leaseMax: 0,
  hold: '' as '' | 'blocked' | 'paused' | 'crawlDelay' | 'purged',
  dead: false,
  deadUntilMs: 0,
});
export type NaiveHost = ReturnType<typeof newHost>;

/** All URLs in its queue. */
export function queuedOf({ again, frontQueues, deferred }: NaiveHost): number {
  return again.length + frontQueues.flat().length + deferred.length;
}

/** The front queue of the host: that of its best URL; among equal ones, returned URLs come first. */
export function queueOf({ frontQueues, again }: NaiveHost): number {
  const fresh = frontQueues.findIndex((queue) => queue.length > 0);
  const best = Math.min(fresh < 0 ? 8 : fresh, again[0]?.url.frontQueue ?? 8);
  // URLs that waited for a budget are in the last front queue.
  return Math.min(best, 7);
}

/**
 * The next untried URLs, at most `left`: from the best front queue first. Once in 512 fetches, one of another front
 * queue is taken, from each in turn.
 */
export function freshOf({ frontQueues, fetched }: NaiveHost, left: number): Url[] {
  const filled = frontQueues.filter((queue) => queue.length > 0);
  const isTurn = left > 0 && filled.length > 1 && Math.floor((fetched + left) / 512) > Math.floor(fetched / 512);
  const other = isTurn ? filled[1 + (Math.floor(fetched / 512) % (filled.length - 1))]! : undefined;
  const plain = filled.flatMap((queue) => (queue === other ? queue.slice(1) : queue));
  const chosen = new Set([...plain.slice(0, left - (other ? 1 : 0)), ...(other?.slice(0, 1) ?? [])]);
  return filled.flat().filter((url) => chosen.has(url));
}

/** It gets no leases until a command allows them. */
export function isHeld(host: NaiveHost): boolean {
  const most = pagesMaxOf(host);
  return host.hold !== '' || (most >= 0 && host.pages >= most) || host.bytes >= host.bytesCap;
}

/** Pages that it may still give, by the operator or else by the policy; -1: any number. */
function pagesMaxOf({ pagesMax, pagesCap }: NaiveHost): number {
  return pagesMax >= 0 ? pagesMax : pagesCap;
}

export function leaseSize(host: NaiveHost, rules: Rules): number {
  if (host.failures + host.throttles > 0) return 1;
  const { leadTimeMs, urlsPerLeaseMax } = rules;
  const fits = Math.max(1, Math.floor(leadTimeMs / expectedMs(host, rules)));
  const most = host.fetchMs === 0 ? 8 : urlsPerLeaseMax;
  const pagesMax = pagesMaxOf(host);
  const pagesLeft = pagesMax < 0 ? Number.POSITIVE_INFINITY : Math.max(1, pagesMax - host.pages);
  return Math.min(fits, most, host.leaseMax || urlsPerLeaseMax, pagesLeft);
}

/**
 * True if the host is backed off because its server failed one URL after another: untried URLs are then requested
 * first.
 */
export function isFailing({ throttles, serverErrors }: NaiveHost, { serverErrorsMax = 0 }: Rules): boolean {
  return throttles > 0 && serverErrorsMax > 0 && serverErrors >= serverErrorsMax;
}

export function baseMs(host: NaiveHost, rules: Rules): number {
  const { ownDelayMs, ownDelayIsLeast, crawlDelayMs } = host;
  const least = ownDelayMs < 0 || ownDelayIsLeast ? rules.delayMs : 0;
  return Math.max(ownDelayMs, least, crawlDelayMs);
}

export function politeMs(host: NaiveHost, rules: Rules): number {
  const adaptiveMs = Math.min(rules.delayFactor * host.fetchMs, rules.delayFactorCapMs);
  return Math.max(baseMs(host, rules), Math.round(adaptiveMs));
}

/** Expected time of one URL of a lease. */
export function expectedMs(host: NaiveHost, rules: Rules): number {
  return politeMs(host, rules) + (host.fetchMs || 500);
}

/** A contact never makes a time of readiness earlier. */
export function raise(host: NaiveHost, minMs: number, maxMs = minMs): void {
  host.readyMinMs = Math.max(host.readyMinMs, minMs);
  host.readyMaxMs = Math.max(host.readyMaxMs, maxMs);
}

/** Sorted by due time; equal times keep their order of arrival. */
export function putAgain(host: NaiveHost, dueMs: number, url: Url): void {
  host.again.push({ dueMs, url });
  host.again.sort((a, b) => a.dueMs - b.dueMs);
}

/** The wait that a result requires before the next contact, counted from the completion of the last request. */
export interface Trouble {
  readonly hostFailed: boolean;
  readonly throttled: boolean;
  readonly retryAfterMs: number;
}

/** `before`: the host before the result. */
export function raiseAfter(
  host: NaiveHost,
  before: NaiveHost,
  rules: Rules,
  result: Result,
  nowMs: number,
  trouble: Trouble,
): void {
  const fromMs = result.completedAtMs || (result.last ? nowMs : 0);
  if (fromMs === 0) return;
  const { retriesMs } = rules;
  const longestMs = retriesMs.at(-1) ?? 0;
  // With several slots, each slot has its own delay.
  const waits = [hostSlotsNow(host) > 1 ? 0 : politeMs(host, rules), trouble.retryAfterMs];
  if (trouble.hostFailed) waits.push(retriesMs[Math.min(host.failures, retriesMs.length) - 1] ?? 0);
  if (result.last && host.returns > 0) waits.push(Math.min(1000 * 2 ** (host.returns - 1), 30_000));
  const backOffMs = trouble.throttled ? Math.min((retriesMs[0] ?? 0) * 2 ** (host.throttles - 1), longestMs) : 0;
  const [minMs, maxMs] = [0.8, 1.2].map((jitter) => Math.max(...waits, Math.round(backOffMs * jitter)));
  if (maxMs! > 0 || hostSlotsNow(host) === 1) raise(host, fromMs + minMs!, fromMs + maxMs!);
  const pauseMs = Math.max(...waits.slice(1), backOffMs);
  const goesOn = isTroubled(before) && before.readyMinMs > fromMs;
  if (pauseMs > 0 || goesOn) notePause(host);
}

/** A pause that a host asks for counts as trouble until its next contact. */
export function notePause(host: NaiveHost): void {
  if (!isTroubled(host)) host.returns = 1;
}

/** The whole wait of a host in trouble is a pause. */
function isTroubled({ failures, throttles, returns }: NaiveHost): boolean {
  return failures + throttles + returns > 0;
}

/** The trouble ends by an order, and the pause lasts. */
export function endTrouble(host: NaiveHost, nowMs: number): void {
  if (isTroubled(host) && host.readyMinMs > nowMs) host.returns = Math.max(1, host.returns);
  Object.assign(host, { dead: false, failures: 0, throttles: 0, serverErrors: 0 });
}

/** The delays of a host under some rules. */
export interface NaiveDelays {
  readonly baseMs: number;
  readonly politeMs: number;
}

export function delaysOf(host: NaiveHost, rules: Rules): NaiveDelays {
  return { baseMs: baseMs(host, rules), politeMs: politeMs(host, rules) };
}

/** The host has other delays than `from`, in each of its slots. */
export function follow(host: NaiveHost, from: NaiveDelays, to: NaiveDelays, nowMs: number): void {
  if (from.politeMs === to.politeMs && from.baseMs === to.baseMs) return;
  const isLonger = to.politeMs > from.politeMs || to.baseMs > from.baseMs;
  const moved = (atMs: number) => movedWait(atMs, isLonger, from.politeMs, to.politeMs, nowMs);
  if (isLonger || !isTroubled(host)) {
    host.readyMinMs = moved(host.readyMinMs);
    host.readyMaxMs = moved(host.readyMaxMs);
  }
  if (isPlain(host)) return;
  const [fromMs, toMs] = [from, to].map(({ baseMs }) => (host.hostSlots > 1 ? Math.ceil(baseMs / host.hostSlots) : 0));
  if (host.nextMs > 0) host.nextMs = movedWait(host.nextMs, toMs! > fromMs!, fromMs!, toMs!, nowMs);
  const forgotten = isLonger ? Math.max(0, host.hostSlots - host.out - host.freeMs.length) : 0;
  host.freeMs = [...host.freeMs.map(moved), ...new Array<number>(forgotten).fill(nowMs + to.politeMs)];
}

/** A longer delay counts from now, or from the end of a wait that is over; a shorter one from now. */
function movedWait(atMs: number, isLonger: boolean, fromMs: number, toMs: number, nowMs: number): number {
  if (!isLonger) return atMs > nowMs + fromMs ? atMs : Math.min(atMs, nowMs + toMs);
  const movedMs = Math.max(atMs, Math.min(atMs, nowMs) + toMs);
  return movedMs <= nowMs ? atMs : movedMs;
}

/** Most leases at present: one while the host is in trouble, has a Crawl-delay, or is not known yet. */
export function hostSlotsNow({ hostSlots, failures, throttles, crawlDelayMs, fetchMs }: NaiveHost): number {
  return failures + throttles > 0 || crawlDelayMs > 0 || fetchMs === 0 ? 1 : hostSlots;
}

/** When a slot is free, by the slots alone. */
export function slotFreeMs(host: NaiveHost): number {
  const free = hostSlotsNow(host) - host.out;
  if (free <= 0) return Number.POSITIVE_INFINITY;
  const sorted = host.freeMs.toSorted((a, b) => b - a);
  return Math.max(sorted[free - 1] ?? 0, host.nextMs);
}

/** A host with one slot, and recently no more, has no slots to check. */
export function isPlain({ ownSlots, hostSlots, freeMs }: NaiveHost): boolean {
  return ownSlots < 0 && hostSlots === 1 && freeMs.length === 0;
}

export function setHostSlots(host: NaiveHost, key: string, rules: Rules): void {
  const rule = rules.parallel.find(({ hosts }) => hosts.includes(key.replace(/:\d+$/, '')));
  const leases = rulesOf(rules, key).leases ?? rule?.leases ?? 1;
  host.hostSlots = host.ownSlots > 0 ? host.ownSlots : leases;
  if (isPlain(host)) host.nextMs = host.troubledFrom = 0;
}

/** The host's share of the queue, and of the pages that an operator allows. */
export function hostSlotShare(host: NaiveHost, due: number, leased: number): number {
  const hostSlots = hostSlotsNow(host);
  if (hostSlots === 1) return Number.POSITIVE_INFINITY;
  const open = host.isOpen ? host.deferred.length : 0;
  const share = Math.ceil((due + host.frontQueues.flat().length + open) / (hostSlots - host.out));
  const pagesMax = pagesMaxOf(host);
  return pagesMax < 0 ? share : Math.max(0, Math.min(share, pagesMax - host.pages - leased));
}
