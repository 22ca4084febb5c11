/**
 * Compares the contacts of several crawls of one fleet: one host serves one crawl at a time. The next crawl waits for
 * the smaller of the two delays, for the fleet's minimum delay, and for a Crawl-delay or Retry-After, whichever crawl
 * received it.
 *
 * Violations of a single crawl belong to its own audit (audit.ts), and its findings are not repeated here. Contacts
 * arrive nearly in order of time, over all crawls. Memory: a window for each host that was contacted within the last
 * day.
 */
import type { Contact, Tolerance } from './contact.ts';
import { createHostContacts, type HostContacts } from './host-contacts.ts';
import type { Pace } from './orders.ts';
import type { Violation } from './violation.ts';

export interface BetweenCrawls {
  /** Reports a violation that the crawl's audit found. Call it before the contact that it belongs to. */
  known(violation: Violation): void;
  take(crawl: string, contact: Contact): void;
  counts(): BetweenCounts;
}

export interface BetweenCounts {
  /** Hosts that any crawl contacted. */
  readonly hosts: number;
  /** Hosts that more than one crawl contacted. */
  readonly shared: number;
}

interface HostBook {
  readonly contacts: HostContacts;
  readonly first: string;
}

/** A robots.txt may be used for a day, and no obeyed pause is longer. */
const forgetMs = 26 * 3_600_000;
const sweepEvery = 100_000;
/** Findings of single crawls that are remembered: contacts between crawls are judged in the same moment. */
const knownMost = 10_000;

/** `leastMsAt`: the least wait of the fleet that was in force then, ms. Absent: there was none. */
export function createBetweenCrawls(
  tolerance: Tolerance,
  onViolation: (violation: Violation) => void,
  leastMsAt: (ms: number) => number = () => 0,
): BetweenCrawls {
  const books = new Map<string, HostBook>();
  const [hosts, shared] = [new Set<string>(), new Set<string>()];
  let known = new Set<string>();
  let taken = 0;

  const sweep = (nowMs: number) => {
    for (const [host, { contacts }] of books) if (contacts.lastMs < nowMs - forgetMs) books.delete(host);
  };

  return {
    known(violation) {
      if (known.size >= knownMost) known = new Set();
      known.add(keyOf(violation));
    },
    take(crawl, contact) {
      const { host, place, pace } = contact;
      // A browser's own requests are another client's, beside the fetchers.
      if (contact.client !== 'leases') return;
      let book = books.get(host);
      if (book === undefined) books.set(host, (book = { contacts: createHostContacts(tolerance), first: crawl }));
      hosts.add(host);
      if (book.first !== crawl) shared.add(host);
      const found = book.contacts.add({
        ...contact,
        // One process sends all requests: their times are from one clock.
        fetcherId: 'fleet',
        place: { ...place, topic: `${crawl}/${place.topic}` },
        pace: paceTogether(pace, leastMsAt(contact.startMs)),
      });
      for (const violation of found) if (!known.has(keyOf(violation))) onViolation(violation);
      taken += 1;
      if (taken % sweepEvery === 0) sweep(contact.startMs);
    },
    counts: () => ({ hosts: hosts.size, shared: shared.size }),
  };
}

function paceTogether(pace: Pace, leastMs: number): Pace {
  const delayMs = Math.max(pace.delayMs, leastMs);
  const who = delayMs > pace.delayMs ? 'the minimum delay of the fleet' : pace.source;
  return { ...pace, delayMs, hostSlots: 1, source: `${who}, between crawls of the fleet` };
}

function keyOf({ kind, url, atMs }: Violation): string {
  return `${kind} ${atMs} ${url}`;
}
