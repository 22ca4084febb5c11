/**
 * Every kind of change with its fields, in one table. The type `Change`, the bytes and the tests all come from it.
 * The table is part of the changelog's format (`changelog.ts` has its version): kinds and fields are appended, never
 * reordered.
 *
 * A new kind needs an entry here, its effect in state/state.ts, and values in every-change.ts of the tests. Code that
 * must handle every kind does not compile without it.
 */

import type { RobotsHop } from '../../../schemas/types.ts';
import { type TrapReason, trapReasons } from '../../policy/traps/summary.ts';
import {
  ascending,
  byte,
  double,
  type Field,
  flag,
  flagOrNull,
  int,
  type Layout,
  listOf,
  oneOf,
  orNull,
  pairOf,
  pick,
  recordOf,
  text,
  uint,
  uint32,
} from '../storage/fields.ts';
import type { InputTopic } from './changelog.ts';
import {
  type Disposition,
  type HostFacts,
  knownPlaces,
  purgePlaces,
  type TallyName,
  tallyNames,
  type UrlRecord,
} from './changes.ts';
import { type Entry, readEntry, writeEntry } from './entry.ts';
import { readHostFacts, writeHostFacts } from './host-facts-bytes.ts';
import { type LoadRow, readLoadRow, writeLoadRow } from './load-row.ts';
import { type PageRecord, readPageRecord, writePageRecord } from './page-record.ts';
import { readRobotsHop, writeRobotsHop } from './robots-hop-bytes.ts';
import { readRound, type SitemapRound, writeRound } from './sitemap-rounds.ts';
import { finalStatuses, readUrlRecord, writeUrlRecord } from './url-record-bytes.ts';

const entry: Field<Entry> = { write: writeEntry, read: readEntry };
const urlRecord: Field<UrlRecord> = { write: writeUrlRecord, read: readUrlRecord };
const hostFacts: Field<HostFacts> = { write: writeHostFacts, read: readHostFacts };
const pageRecord: Field<PageRecord> = { write: writePageRecord, read: readPageRecord };
const loadRow: Field<LoadRow> = { write: writeLoadRow, read: readLoadRow };
const robotsHop: Field<RobotsHop> = { write: writeRobotsHop, read: readRobotsHop };
const sitemapRound: Field<SitemapRound> = { write: writeRound, read: readRound };
const counter: Field<TallyName> = oneOf(tallyNames, 'counter');
const trapReason: Field<TrapReason> = oneOf(trapReasons, 'trap');
const input: Field<InputTopic> = oneOf(['control', 'results', 'discovered'], 'input');
/** Words of URLs' fingerprints, in pairs. */
const fingerprints: Field<readonly number[]> = listOf(uint);

/** 0: the URL goes back into the queue; above 0: one more than the number of the status it ends with. */
const disposition: Field<Disposition> = {
  write(writer, value) {
    if (value.to === 'final') {
      writer.byte(1 + finalStatuses.indexOf(value.status));
      return;
    }
    writer.byte(0);
    writer.uint(value.dueAtMs);
    writeEntry(writer, value.entry);
  },
  read(reader) {
    const tag = reader.byte();
    if (tag > 0) return { to: 'final', status: pick(finalStatuses, tag - 1, 'status') };
    return { to: 'again', dueAtMs: reader.uint(), entry: readEntry(reader) };
  },
};

/** Replaces the number of a front queue for URLs that wait to be fetched again. */
const cameBack = 255;
const frontQueueOrAgain: Field<number | null> = {
  write: (writer, value) => writer.byte(value ?? cameBack),
  read(reader) {
    const value = reader.byte();
    return value === cameBack ? null : value;
  },
};

const lease = {
  leaseId: uint,
  hostKey: text,
  /** Number of URLs from the head of those that wait to be fetched again. */
  again: uint,
  /** After them, this many from each of these front queues. */
  frontQueues: listOf(pairOf(byte, uint)),
  deadlineMs: uint,
  delayMs: uint,
};
const quota = { granted: uint, returned: uint, wanted: uint };

export const changeFields = {
  /** URLs of one host that pass the seen test. `known`: they were seen before, and an operator forces them. */
  admit: { hostKey: text, known: flag, entries: listOf(entry) },
  /** Adds to tallies, such as arrivals that were not admitted. */
  count: { counter, by: uint },
  /** A lease. A lease without URLs is for the first waiting robots hop. */
  grant: lease,
  /** The URL at `index` of a lease has its outcome. If the outcome is final, `record` is stored. */
  resolve: { leaseId: uint, index: uint, disposition, record: orNull(urlRecord) },
  /** A lease is over; `expired`: by its deadline. Every index was resolved before. */
  release: { leaseId: uint, expired: flag },
  host: { hostKey: text, facts: hostFacts },
  /** The first URL of a dead host's queue is given up. */
  abandon: { hostKey: text, record: urlRecord },
  /** A late result of a lease that is over finishes a URL that came back. */
  finish: { hostKey: text, seq: uint, record: urlRecord },
  policy: { version: uint, json: text },
  /** The total page quota that this partition was given, and the total that it gave back. */
  quota,
  /** Partition 0: one partition's row in the quota's book. */
  quotaBook: { partition: uint, ...quota, version: uint },
  /** A part of a host is a trap from now on: its URLs wait in a separate front queue until it is released. */
  trap: { hostKey: text, pattern: text, reason: trapReason, detail: text, frontQueue: byte },
  releaseTrap: { hostKey: text, pattern: text },
  /** A redirect of another host's robots.txt waits for a lease of this one. */
  robotsHop: { hostKey: text, hop: robotsHop },
  /** Links to these URLs were found. Written only if the policy scores by in-links. */
  linked: { fingerprints },
  /** A source, by 32 bits of its hash, links to a budget key. */
  countReferrer: { key: text, fingerprint: uint32 },
  /** Total URLs of a budget key admitted at full rate in a period. */
  spend: { key: text, period: uint, used: uint },
  /** Checksum of the state after the changes before this one (check/self-check.ts). It changes nothing. */
  check: { version: byte, sum: text },
  /** The URL at `seq` of a front queue moves to the end of another one, as `entry`. */
  raise: { hostKey: text, frontQueue: byte, seq: uint, entry },
  /**
   * The URL at `seq` of a front queue (null: of those to fetch again) moves to the first place of its host, as
   * `entry`.
   */
  expedite: { hostKey: text, frontQueue: frontQueueOrAgain, seq: uint, entry },
  /** A host may have `most` leases at once; `own`: the number that an operator set, -1: none, the policy decides. */
  hostSlots: { hostKey: text, own: int, most: uint },
  /** A lease of a host with several slots has ended: its slot may be used again from `readyAtMs` on. */
  hostSlot: { hostKey: text, readyAtMs: uint },
  /** A client moves a URL of a served crawl from one place to another. `dueAtMs`: only for `again`. */
  known: {
    hostKey: text,
    from: recordOf({ in: oneOf(knownPlaces, 'place'), a: uint, b: uint }),
    to: oneOf(['done', 'again', 'forgotten'], 'target'),
    dueAtMs: uint,
    entry,
  },
  /** A served crawl's queue is deleted, with all its URLs. The last change of its commit. */
  dropQueue: { hostKey: text },
  /** GetURLs passes a queue until then, ms. 0: it does not. */
  blockQueue: { hostKey: text, untilMs: uint },
  /** A row of a dump, from another crawl. */
  load: { row: loadRow },
  /** URLs receive cash each, or spend it (below 0). `isNew`: they were found in this step. */
  cash: { amount: double, isNew: flag, fingerprints },
  /** A lease, with the first `due` of the URLs that are to be visited again before all others. */
  grantDue: { due: uint, ...lease },
  /**
   * The URL at `index` of a lease (0: of none, it was just finished) is scheduled for a revisit. `spent`: it counts
   * against the page quota. `proved`: whether a sitemap's date for it was right; null: there was none.
   */
  visit: {
    hostKey: text,
    leaseId: uint,
    index: uint,
    dueAtMs: uint,
    spent: flag,
    proved: flagOrNull,
    page: pageRecord,
  },
  /**
   * A revisit gets another due time. `fromSitemap`: because of a date in a sitemap. For a leased URL, it means that a
   * fetch was requested meanwhile; the change that ends its visit makes it due at once.
   */
  due: { hostKey: text, url: text, dueS: uint, fromSitemap: flag },
  /** The new price of a visit (recrawl/recrawl-state.ts). */
  price: { price: int, atMs: uint },
  /** A lease without URLs, for the sitemaps of its host. */
  grantSitemaps: lease,
  /** The time of the next read of a host's sitemaps. */
  sitemaps: { hostKey: text, round: sitemapRound },
  /** A URL is purged, from any place; `url` empty: its whole host is purged. */
  purge: { hostKey: text, url: text, from: recordOf({ in: oneOf(purgePlaces, 'place'), a: uint, b: uint }) },
  /**
   * Fetchers have taken the tasks of these leases: the position of their group on `tasks`, and the leases that it has
   * passed since the last such change. The first change of its commit.
   */
  taken: { position: uint, leases: ascending },
  /** Leader epoch of the newest record of an input that was read; -1: not known. */
  inputEpoch: { topic: input, epoch: int },
  /** The URL at `seq` of a front queue (null: of those to fetch again) moves to the end of another one, as `entry`. */
  lower: { hostKey: text, frontQueue: frontQueueOrAgain, seq: uint, entry },
  /** A list of tags gets the next number (state/tag-sets.ts). */
  tagSet: { number: uint, tags: listOf(text) },
  /** Links of a scheduled page, by the fingerprint of its URL, have led to `urls` new URLs. */
  gain: { hi: uint32, lo: uint32, urls: uint },
  /** Verdict of the content dedup on a scheduled page: the page that it nearly copies; empty: none. */
  verdict: { hostKey: text, url: text, duplicateOf: text },
  /** New evidence for a rewriting of a host's URLs (state/equivalences.ts). */
  equivalence: { hostKey: text, rewriting: text, proofs: uint, against: uint, targets: listOf(uint) },
  /** The times of a host's slots under another delay: when the next lease may start, and when returned slots may be used. */
  slotTimes: { hostKey: text, nextAtMs: uint, freeAtMs: listOf(uint) },
  /** Leases of a host that are out have at least this delay from now on: it counts from their end, if that is a kill. */
  leaseDelay: { hostKey: text, delayMs: uint },
  /**
   * Pages that wait get due times by a new policy, from this place on in the order of recrawl/due-order.ts. `done`:
   * all have them. Fields: recrawl/retiming.ts.
   */
  retime: { atMs: uint, freshFromMs: uint, reversed: uint32, hi: uint32, done: flag },
} satisfies Readonly<Record<string, Layout>>;
