/**
 * Compares the contacts of one host with each other: gaps, simultaneous requests, Crawl-delay, Retry-After.
 *
 * A contact occupies its host from its start until a wait after its end: the ordered delay, or a factor of its
 * duration. A host with n slots may be occupied n times. A Crawl-delay binds the whole host. If two contacts followed
 * different orders, the milder one counts. Times are whole milliseconds. Within one fetcher nothing is tolerated;
 * between two, the skew of their clocks is. Requests for a page's scripts and styles count as those of another client
 * beside the fetchers, with a separate delay (services/extras/render).
 *
 * Contacts come nearly in order of time: the window keeps the latest, sorted, so that a late one is compared with its
 * neighbours. Memory: `contactsKept` per host and slot, less at quiet hosts.
 */
import { broken, type Contact, type Tolerance } from './contact.ts';
import type { Violation } from './violation.ts';

export interface HostContacts {
  /** True if this request was seen before: a record may be on the log twice. */
  has(contact: Pick<Contact, 'url' | 'startMs' | 'endMs' | 'fetcherId'>): boolean;
  add(contact: Contact): Violation[];
  /** Start of the latest, ms since the Unix epoch. */
  readonly lastMs: number;
  /** Call it after a time without contacts. Keeps only contacts that may still bind a request. */
  shrink(): void;
}

const contactsKept = 16;
/** Number of requested pauses that are remembered. */
const pausesKept = 8;

export function createHostContacts(tolerance: Tolerance): HostContacts {
  return new ContactTimes(tolerance);
}

class ContactTimes implements HostContacts {
  readonly #skewMs: number;
  readonly #noticeMs: number;
  /** By start. */
  readonly #window: Contact[] = [];
  /** Responses that asked for a pause. */
  readonly #pauses: Contact[] = [];

  constructor({ skewMs, noticeMs }: Tolerance) {
    this.#skewMs = skewMs;
    this.#noticeMs = noticeMs;
  }

  #skewOf(a: Contact, b: Contact) {
    return a.fetcherId === b.fetcherId ? 0 : this.#skewMs;
  }

  /**
   * Finds the violation of the contact at `at`, given those before it. `because`: only violations that involve that
   * contact.
   */
  #judge(at: number, because?: Contact): Violation | undefined {
    const contact = this.#window[at]!;
    let [occupying, under, boundMs, hostSlots, lastEndMs] = [0, 0, 0, contact.pace.hostSlots, Number.NEGATIVE_INFINITY];
    let [delayed, delayEndMs]: [Contact | undefined, number] = [undefined, Number.NEGATIVE_INFINITY];
    let needed = because === undefined;
    for (let n = 0; n < at; n++) {
      const before = this.#window[n]!;
      if (before.client !== contact.client) continue;
      const freeMs = contact.startMs + this.#skewOf(before, contact);
      if (before.endMs > delayEndMs && before.endMs + contact.crawlDelayMs > freeMs && contact.crawlDelayMs > 0) {
        [delayed, delayEndMs] = [before, before.endMs];
      }
      const waitMs = waitBetween(before, contact);
      if (before.endMs + waitMs <= freeMs) continue;
      occupying += 1;
      if (before.endMs > freeMs) under += 1;
      boundMs = Math.max(boundMs, waitMs);
      hostSlots = Math.max(hostSlots, before.pace.hostSlots);
      lastEndMs = Math.max(lastEndMs, before.endMs);
      if (before === because) needed = true;
    }
    const gapMs = contact.startMs - lastEndMs;
    const { source } = contact.pace;
    if (needed && occupying >= hostSlots && (because === undefined || occupying === hostSlots)) {
      if (under >= hostSlots)
        return broken(contact, 'concurrency', `at most ${hostSlots} at once, set by ${source}`, -gapMs, 0);
      if (contact.crawlDelayMs <= boundMs) return broken(contact, 'gapTooShort', source, gapMs, boundMs);
    }
    if (delayed === undefined || (because !== undefined && delayed !== because)) return undefined;
    const source2 = 'Crawl-delay of its robots.txt';
    return broken(contact, 'crawlDelay', source2, contact.startMs - delayed.endMs, contact.crawlDelayMs);
  }

  #breaksPause(contact: Contact, pause: Contact): Violation | undefined {
    const sinceMs = contact.startMs - pause.endMs;
    if (sinceMs < 0 || sinceMs + this.#skewOf(contact, pause) >= pause.retryAfterMs) return undefined;
    // A lease in another slot of the host learns of the pause only some time later.
    if (contact.pace.hostSlots > 1 && contact.leaseId !== pause.leaseId && sinceMs < this.#noticeMs) return undefined;
    if (contact.client !== pause.client) return undefined;
    return broken(contact, 'retryAfter', `Retry-After with status ${pause.status}`, sinceMs, pause.retryAfterMs);
  }

  #trim(keep: number) {
    this.#window.splice(0, Math.max(0, this.#window.length - keep));
  }

  get lastMs() {
    return this.#window.at(-1)?.startMs ?? 0;
  }

  readonly has: HostContacts['has'] = ({ url, startMs, endMs, fetcherId }) =>
    this.#window.some(
      (one) => one.startMs === startMs && one.endMs === endMs && one.url === url && one.fetcherId === fetcherId,
    );

  readonly add: HostContacts['add'] = (contact) => {
    const at = this.#window.findLastIndex(({ startMs }) => startMs <= contact.startMs) + 1;
    this.#window.splice(at, 0, contact);
    const found: (Violation | undefined)[] = [this.#judge(at)];
    for (let n = at + 1; n < this.#window.length; n++) found.push(this.#judge(n, contact));
    found.push(this.#pauses.map((pause) => this.#breaksPause(contact, pause)).find((one) => one !== undefined));
    if (asksForPause(contact)) {
      for (const later of this.#window.slice(at + 1)) found.push(this.#breaksPause(later, contact));
      this.#pauses.push(contact);
      if (this.#pauses.length > pausesKept) this.#pauses.shift();
    }
    this.#trim(contactsKept * contact.pace.hostSlots);
    return found.filter((one) => one !== undefined);
  };

  readonly shrink: HostContacts['shrink'] = () => {
    this.#trim(1);
  };
}

/** RFC 9110 §10.2.3 and RFC 6585 §4. With other statuses, Retry-After concerns one URL, or nothing. */
function asksForPause({ status, retryAfterMs }: Contact): boolean {
  return retryAfterMs > 0 && (status === 429 || status === 503);
}

/** The wait from the end of one contact to the start of another, from the orders of both. */
function waitBetween({ pace: a, startMs, endMs }: Contact, { pace: b }: Contact): number {
  const ownMs = Math.round(Math.min(a.factor, b.factor) * (endMs - startMs));
  return Math.max(Math.min(a.delayMs, b.delayMs), Math.min(ownMs, a.factorCapMs, b.factorCapMs));
}
