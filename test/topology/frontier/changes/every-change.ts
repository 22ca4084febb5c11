/**
 * Each kind of change, with values that tell every field from its neighbours: two fields that change places, or one that
 * is read inverted, give something else. A kind that is missing here does not compile.
 */
import type { Change, HostFacts, UrlRecord } from '../../../../topology/frontier/changes/changes.ts';
import type { Entry } from '../../../../topology/frontier/changes/entry.ts';
import type { LoadRow } from '../../../../topology/frontier/changes/load-row.ts';
import type { PageRecord } from '../../../../topology/frontier/changes/page-record.ts';

const entry: Entry = { url: 'https://a.test/ä?q=1', depth: 3, hop: 1, attempts: 2, expiries: 4, frontQueue: 5 };
const plainEntry: Entry = { url: 'https://a.test/', depth: 300, hop: 0, attempts: 0, expiries: 0, frontQueue: 17 };
const foreignEntry: Entry = { ...plainEntry, isForeign: true };
const taggedEntry: Entry = { ...plainEntry, tags: 300 };
const payloadEntry: Entry = { ...entry, payload: Buffer.from([9, 0, 255]) };

const record: UrlRecord = {
  url: 'https://a.test/r',
  status: 'page',
  outcome: 'fetched',
  httpStatus: 206,
  atMs: 1_700_000_000_001,
  attempts: 7,
  depth: 8,
  etag: '"tag"',
  lastModified: 'yesterday',
  contentHash: 'c0ffee',
  soft404: true,
};
const records: readonly UrlRecord[] = [
  record,
  ...(['redirected', 'denied', 'failed', 'dead'] as const).map((status) => ({ ...record, status, soft404: false })),
];

const page: PageRecord = {
  record,
  frontQueue: 21,
  visitedAtMs: 22,
  changedAtMs: 23,
  history: {
    changes: 24,
    changedS: 25,
    changedSquares: 26,
    unchanged: 27,
    unchangedS: 28,
    recent: 29,
    intervalS: 30,
  },
  signature: 'signature',
  failures: 31,
};

const facts: HostFacts = {
  readyAtMs: 1_700_000_000_002,
  crawlDelayMs: 1,
  ownDelayMs: 2,
  ownDelayIsLeast: false,
  pagesMax: 3,
  ownBudget: 4,
  fetched: 5,
  pages: 6,
  fetchMs: 7,
  failures: 8,
  throttles: 9,
  returns: 10,
  leaseMax: 11,
  hold: 'blocked',
  deferredOpen: true,
  deadUntilMs: 12,
  bytes: 0,
  serverErrors: 0,
};

const lease = {
  leaseId: 91,
  hostKey: 'a.test',
  again: 92,
  frontQueues: [
    [0, 93],
    [7, 94],
  ],
  deadlineMs: 95,
  delayMs: 96,
} as const;

const loadRows: Readonly<Record<LoadRow['row'], readonly LoadRow[]>> = {
  known: [{ row: 'known', urls: [record, { ...record, status: 'known', soft404: false }] }],
  again: [
    { row: 'again', hostKey: 'a.test', known: true, dueAtMs: 5, entry, normal: 'https://a.test/normal' },
    { row: 'again', hostKey: 'a.test', known: false, dueAtMs: 6, entry, normal: entry.url },
  ],
  account: [{ row: 'account', key: 'a.test', period: 41, used: 42, sources: [-1, 0, 7] }],
  repeated: [{ row: 'repeated', status: 'denied', count: 43 }],
  page: [{ row: 'page', hostKey: 'a.test', dueAtMs: 44, page }],
  purged: [{ row: 'purged', hostKey: 'a.test', fingerprints: [45, 46] }],
  progress: [
    { row: 'progress', source: 'dump-1', line: 47, isDone: true },
    { row: 'progress', source: 'dump-2', line: 48, isDone: false },
  ],
};

export const everyChange: { readonly [Kind in Change['kind']]: readonly (Change & { readonly kind: Kind })[] } = {
  admit: [
    { kind: 'admit', hostKey: 'a.test', known: false, entries: [entry, plainEntry, payloadEntry] },
    { kind: 'admit', hostKey: 'b.test', known: true, entries: [] },
    { kind: 'admit', hostKey: 'a.test', known: false, entries: [foreignEntry, { ...payloadEntry, isForeign: true }] },
    { kind: 'admit', hostKey: 'a.test', known: false, entries: [taggedEntry, { ...foreignEntry, tags: 1 }] },
    { kind: 'admit', hostKey: 'a.test', known: false, entries: [{ ...entry, spelling: '/%C3%A4?b=&a' }] },
  ],
  count: [{ kind: 'count', counter: 'retries', by: 12 }],
  grant: [{ kind: 'grant', ...lease }],
  resolve: [
    ...records.map((one, index) => ({
      kind: 'resolve' as const,
      leaseId: 9,
      index,
      disposition: { to: 'final' as const, status: one.status },
      record: one,
    })),
    { kind: 'resolve', leaseId: 9, index: 5, disposition: { to: 'again', dueAtMs: 77, entry }, record: null },
    ...[true, false].map((soft404, n) => ({
      kind: 'resolve' as const,
      leaseId: 10,
      index: n,
      disposition: { to: 'final' as const, status: 'page' as const },
      record: { ...record, soft404, barren: true as const },
    })),
    {
      kind: 'resolve',
      leaseId: 11,
      index: 2,
      disposition: { to: 'final', status: 'page' },
      record: { ...record, tags: 301, spelling: '/R' },
    },
  ],
  release: [
    { kind: 'release', leaseId: 9, expired: true },
    { kind: 'release', leaseId: 10, expired: false },
  ],
  host: [
    { kind: 'host', hostKey: 'a.test', facts },
    ...(['', 'crawlDelay', 'limit', 'purged'] as const).map((hold) => ({
      kind: 'host' as const,
      hostKey: 'a.test',
      facts: { ...facts, crawlDelayMs: -1, ownDelayMs: -1, pagesMax: -1, ownBudget: -1, hold, deferredOpen: false },
    })),
    { kind: 'host', hostKey: 'a.test', facts: { ...facts, serverErrors: 2 } },
    {
      kind: 'host',
      hostKey: 'a.test',
      facts: { ...facts, hold: 'paused', ownDelayIsLeast: true, deferredOpen: false, bytes: 300, serverErrors: 1 },
    },
  ],
  abandon: [{ kind: 'abandon', hostKey: 'a.test', record: { ...record, status: 'dead' } }],
  finish: [{ kind: 'finish', hostKey: 'a.test', seq: 300, record }],
  policy: [{ kind: 'policy', version: 4, json: '{"a":1}' }],
  quota: [{ kind: 'quota', granted: 100, returned: 3, wanted: 7 }],
  quotaBook: [{ kind: 'quotaBook', partition: 2, granted: 64, returned: 5, wanted: 1, version: 12 }],
  trap: [
    { kind: 'trap', hostKey: 'a.test', pattern: '/cal/#', reason: 'calendar', detail: '24 pages', frontQueue: 17 },
    { kind: 'trap', hostKey: 'a.test', pattern: '/s/', reason: 'duplicateContent', detail: '', frontQueue: 18 },
  ],
  releaseTrap: [{ kind: 'releaseTrap', hostKey: 'a.test', pattern: '/cal/#' }],
  robotsHop: [
    {
      kind: 'robotsHop',
      hostKey: 'b.test',
      hop: { url: 'https://b.test/r', asked: ['https://a.test/robots.txt', 'https://a.test/2'], partition: 3 },
    },
  ],
  linked: [{ kind: 'linked', fingerprints: [1, 0xffff_ffff, 0, 7] }],
  countReferrer: [{ kind: 'countReferrer', key: 'a.test', fingerprint: 0xffff_fff0 }],
  spend: [{ kind: 'spend', key: 'a.test', period: 20_000, used: 7 }],
  check: [{ kind: 'check', version: 3, sum: '0123456789abcdef' }],
  raise: [{ kind: 'raise', hostKey: 'a.test', frontQueue: 17, seq: 70_000, entry }],
  expedite: [
    { kind: 'expedite', hostKey: 'a.test', frontQueue: 17, seq: 70_000, entry },
    { kind: 'expedite', hostKey: 'a.test', frontQueue: null, seq: 2, entry: plainEntry },
  ],
  hostSlots: [
    { kind: 'hostSlots', hostKey: 'a.test', own: -1, most: 4 },
    { kind: 'hostSlots', hostKey: 'a.test', own: 2, most: 3 },
  ],
  hostSlot: [{ kind: 'hostSlot', hostKey: 'a.test', readyAtMs: 1_700_000_000_003 }],
  known: [
    ...(['new', 'lease', 'frontQueue', 'again', 'done', 'forgotten'] as const).map((place, n) => ({
      kind: 'known' as const,
      hostKey: 'a.test',
      from: { in: place, a: 10 + n, b: 20 + n },
      to: (['done', 'again', 'forgotten'] as const)[n % 3]!,
      dueAtMs: 30 + n,
      entry,
    })),
  ],
  dropQueue: [{ kind: 'dropQueue', hostKey: 'a.test' }],
  blockQueue: [{ kind: 'blockQueue', hostKey: 'a.test', untilMs: 1_700_000_000_004 }],
  load: Object.values(loadRows).flatMap((rows) => rows.map((row) => ({ kind: 'load' as const, row }))),
  cash: [
    { kind: 'cash', amount: 0.25, isNew: true, fingerprints: [1, 0xffff_ffff] },
    { kind: 'cash', amount: -1e-9, isNew: false, fingerprints: [1, 2] },
  ],
  grantDue: [{ kind: 'grantDue', due: 97, ...lease }],
  equivalence: [
    {
      kind: 'equivalence',
      hostKey: 'a.test',
      rewriting: 'query:sid',
      proofs: 131,
      against: 132,
      targets: [133, 0xffff_ffff],
    },
    { kind: 'equivalence', hostKey: 'a.test', rewriting: 'https', proofs: 134, against: 135, targets: [] },
  ],
  verdict: [
    { kind: 'verdict', hostKey: 'a.test', url: 'https://a.test/v', duplicateOf: 'https://b.test/v' },
    { kind: 'verdict', hostKey: 'a.test', url: 'https://a.test/w', duplicateOf: '' },
  ],
  gain: [{ kind: 'gain', hi: 0xffff_fffe, lo: 121, urls: 122 }],
  visit: ([null, true, false, 'gained'] as const).map((proved) => ({
    kind: 'visit' as const,
    hostKey: 'a.test',
    leaseId: 51,
    index: 52,
    dueAtMs: 53,
    spent: proved === true,
    proved: proved === 'gained' ? null : proved,
    page: proved === 'gained' ? { ...page, gain: { urls: 32, seconds: 33, visits: 34 } } : page,
  })),
  due: [
    { kind: 'due', hostKey: 'a.test', url: 'https://a.test/d', dueS: 61, fromSitemap: true },
    { kind: 'due', hostKey: 'a.test', url: 'https://a.test/d', dueS: 62, fromSitemap: false },
  ],
  price: [{ kind: 'price', price: -71, atMs: 72 }],
  grantSitemaps: [{ kind: 'grantSitemaps', ...lease, again: 0, frontQueues: [] }],
  sitemaps: [
    { kind: 'sitemaps', hostKey: 'a.test', round: { dueS: 81, sinceS: 82, tries: 83, secure: true } },
    { kind: 'sitemaps', hostKey: 'a.test', round: { dueS: 84, sinceS: 85, tries: 86, secure: false } },
  ],
  lower: [
    { kind: 'lower', hostKey: 'a.test', frontQueue: 3, seq: 70_001, entry },
    { kind: 'lower', hostKey: 'a.test', frontQueue: null, seq: 3, entry: plainEntry },
  ],
  inputEpoch: [
    { kind: 'inputEpoch', topic: 'control', epoch: 111 },
    { kind: 'inputEpoch', topic: 'results', epoch: -1 },
    { kind: 'inputEpoch', topic: 'discovered', epoch: 112 },
  ],
  taken: [
    { kind: 'taken', position: 101, leases: [3, 9, 300] },
    { kind: 'taken', position: 102, leases: [] },
  ],
  purge: (['nowhere', 'lease', 'frontQueue', 'again'] as const).map((place, n) => ({
    kind: 'purge' as const,
    hostKey: 'a.test',
    url: n === 0 ? '' : 'https://a.test/p',
    from: { in: place, a: 87 + n, b: 98 + n },
  })),
  slotTimes: [
    { kind: 'slotTimes', hostKey: 'a.test', nextAtMs: 1_700_000_000_001, freeAtMs: [0, 1_700_000_000_002] },
    { kind: 'slotTimes', hostKey: 'a.test', nextAtMs: 0, freeAtMs: [] },
  ],
  leaseDelay: [{ kind: 'leaseDelay', hostKey: 'a.test', delayMs: 403 }],
  retime: [
    { kind: 'retime', atMs: 404, freshFromMs: 405, reversed: 0xffff_ff01, hi: 0xffff_ff02, done: false },
    { kind: 'retime', atMs: 406, freshFromMs: 0, reversed: 0, hi: 0, done: true },
  ],
  tagSet: [{ kind: 'tagSet', number: 301, tags: ['customer=acme', 'news'] }],
};
