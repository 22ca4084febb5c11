/** Random inputs for the model test. Numbers of hosts and URLs are small, so that all combinations occur. */
import { blankControl, blankRequest } from '../../schemas/blank.ts';
import type { Control, Discovered, Outcome, OutcomeKind, Result } from '../../schemas/types.ts';
import { outcomeKinds } from '../../schemas/types.ts';
import { leastDelay, ofWebmaster, takenBackDelay } from '../../topology/frontier/decide/control-payloads.ts';
import type { NaiveLease } from './naive-frontier.ts';

export class Chance {
  #state: number;

  constructor(seed: number) {
    this.#state = Math.imul(seed + 1, 0x9e3779b1);
  }

  /** Uniform in 0 … below - 1. A 32-bit mulberry generator. */
  below(below: number): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let t = this.#state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return Math.floor((((t ^ (t >>> 14)) >>> 0) / 2 ** 32) * below);
  }

  of<T>(choices: readonly T[]): T {
    return choices[this.below(choices.length)]!;
  }

  percent(chance: number): boolean {
    return this.below(100) < chance;
  }
}

const hosts = ['a.in.test', 'b.in.test', 'c.in.test:8080', 'd.in.test', 'e.in.test'];

export function randomRules(chance: Chance) {
  return {
    delayMs: chance.of([0, 500, 1_000, 20_000]),
    delayFactor: chance.of([0, 3, 10]),
    delayFactorCapMs: chance.of([1_000, 30_000]),
    crawlDelayCapMs: chance.of([5_000, 30_000]),
    retriesMs: chance.of([[], [5_000], [1_000, 30_000], [5_000, 30_000, 300_000]]),
    leadTimeMs: chance.of([5_000, 30_000]),
    urlsPerLeaseMax: chance.of([1, 3, 16, 64]),
    urlsPerHostMax: chance.of([null, null, 4, 30]),
    queuedMax: chance.of([10, 40, 1_000_000]),
    // The naive frontier has one queue, without shares.
    queueShareMax: 1,
    whenFull: chance.of(['pause', 'dropLowest'] as const),
    maxDepth: chance.of([2, 5]),
    pageQuota: chance.of([null, null, 0, 20, 100]),
    parallel: chance.of([
      [],
      [],
      [{ hosts: ['a.in.test', 'c.in.test'], leases: 3 }],
      [{ hosts: ['a.in.test'], leases: 2 }],
    ]),
  };
}

/** Drawn separately from the rules, so that the rules' draws do not change. */
export function randomOverlays(chance: Chance) {
  if (chance.percent(50)) return [];
  return ['first', 'second'].map((name) => ({
    name,
    match: chance.of([{ hosts: ['b.in.test', 'c.in.test:8080'] }, { domains: ['in.test'] }, { hosts: ['c.in.test'] }]),
    set: chance.of([
      { delayMs: chance.of([0, 3_000]), urlsPerLeaseMax: 5 },
      { delayFactor: 2, crawlDelayCapMs: 60_000, maxDepth: 1 },
      { retriesMs: [2_000], urlsPerHostMax: chance.of([null, 6]) },
      { leases: chance.of([1, 3]), leadTimeMs: 10_000 },
    ]),
  }));
}

export function randomLinks(chance: Chance): Discovered {
  const groups = Array.from({ length: 1 + chance.below(3) }, () => {
    const hostKey = chance.percent(5) ? 'out.test' : chance.of(hosts);
    const depth = chance.below(4);
    return {
      hostKey,
      sourceUrl: '',
      sourceKey: '',
      depth,
      hop: chance.percent(10) ? chance.below(3) : 0,
      front: chance.percent(10),
      intent: chance.percent(5) ? ('force' as const) : ('discover' as const),
      discoveredAtMs: 0,
      share: 0,
      traceparent: '',
      payload: '',
      foundIn: 'unknown' as const,
      tags: depth < 2 ? [] : ['news', `depth=${depth}`, 'not one'],
      originOnly: false,
      freshForMs: 0,
      links: Array.from({ length: 1 + chance.below(12) }, () => ({
        url: `https://${hostKey}/${chance.below(60)}`,
        lastModifiedMs: 0,
        priority: chance.below(10),
        spelling: '',
      })),
    };
  });
  return { groups };
}

export function randomEvent(chance: Chance): Control {
  if (chance.percent(15)) {
    const hostKey = chance.of(hosts);
    const url = `https://${hostKey}/${chance.below(60)}`;
    return controlOf({ kind: 'purge', hostKey, payload: chance.percent(20) ? '' : JSON.stringify({ url }) });
  }
  const kind = chance.of(['blockHost', 'releaseHost', 'releaseHost', 'hostDelay', 'hostLimit', 'hostLeases'] as const);
  if (kind === 'hostLeases') return controlOf({ kind, hostKey: chance.of(hosts), amount: chance.of([-1, 1, 2, 4]) });
  const amount = kind === 'hostLimit' ? chance.of([-1, 0, 3, 50]) : chance.of([-1, 0, 2_000, 60_000]);
  const isOfWebmaster = kind !== 'hostLimit' && chance.percent(40);
  const asked = kind === 'hostDelay' ? chance.of([leastDelay, takenBackDelay(2_000)]) : ofWebmaster;
  return controlOf({ kind, hostKey: chance.of(hosts), amount, ...(isOfWebmaster && { payload: asked }) });
}

export function controlOf(event: Partial<Control>): Control {
  return { ...blankControl, by: 'test', ...event };
}

/** Some or all open URLs of a lease; mostly pages, and each other outcome now and then. */
export function randomResult(chance: Chance, lease: NaiveLease, nowMs: number): Result {
  const open = lease.urls.flatMap((url, index) => (url === null ? [] : [{ url: url.url, index }]));
  const mood = chance.percent(60) ? null : chance.of(outcomeKinds);
  const completedAtMs = chance.percent(5) ? 0 : nowMs - chance.below(400);
  const reported = open.slice(0, chance.percent(60) ? open.length : chance.below(open.length + 1));
  const outcomes = reported.map(({ url, index }) => outcomeOf(chance, index, url, mood ?? goodKind(chance)));
  return {
    partition: 0,
    epoch: 0,
    leaseId: lease.id,
    hostKey: lease.hostKey,
    fetcherId: 'model',
    last: chance.percent(75),
    completedAtMs,
    outcomes,
    requests: outcomes.flatMap(({ url, index: outcomeIndex }) => {
      if (chance.percent(30)) return [];
      const endMs = nowMs - chance.below(100);
      const startMs = endMs - chance.of([5, 80, 3_000]);
      const none = { ...blankRequest, status: 200, bytes: 10 };
      return [{ ...none, url, kind: 'page' as const, outcomeIndex, startMs, endMs }];
    }),
    host: {
      robotsStatus: chance.percent(20) ? 'rules' : 'unknown',
      robotsHash: '',
      robotsFetchedAtMs: 0,
      crawlDelayMs: chance.of([-1, -1, 1_500, 45_000]),
      sitemaps: [],
      sitemapsSinceMs: 0,
      sitemapsLeft: 0,
    },
    robotsHops: [],
    grantedAtMs: 0,
    policyVersion: 0,
    lanes: 1,
    userAgent: '',
    robotsTokens: '',
  };
}

function goodKind(chance: Chance): OutcomeKind {
  return chance.percent(80) ? 'fetched' : chance.of(outcomeKinds);
}

function outcomeOf(chance: Chance, index: number, url: string, kind: OutcomeKind): Outcome {
  return {
    index,
    url,
    kind,
    status: chance.percent(80) ? (kind === 'serverError' ? 500 : 200) : 0,
    bytes: 10,
    truncated: false,
    contentHash: '',
    etag: '',
    lastModified: '',
    retryAfterMs: chance.percent(10) ? 45_000 : 0,
    redirectUrl: kind === 'redirect' ? (chance.percent(50) ? url : 'https://a.in.test/target') : '',
    links: 0,
    linksDropped: 0,
    noindex: false,
    soft404: chance.percent(10),
    textSignature: '',
    detail: '',
    traceparent: '',
    originOnly: false,
    freshForMs: 0,
    price: '',
    licence: '',
    paid: '',
    tags: [],
  };
}
