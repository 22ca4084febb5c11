/**
 * The politeness audit: recomputes the kept waits from `results`, and reports each broken promise.
 *
 * It is independent of the crawler: it uses no code of the scheduler, the fetcher or their robots.txt parser (a test
 * checks this folder's imports), only the records of requests, `control` and `robots`. Every request counts: pages,
 * robots.txt and its redirects, sitemaps, and a browser's page loads. Hosts are taken from the requested URLs, not from
 * queues.
 *
 * Results must come nearly in order of time, over all partitions. Memory: a window per host and per address that was
 * contacted within the last day.
 */
import type { Request, Result } from '../../../schemas/types.ts';
import { type AddressContacts, createAddressContacts } from './address-contacts.ts';
import { broken, type Contact, type Tolerance } from './contact.ts';
import { createHostContacts, type HostContacts } from './host-contacts.ts';
import type { Orders } from './orders.ts';
import { type Copy, createRobotsAnswers, type RobotsAnswers } from './robots-answers.ts';
import type { Place, Violation } from './violation.ts';

export interface AuditOptions extends Tolerance {
  readonly orders: Orders;
  /**
   * Returns the copy of an origin's robots.txt with this hash, read for these product tokens (from results; empty: for
   * that of the copy); undefined: it is not on the log.
   */
  readonly copyOf: (origin: string, hash: string, tokens: string) => Copy | undefined;
  /** The registrable domain of a host, if the policy's delay is shared by domain. Absent: hosts are not compared. */
  readonly domainOf?: (host: string) => string;
  /** Requests before are passed over, ms since the Unix epoch. */
  readonly fromMs: number;
  readonly onViolation: (violation: Violation) => void;
  /** Number of requests between two searches for hosts that have long been idle. Absent: 100,000. */
  readonly sweepEvery?: number;
  /** Called with each judged request. */
  readonly onContact?: (contact: Contact, request: Request) => void;
}

export interface AuditCounts {
  /** Requests judged, of all kinds. */
  fetches: number;
  readonly byKind: Record<Request['kind'], number>;
  /** Requests recorded by releases that did not note which robots.txt allowed them. */
  unproven: number;
  /** Requests without robots.txt, by exemptions of the policy, their hosts, and the reasons. Absent: there are none. */
  exempt?: { requests: number; hosts: number; reasons: readonly string[] };
  /** TLS requests without certificate checks, to hosts named by an operator. */
  unverified: number;
  /** User-Agents that were sent, in the order in which they were first. Absent: records name none. */
  readonly names?: readonly string[];
  hosts: number;
  addresses: number;
  /** Leases without a reported end: their last requests are unknown. */
  cutOff: number;
  firstMs: number;
  lastMs: number;
}

export interface Audit {
  take(result: Result, place: Place): void;
  /** Call it after the last result. */
  counts(): AuditCounts;
}

interface HostBook {
  readonly contacts: HostContacts;
  /** By origin. */
  readonly robots: Map<string, RobotsAnswers>;
}

interface Start {
  readonly startMs: number;
  readonly delayMs: number;
  readonly contact: Contact;
}

const sweptEvery = 100_000;
/** A robots.txt may be used for a day, and no pause that is obeyed is longer. */
const forgetMs = 26 * 3_600_000;
const restMs = 600_000;
/** Reported names: one for each change of `--user-agent` or of release. */
const namesMax = 20;

export function createAudit(options: AuditOptions): Audit {
  return new LogAudit(options);
}

class LogAudit implements Audit {
  readonly #options: AuditOptions;
  readonly #sweepEvery: number;
  readonly #hosts = new Map<string, HostBook>();
  readonly #addresses = new Map<string, AddressContacts<Start>>();
  /** By partition, since each keeps a domain's delay separately. */
  readonly #domains = new Map<string, HostContacts>();
  readonly #open = new Set<string>();
  readonly #seen = { hosts: new Set<string>(), addresses: new Set<string>() };
  readonly #names = new Set<string>();
  readonly #exempt = { requests: 0, hosts: new Set<string>(), reasons: new Set<string>() };
  readonly #counts: AuditCounts = {
    fetches: 0,
    byKind: { page: 0, robots: 0, sitemap: 0, other: 0 },
    unproven: 0,
    unverified: 0,
    hosts: 0,
    addresses: 0,
    cutOff: 0,
    firstMs: Number.POSITIVE_INFINITY,
    lastMs: 0,
  };

  constructor(options: AuditOptions) {
    this.#options = options;
    this.#sweepEvery = options.sweepEvery ?? sweptEvery;
  }

  #bookOf(host: string): HostBook {
    let book = this.#hosts.get(host);
    if (book === undefined)
      this.#hosts.set(host, (book = { contacts: createHostContacts(this.#options), robots: new Map() }));
    return book;
  }

  #answersOf({ robots }: HostBook, origin: string): RobotsAnswers {
    let answers = robots.get(origin);
    if (answers === undefined) robots.set(origin, (answers = createRobotsAnswers()));
    return answers;
  }

  #judgeRobots(contact: Contact, request: Request, book: HostBook, result: Result) {
    if (result.grantedAtMs === 0 && contact.client === 'leases') {
      this.#counts.unproven += 1;
      return;
    }
    const reason = request.robotsAtMs === 0 ? this.#options.orders.robotsReason(contact.host, contact.startMs) : null;
    if (reason !== null) {
      this.#exempt.requests += 1;
      this.#exempt.hosts.add(contact.host);
      this.#exempt.reasons.add(reason);
      return;
    }
    const origin = originOf(request.url);
    const claim = {
      request,
      fetcherId: result.fetcherId,
      copy: this.#options.copyOf(origin, request.robotsHash, result.robotsTokens),
    };
    const objection = this.#answersOf(book, origin).judge(claim);
    if (objection === null) return;
    const { kind, source, measuredMs, boundMs } = objection;
    this.#options.onViolation(broken(contact, kind, source, measuredMs ?? null, boundMs ?? null));
  }

  #judgeAddress(contact: Contact, { address, addressDelayMs }: Request) {
    if (address === '') return;
    this.#seen.addresses.add(address);
    if (addressDelayMs === 0) return;
    const key = `${contact.fetcherId} ${address}`;
    let book = this.#addresses.get(key);
    if (book === undefined) this.#addresses.set(key, (book = createAddressContacts()));
    for (const { start, gapMs } of book.add({ startMs: contact.startMs, delayMs: addressDelayMs, contact })) {
      const source = `the limit of its address ${address}`;
      this.#options.onViolation(broken(start.contact, 'addressGap', source, gapMs, start.delayMs));
    }
  }

  /**
   * Checks the shared delay of a domain. Crawl-delay and Retry-After bind only their host, so they do not count here.
   */
  #judgeDomain(contact: Contact) {
    if (this.#options.domainOf === undefined || contact.pace.ofDomain !== true || contact.client !== 'leases') return;
    const domain = this.#options.domainOf(contact.host);
    const key = `${contact.place.partition} ${domain}`;
    let book = this.#domains.get(key);
    if (book === undefined) this.#domains.set(key, (book = createHostContacts(this.#options)));
    const pace = { ...contact.pace, hostSlots: 1, source: `${contact.pace.source}, for the domain ${domain}` };
    for (const violation of book.add({ ...contact, crawlDelayMs: 0, retryAfterMs: 0, pace }))
      this.#options.onViolation(violation);
  }

  #judgeBlock(contact: Contact) {
    const sinceMs = this.#options.orders.blockedSince(contact.host, contact.startMs - this.#options.noticeMs);
    if (sinceMs === null || this.#options.orders.blockedSince(contact.host, contact.startMs) === null) return;
    this.#options.onViolation(broken(contact, 'blockedHost', 'an operator’s block', contact.startMs - sinceMs, 0));
  }

  #takeRequest(request: Request, result: Result, place: Place) {
    const origin = originOf(request.url);
    const host = origin.slice(origin.indexOf('//') + 2);
    this.#seen.hosts.add(host);
    const book = this.#bookOf(host);
    if (book.contacts.has({ ...request, fetcherId: result.fetcherId })) return;
    this.#counts.fetches += 1;
    this.#counts.byKind[request.kind] += 1;
    if (request.unverified) this.#counts.unverified += 1;
    this.#counts.firstMs = Math.min(this.#counts.firstMs, request.startMs);
    this.#counts.lastMs = Math.max(this.#counts.lastMs, request.endMs);
    const copy =
      request.robotsHash === '' ? undefined : this.#options.copyOf(origin, request.robotsHash, result.robotsTokens);
    const rules = copy === undefined || copy.rules === 'damaged' ? null : copy.rules;
    const { startMs, endMs, status, retryAfterMs, url } = request;
    const { fetcherId, leaseId } = result;
    const pace = this.#options.orders.paceOf(result.hostKey, result.grantedAtMs || startMs, result.policyVersion);
    const contact: Contact = {
      place,
      host,
      url,
      startMs,
      endMs,
      status,
      retryAfterMs:
        retryAfterMs || (result.outcomes.find(({ index }) => index === request.outcomeIndex)?.retryAfterMs ?? 0),
      fetcherId,
      client: leaseId === 0 ? fetcherId : 'leases',
      leaseId,
      pace: leaseId === 0 ? { ...pace, factor: 0 } : pace,
      crawlDelayMs: rules?.crawlDelayMs ?? 0,
    };
    if (request.kind === 'robots') this.#answersOf(book, origin).note({ endMs, status, fetcherId });
    else this.#judgeRobots(contact, request, book, result);
    for (const violation of book.contacts.add(contact)) this.#options.onViolation(violation);
    this.#judgeDomain(contact);
    this.#judgeAddress(contact, request);
    this.#judgeBlock(contact);
    this.#options.onContact?.(contact, request);
    if (this.#counts.fetches % this.#sweepEvery === 0) this.#sweep(startMs);
  }

  #sweep(nowMs: number) {
    for (const [host, { contacts }] of this.#hosts) {
      if (contacts.lastMs < nowMs - forgetMs) this.#hosts.delete(host);
      else if (contacts.lastMs < nowMs - restMs) contacts.shrink();
    }
    for (const [key, book] of this.#domains) if (book.lastMs < nowMs - forgetMs) this.#domains.delete(key);
    for (const [key, book] of this.#addresses) if (book.lastMs < nowMs - restMs) this.#addresses.delete(key);
  }

  readonly take: Audit['take'] = (result, place) => {
    if (result.userAgent !== '' && this.#names.size < namesMax) this.#names.add(result.userAgent);
    const lease = `${result.partition} ${result.leaseId}`;
    if (result.leaseId > 0) {
      if (result.last) this.#open.delete(lease);
      else this.#open.add(lease);
    }
    // Requests are taken in order of time, whatever their order in the record: that for robots.txt comes before those
    // it allows.
    const requests = [...result.requests].sort((a, b) => a.startMs - b.startMs);
    for (const request of requests)
      if (request.startMs >= this.#options.fromMs) this.#takeRequest(request, result, place);
  };

  readonly counts: Audit['counts'] = () => {
    const { requests, hosts: hostsExempt, reasons } = this.#exempt;
    return {
      ...this.#counts,
      ...(requests > 0 && { exempt: { requests, hosts: hostsExempt.size, reasons: [...reasons].sort() } }),
      ...(this.#names.size > 0 && { names: [...this.#names] }),
      hosts: this.#seen.hosts.size,
      addresses: this.#seen.addresses.size,
      cutOff: this.#open.size,
    };
  };
}

/** Scheme and authority of an absolute URL in normal form: lower case, no user, no trailing dot, no default port. */
export function originOf(url: string): string {
  const { protocol, hostname, port } = new URL(url);
  const name = hostname.endsWith('.') ? hostname.slice(0, -1) : hostname;
  return `${protocol}//${name}${port === '' ? '' : `:${port}`}`;
}
