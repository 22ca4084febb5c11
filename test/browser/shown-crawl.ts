/** A crawl that is only told of: the dashboard's view of crawls in every state, some of them hostile. */

import type { CrawlView } from '../../services/extras/dashboard/crawl-view.ts';
import { troublesOf } from '../../services/extras/dashboard/phase.ts';
import type {
  CrawlAct,
  CrawlStatus,
  DeadLetterStatus,
  DuplicateListStatus,
  ErrorsStatus,
  FailuresStatus,
  FetchStatus,
  HistoryStatus,
  HostAct,
  HostMapStatus,
  HostPageStatus,
  HostStatus,
  PartitionReport,
  TimelineStatus,
} from '../../services/extras/dashboard/status.ts';
import { CrawlstreamError } from '../../topology/errors.ts';
import { zeroCounters } from '../../topology/frontier/changes/counters.ts';
import { timelinePicture } from '../../topology/timeline/timeline-picture.ts';
import { sinceText } from '../../topology/timeline/timeline-text.ts';

/** Names that want to be markup, to reach out of their place, or to be endless. */
export const hostile = {
  host: '<img src=x onerror=window.owned=1>.example',
  url: 'https://evil.example/"><script>window.owned=1</script>?\u202Etxt.exe',
  detail: `</td></tr></table><svg/onload=window.owned=1>${'w'.repeat(300)}`,
};

/** Instead of hostile names, in pictures for people. */
const plain = {
  host: 'forum.example.com',
  url: 'https://shop.example.net/catalogue?page=2',
  detail: 'no answer within 30 s',
} as const;

/** The crawl of a view with plain names. */
export function withPlainNames(view: CrawlView): CrawlView {
  const inJson = (name: string) => JSON.stringify(name).slice(1, -1);
  const renamed = async <Status>(status: Promise<Status>): Promise<Status> => {
    let text = JSON.stringify(await status);
    for (const name of Object.keys(plain) as (keyof typeof plain)[])
      text = text.replaceAll(inJson(hostile[name]), inJson(plain[name]));
    return JSON.parse(text) as Status;
  };
  return {
    ...view,
    look: () => renamed(view.look()),
    errors: () => renamed(view.errors()),
    hosts: (asked) => renamed(view.hosts(asked)),
    hostMap: () => renamed(view.hostMap()),
    failures: () => renamed(view.failures()),
  };
}

/** A URL of which the service gives no record. */
export const withoutRecord = 'https://example.org/no-record';

export const states = ['live', 'empty', 'busy', 'restoring', 'failing', 'retrying', 'done', 'idle'] as const;
export type State = (typeof states)[number];

export interface TracedCrawl {
  readonly view: CrawlView;
  readonly acts: { readonly act: HostAct; readonly host: string; readonly amount: number | null }[];
  readonly steered: CrawlAct[];
  readonly added: string[];
  readonly replayed: string[];
  /** Thrown by the next looks, until it is taken away. */
  failure: Error | undefined;
}

export function shownCrawl(state: State): TracedCrawl {
  const hosts = hostsOf(state);
  const reported: TracedCrawl = {
    failure: undefined,
    acts: [],
    steered: [],
    added: [],
    replayed: [],
    view: {
      mayOperate: async () => true,
      async look() {
        if (reported.failure !== undefined) throw reported.failure;
        return { ...reportOf(state, Date.now()), paused: reported.steered.at(-1) === 'pause' };
      },
      history: async () => historyOf(state, Date.now()),
      errors: async () => errorsOf(state, Date.now()),
      async hosts({ search, sort, limit }) {
        const found = hosts.filter(({ host }) => host.includes(search));
        const rank = (one: HostStatus) =>
          sort === 'fetched' ? one.fetched : sort === 'delay' ? one.delayMs : one.queued;
        found.sort((a, b) => (sort === 'name' ? 0 : rank(b) - rank(a)) || (a.host < b.host ? -1 : 1));
        return { hosts: found.slice(0, limit), matched: found.length, known: hosts.length, missing: [] };
      },
      explain: async (url) => ({ lines: [['URL', url] as const, ['filter', 'admitted, front queue 3'] as const] }),
      story: async (url) => timelineOf(url),
      async record(url) {
        if (url === withoutRecord) throw new CrawlstreamError('INVALID_ARGUMENT', 'this release has no records');
        return {
          ...{ url, missing: '', text: hostile.detail, textChars: 100_000, linkCount: 1, areAllLinksRead: false },
          facts: [['title', hostile.detail] as const],
          screenshot,
          links: [{ url: hostile.url, verdict: 'refused by scope: <b>not in it</b>' }],
        };
      },
      search: async (words) => ({
        hits:
          words === 'none'
            ? []
            : [{ url: hostile.url, title: hostile.detail, snippet: `a [${words}] ${hostile.detail}` }],
      }),
      hostMap: async () => hostMap,
      duplicates: async () => duplicates,
      failures: async () => failures,
      async host(host, from) {
        const found = hosts.find((one) => one.host === host);
        if (found === undefined) throw new CrawlstreamError('INVALID_ARGUMENT', `the crawl does not know host ${host}`);
        return hostPageOf(found, from);
      },
      async act(act, host, _, amount) {
        reported.acts.push({ act, host, amount });
        const at = hosts.findIndex((one) => one.host === host);
        if (act === 'delay') hosts[at] = { ...hosts[at]!, delayMs: amount ?? 1_000 };
        else if (act !== 'limit') hosts[at] = { ...hosts[at]!, hold: act === 'block' ? 'blocked' : '' };
        return host;
      },
      async addSeeds(urls) {
        reported.added.push(...urls);
        return { sent: urls, refused: [] };
      },
      async replay(ids) {
        reported.replayed.push(...ids);
        return ids;
      },
      async steer(act) {
        reported.steered.push(act);
        return true;
      },
    },
  };
  return reported;
}

/** A grey JPEG of 16 by 8 pixels. */
const screenshot =
  '/9j/2wBDABAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBD/wAALCAAIABABAREA/8QAFAABAAAAAAAAAAAAAAAAAAAAAP/EABQQAQAAAAAAAAAAAAAAAAAAAAD/2gAIAQEAAD8AD//Z';

/** Forty hosts, as many as a map has, one of them with a hostile name. */
const hostMap: HostMapStatus = {
  hosts: [
    { host: 'www.example.org', pages: 9_204 },
    { host: 'shop.example.net', pages: 4_100 },
    { host: hostile.host, pages: 800 },
    ...Array.from({ length: 37 }, (_, i) => ({ host: `h${i}.department-${i % 4}.example.edu`, pages: 9 * (36 - i) })),
  ],
  hostsLeftOut: 1_204,
  edges: [
    { from: 0, to: 1, links: 1_700 },
    { from: 2, to: 0, links: 900 },
    { from: 1, to: 2, links: 300 },
    ...Array.from({ length: 100 }, (_, i) => ({ from: i % 37, to: 39 - ((i * 7) % 36), links: 200 - i })),
  ].filter(({ from, to }) => from !== to),
  edgesLeftOut: 12,
  isEstimate: true,
};

/** One cluster with more pages than are listed. */
const duplicates: DuplicateListStatus = {
  clusters: 2,
  listed: [
    {
      representative: 'https://www.example.org/news',
      counts: { exact: 2, near: 1, syndicated: 0 },
      pages: [
        { url: hostile.url, kind: 'exact' },
        { url: 'https://www.example.org/news?print=1', kind: 'near' },
      ],
    },
  ],
};

/** One reason with more URLs than are listed. */
const failures: FailuresStatus = {
  reasons: [
    {
      ...{ kind: 'gone', status: 404, waits: false, count: 1_300 },
      urls: [
        { url: hostile.url, detail: hostile.detail },
        { url: 'https://www.example.org/gone', detail: '' },
      ],
    },
    {
      ...{ kind: 'timeout', status: 0, waits: true, count: 1 },
      urls: [{ url: 'https://slow.example.com/report', detail: '' }],
    },
  ],
  reasonsLeftOut: 3,
};

/** Two pages of a queue, one URL of it hostile. */
function hostPageOf(reported: HostStatus, from: string): HostPageStatus {
  const { host, hold, fetched, pages, failures, throttles, delayMs, queued, deferred } = reported;
  const first = Array.from({ length: 50 }, (_, i) => ({ frontQueue: '2', depth: 1, url: `https://${host}/page/${i}` }));
  first[1] = { ...first[1]!, url: hostile.url };
  return {
    ...{ host, hold, fetched, pages, failures, throttles, delayMs, queued, deferred, atMs: Date.now() },
    serverFails: false,
    why: hold === 'blocked' ? 'an operator blocked it' : '1000 ms after the last contact: the delay of the policy',
    ...{ deadUntilMs: reported.deadUntilMs, readyAtMs: reported.readyAtMs, fetchMs: 120, crawlDelayMs: null },
    ...{ ownDelayMs: null, pagesMax: null, leases: [], isFree: hold === '' },
    again: { urls: failures > 0 ? 3 : 0, nextAtMs: failures > 0 ? Date.now() + 9_000 : null },
    queue: queued === 0 ? [] : from === '' ? first : [{ frontQueue: '3', depth: 2, url: `https://${host}/last` }],
    next: queued > 50 && from === '' ? '2:50' : null,
    outcomes: failures > 0 ? fetches(Date.now()).slice(3) : fetches(Date.now()).slice(0, 2),
  };
}

/** One page whose URL and title are hostile, told in two topics. */
function timelineOf(url: string): TimelineStatus {
  const events = (['discovered', 'pages'] as const).map((topic, offset) => ({
    ...{ kind: offset === 0 ? ('discovered' as const) : ('page' as const), topic, partition: 0, offset },
    ...{ atMs: startedMs + 2_500 * offset, policyVersion: 1, text: hostile.detail, details: {} },
  }));
  const reported = events.map(({ atMs, text, topic, partition, offset, policyVersion }) => {
    const since = sinceText(atMs - startedMs);
    return { time: new Date(atMs).toISOString(), since, text, topic, partition, offset, policyVersion };
  });
  return { url, events: reported, all: reported.length, picture: timelinePicture(url, events), trimmed: false };
}

const startedMs = Date.now() - 900_000;

/** They grow by themselves. */
function countsOf(state: State, atMs: number) {
  const seconds = Math.min((atMs - startedMs) / 1_000, state === 'done' ? 700 : Number.POSITIVE_INFINITY);
  const isEmpty = state === 'empty';
  const scale = isEmpty ? 0 : state === 'busy' ? 40_000 : 1;
  const pages = Math.floor(seconds * 120 * scale);
  const failing = state === 'failing' ? 30 : 1;
  const counts = {
    ...zeroCounters(),
    ...{ hosts: Math.ceil(scale) * 480, leases: isEmpty ? 0 : Math.ceil(scale) * 61, leased: scale * 1_904 },
    ...{ page: pages, redirected: Math.floor(pages / 22), denied: Math.floor(pages / 40) },
    ...{
      failed: Math.floor((pages * failing) / 60),
      dead: Math.floor((pages * failing) / 300),
      queued: scale * 48_211,
    },
    ...{ retrying: scale * 214 * failing, deferred: scale * 3_120, discovered: pages * 42, duplicates: pages * 33 },
    ...{ outOfScope: pages * 5, filtered: pages, fetches: Math.floor(pages * 1.1), bytes: pages * 12_600 },
  };
  counts.admitted = pages + counts.redirected + counts.denied + counts.failed + counts.dead + counts.leased;
  counts.admitted += counts.queued + counts.retrying + counts.deferred;
  if (state === 'done') Object.assign(counts, { leases: 0, leased: 0, queued: 0, retrying: 0 });
  if (state === 'retrying') Object.assign(counts, { leases: 0, leased: 0, queued: 60, retrying: 3 });
  return counts;
}

function reportOf(state: State, atMs: number): CrawlStatus {
  const isEmpty = state === 'empty';
  const scale = isEmpty ? 0 : state === 'busy' ? 40_000 : 1;
  const counts = countsOf(state, atMs);
  const partitions = partitionsOf(state, counts);
  const reported: Omit<CrawlStatus, 'troubles'> = {
    ...{
      crawl: ({ busy: 'the-whole-web-2026', retrying: 'crawl' } as const)[state as 'busy'] ?? 'news',
      release: '0.1.0',
      atMs,
      policyVersion: 1_795_268_000_000,
    },
    phase: ({ live: 'running', busy: 'running', failing: 'running' } as const)[state as 'live'] ?? state,
    paused: false,
    pageQuota: state === 'live' ? 200_000 : null,
    counts,
    hosts: {
      known: counts.hosts,
      fetching: counts.leases,
      ready: counts.leases > 0 ? 14 : 0,
      delayed: counts.leases > 0 ? scale * 310 : 0,
    },
    partitions,
    fetchers: state === 'idle' ? null : 4,
    members:
      state === 'idle'
        ? null
        : [...new Set(partitions.map(({ owner }) => owner))].flatMap((name) =>
            name === null
              ? []
              : [
                  {
                    name,
                    address: null,
                    owned: partitions.filter(({ owner }) => owner === name).map(({ partition }) => partition),
                  },
                ],
          ),
    recent: {
      outcomes: isEmpty ? 0 : 1_240,
      kinds: isEmpty ? [] : kindsOf(state),
      fetches: isEmpty ? [] : fetches(atMs),
      newestMs: isEmpty ? null : atMs - 400,
      causes: isEmpty ? [] : fetches(atMs).filter(({ kind }) => kind !== 'fetched'),
    },
    freshness: isEmpty
      ? null
      : { pages: counts.page, fresh: 0.914, ageP50S: 41_000, ageP95S: 310_000, withinGoal: 0.987, sitemapTrust: null },
    canStop: true,
    canSearch: state === 'live',
    canMapHosts: state === 'live',
    canListDuplicates: true,
    ...(state === 'live' && { duplicates: { exact: 2, near: 1, syndicated: 0 } }),
    about: {
      ...{ seeds: ['https://www.example.org/', hostile.url], seedCount: 2, scope: 'domains example.org' },
      ...{ place: '--data crawl-data/example.org', startedMs },
    },
    letters: {
      records: isEmpty ? 0 : 412,
      reasons: isEmpty ? [] : [{ reason: 'retriesExhausted', count: 3 }],
      newest: isEmpty ? [] : deadLetters(atMs),
    },
    idle:
      state !== 'idle'
        ? null
        : {
            lastWrittenMs: atMs - 18 * 60_000,
            resume: 'crawlstream crawl --data crawl-data/example.org',
            unpause: 'crawlstream resume --data crawl-data/example.org',
          },
  };
  const fails = state === 'failing' || state === 'retrying';
  const worst = fails ? hostsOf(state).filter(({ failures }) => failures > 0) : [];
  return { ...reported, troubles: troublesOf(reported, { worst, freeBytes: null }) };
}

function kindsOf(state: State): CrawlStatus['recent']['kinds'] {
  const kind = (name: string, count: number, failed = false) => ({ kind: name, count, failed });
  if (state === 'failing') {
    return [kind('timeout', 610, true), kind('fetched', 480), kind('serverError', 120, true), kind('gone', 30)];
  }
  return [
    kind('fetched', 1_050),
    kind('redirect', 90),
    kind('gone', 60),
    kind('robotsDenied', 30),
    kind('timeout', 10, true),
  ];
}

function fetches(atMs: number): FetchStatus[] {
  const one = (url: string, status: number, kind = 'fetched') => ({
    atMs: atMs - 900,
    url,
    kind,
    status,
    bytes: status === 200 ? 12_611 : 0,
    detail: status === 0 ? hostile.detail : '',
  });
  return [
    one('https://www.example.org/news/2026/11/a-quiet-harbor-and-its-boats', 200),
    one(hostile.url, 200),
    one('https://shop.example.net/item?id=174&view=full', 404, 'gone'),
    one('https://slow.example.com/report', 0, 'timeout'),
  ];
}

function deadLetters(atMs: number): DeadLetterStatus[] {
  const common = { attempts: 4, lastOutcome: 'serverError', status: 500, replayed: false };
  const of = (id: string, url: string, detail: string, reason = 'retriesExhausted') => ({
    ...{ ...common, id, url, detail, reason, atMs: atMs - 42_000, hostKey: 'www.example.org' },
  });
  return [
    of('0/17', 'https://www.example.org/error/7', ''),
    of('0/16', hostile.url, hostile.detail),
    of('1/4', '', 'the record does not begin as Avro does', 'undecodable'),
  ];
}

function partitionsOf(state: State, counts: CrawlStatus['counts']): PartitionReport[] {
  const number = state === 'busy' ? 128 : state === 'empty' ? 1 : 8;
  return Array.from({ length: number }, (_, partition): PartitionReport => {
    const isNobodys = state === 'idle' || (state === 'failing' && (partition === 3 || partition === 5));
    const isRestoring = state === 'restoring' && partition < 3;
    const share = (1 + ((partition * 7) % 5)) / (3 * number);
    const counters = Object.fromEntries(
      Object.entries(counts).map(([name, count]) => [name, Math.floor(count * share)]),
    );
    return {
      partition,
      owner: isNobodys ? null : `frontier-${partition % 3}`,
      standbys:
        partition % 2 === 0
          ? [{ member: `frontier-${(partition + 1) % 3}`, rank: 1, behind: partition, staleMs: partition * 40 }]
          : [],
      counters,
      lag: { control: 0, results: state === 'failing' ? 3_900 : 2, discovered: isNobodys ? 120_400 : 14 },
      restored: isNobodys ? null : isRestoring ? 0.18 + 0.3 * partition : 1,
      restoreLeftMs: isRestoring ? 14_000 - 3_000 * partition : 0,
      readyHosts: isNobodys || isRestoring ? null : 2,
      delayedHosts: isNobodys || isRestoring ? null : 40,
      freshness: null,
    };
  });
}

function historyOf(state: State, nowMs: number): HistoryStatus {
  const atMs = state === 'empty' ? [] : Array.from({ length: 200 }, (_, i) => nowMs - (200 - i) * 4_500);
  const counts = atMs.map((at) => countsOf(state, at));
  const column = (name: 'page' | 'discovered' | 'admitted' | 'bytes' | 'fetches') => counts.map((one) => one[name]);
  const left = (i: number) => (state === 'done' ? Math.max(0, 1 - i / 155) : 1);
  const wave = (base: number, swing: number, share = left) =>
    atMs.map((_, i) => Math.round(share(i) * base * (1 + swing * Math.sin(i / 17))));
  const scale = state === 'busy' ? 40_000 : 1;
  const [page, discovered, admitted] = [column('page'), column('discovered'), column('admitted')];
  const depth = {
    queued: wave(scale * 48_000, 0.2),
    retrying: wave(scale * 800, 0.5),
    leased: wave(scale * 1_900, 0.1),
  };
  return {
    atMs,
    columns: {
      ...depth,
      page,
      discovered,
      admitted,
      bytes: column('bytes'),
      fetches: column('fetches'),
      deferred: wave(scale * 3_100, 0.1, () => 1),
    },
  };
}

function errorsOf(state: State, nowMs: number): ErrorsStatus {
  if (state !== 'failing') return { atMs: [], kinds: [], hosts: [], isEstimate: false };
  const counts = (base: number) => Array.from({ length: 60 }, (_, i) => base * (1 + (i % 7)));
  const host = { kind: 'timeout', status: 0, url: 'https://slow.example.com/report', count: 4_812 };
  return {
    atMs: Array.from({ length: 60 }, (_, i) => nowMs - (60 - i) * 60_000),
    kinds: [
      { kind: 'timeout', counts: counts(9) },
      { kind: 'serverError', counts: counts(2) },
    ],
    hosts: [
      { ...host, host: 'slow.example.com' },
      { ...host, host: hostile.host, url: hostile.url, count: 12 },
    ],
    isEstimate: true,
  };
}

function hostsOf(state: State): HostStatus[] {
  if (state === 'empty') return [];
  const host = (name: string, partition: number, queued: number, more: Partial<HostStatus> = {}): HostStatus => ({
    ...{ host: name, partition, queued, deferred: 0, leases: 0, fetched: 900 - queued / 20, pages: 870 - queued / 20 },
    ...{
      failures: 0,
      throttles: 0,
      delayMs: 1_000,
      readyAtMs: Date.now() + 600_000,
      hold: '',
      deadUntilMs: null,
      ...more,
    },
  });
  if (state === 'retrying')
    return [
      host('slow.example.com', 2, 61, { failures: 5, lastFailure: { kind: 'timeout', status: 0 } }),
      host(hostile.host, 3, 2, { failures: 1 }),
    ];
  const some = [
    host('www.example.org', 0, 9_204, { leases: 1, readyAtMs: null }),
    host('shop.example.net', 1, 4_100, { throttles: 3, delayMs: 64_000 }),
    host('slow.example.com', 2, 1_320, { failures: 5, lastFailure: { kind: 'timeout', status: 0 } }),
    host(hostile.host, 3, 800),
    host('blocked.example', 4, 0, { hold: 'blocked', deferred: 310, readyAtMs: null }),
    host(`a-very-long-name-${'x'.repeat(60)}.${'y'.repeat(60)}.example.org:8443`, 5, 12),
    host('dead.example', 6, 0, { deadUntilMs: Date.now() + 3_600_000, readyAtMs: null }),
  ];
  const more = Array.from({ length: 30 }, (_, i) => host(`h${String(i).padStart(3, '0')}.example.edu`, i % 8, 300 - i));
  return [...some, ...more];
}
