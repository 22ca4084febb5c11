/**
 * Every kind of change, and what it carries: one table, from which the type `Change`, its bytes and the tests of both
 * come. Part of the changelog's format (`changelog.ts` has its version): kinds and fields are appended, never reordered.
 *
 * Whoever adds a kind gives it an entry here, what it does in state/state.ts, and values in every-change.ts of the tests;
 * interpreters that must know every kind do not compile without it.
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

/** Stands in the place of a front queue's number for URLs that came back. */
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
  /** URLs from the head of what came back. */
  again: uint,
  /** After them, so many from each of these front queues. */
  frontQueues: listOf(pairOf(byte, uint)),
  deadlineMs: uint,
  delayMs: uint,
};
const quota = { granted: uint, returned: uint, wanted: uint };

export const changeFields = {
  /** URLs of one host that pass the seen test (`known`: they were seen, an operator forces them). */
  admit: { hostKey: text, known: flag, entries: listOf(entry) },
  /** Adds to tallies: arrivals that were not admitted, and others. */
  count: { counter, by: uint },
  /** A lease. One without URLs is for the first robots.txt redirect that waits. */
  grant: lease,
  /** The URL at `index` of a lease has its outcome. `record` is kept where it is final. */
  resolve: { leaseId: uint, index: uint, disposition, record: orNull(urlRecord) },
  /** A lease is over; `expired`: by its deadline. Every index was resolved before. */
  release: { leaseId: uint, expired: flag },
  host: { hostKey: text, facts: hostFacts },
  /** The first URL of a dead host's queue is given up on. */
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
  /** Links to these URLs were sighted. Written only where the policy scores by in-links. */
  linked: { fingerprints },
  /** A source, by 32 bits of its hash, links to a budget key. */
  countReferrer: { key: text, fingerprint: uint32 },
  /** URLs of a budget key that went at full rate in a period, in all. */
  spend: { key: text, period: uint, used: uint },
  /** What the state must be after the changes before this one (check/self-check.ts). It changes nothing. */
  check: { version: byte, sum: text },
  /** The URL at `seq` of a front queue leaves it, and goes to the end of another one, as `entry`. */
  raise: { hostKey: text, frontQueue: byte, seq: uint, entry },
  /** The URL at `seq` of a front queue (null: of what came back) leaves it, and goes before all else of its host, as `entry`. */
  expedite: { hostKey: text, frontQueue: frontQueueOrAgain, seq: uint, entry },
  /** A host may be on `most` leases at once; `own`: as ordered by an operator, -1: by the policy. */
  hostSlots: { hostKey: text, own: int, most: uint },
  /** A lease of a host with several has ended: its slot may be used again from `readyAtMs` on. */
  hostSlot: { hostKey: text, readyAtMs: uint },
  /** A URL of a served crawl goes from one place to another, as its client says. `dueAtMs`: of `again`. */
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
  /** URLs receive cash each, or spend it (below 0). `isNew`: they have just been met. */
  cash: { amount: double, isNew: flag, fingerprints },
  /** A lease, with the first `due` of the URLs that are to be visited again before all others. */
  grantDue: { due: uint, ...lease },
  /**
   * The URL at `index` of a lease (0: of none, it has just been finished) will be visited again. `spent`: it counts
   * against the page quota. `proved`: whether what a sitemap said of it was so; null: none had said anything.
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
   * A revisit gets another due time. `told`: because a sitemap says so. For a leased URL, it means that somebody asked
   * for a fetch meanwhile; the change that ends its visit makes it due at once.
   */
  due: { hostKey: text, url: text, dueS: uint, fromSitemap: flag },
  /** What a visit costs from now on (recrawl/recrawl-state.ts). */
  price: { price: int, atMs: uint },
  /** A lease without URLs, for its host's sitemaps. */
  grantSitemaps: lease,
  /** A host's sitemaps are to be read at another time. */
  sitemaps: { hostKey: text, round: sitemapRound },
  /** A URL is purged, wherever it was; `url` empty: its whole host is. */
  purge: { hostKey: text, url: text, from: recordOf({ in: oneOf(purgePlaces, 'place'), a: uint, b: uint }) },
  /**
   * Fetchers were seen to have taken the tasks of these leases: their group's position on `tasks`, and the leases it has
   * passed since the last such change. The first change of its commit.
   */
  taken: { position: uint, leases: ascending },
  /** Leader epoch of the newest record of an input that was read; -1: not known. */
  inputEpoch: { topic: input, epoch: int },
  /** The URL at `seq` of a front queue (null: of what came back) leaves it, and goes to the end of another one, as `entry`. */
  lower: { hostKey: text, frontQueue: frontQueueOrAgain, seq: uint, entry },
  /** A list of tags gets the next number (state/tag-sets.ts). */
  tagSet: { number: uint, tags: listOf(text) },
  /** Links of a page that is to be visited again, by its URL's fingerprint, have led to so many new URLs. */
  gain: { hi: uint32, lo: uint32, urls: uint },
  /** The content dedup says of which page one that is to be visited again is nearly a copy; empty: of none. */
  verdict: { hostKey: text, url: text, duplicateOf: text },
  /** What is known of a rewriting of a host's URLs from now on (state/equivalences.ts). */
  equivalence: { hostKey: text, rewriting: text, proofs: uint, against: uint, targets: listOf(uint) },
} satisfies Readonly<Record<string, Layout>>;
