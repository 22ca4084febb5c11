/**
 * A frontier in memory, for programs with their own HTTP client: URLs in, leases of hosts out when these may be
 * contacted.
 *
 * It is the partition on which every crawl runs, with the given clock and policy: each URL is admitted once, front
 * queues order the URLs, a host has one lease, and delays, back-off and retries apply. Nothing is durable: the state is
 * lost when the process ends.
 */
import { randomBytes } from 'node:crypto';
import { blankHostFacts } from '../../schemas/blank.ts';
import { rangeLimits } from '../../schemas/range-limits.ts';
import type { LinkGroup, Outcome, OutcomeKind, Task } from '../../schemas/types.ts';
import { CrawlstreamError } from '../../topology/errors.ts';
import type { Counters } from '../../topology/frontier/changes/counters.ts';
import type { LinkVerdict } from '../../topology/frontier/decide/decision.ts';
import { FrontierPartition } from '../../topology/frontier/partition.ts';
import { replay } from '../../topology/frontier/replay.ts';
import { FrontierState } from '../../topology/frontier/state/state.ts';
import { StepFailed } from '../../topology/frontier/step-failed.ts';
import { compilePolicy, defaultPolicy, type Policy, type PolicyConfig } from '../../topology/policy/policy.ts';
import { validatePolicy } from '../../topology/policy/validate.ts';
import { hostKeyOf } from '../../topology/url/host-key.ts';
import { parseSeed } from '../../topology/url/seed.ts';
import { checkOptions, isCount, isObject, isStrings } from '../runtime/check-options.ts';
import { SystemClock } from '../runtime/clock.ts';
import { checkReport, checkSource } from './check-report.ts';

/** Configuration of a frontier in memory. */
export interface FrontierConfig {
  /** Fields that replace those of `defaultPolicy()`. Absent: the default, a second between requests to a host. */
  readonly policy?: Partial<PolicyConfig>;
  /** Ms since the Unix epoch. Absent: the system's. */
  readonly clock?: {
    /** The time now. */
    nowMs(): number;
  };
  /** Leases out at once. Absent: 100. */
  readonly leasesMax?: number;
}

/** A host with some of its URLs, to be fetched one after another, `delayMs` apart from end to start. */
export interface HostLease {
  readonly id: number;
  readonly hostKey: string;
  readonly delayMs: number;
  /** URLs that are not reported by then come back. */
  readonly deadlineMs: number;
  readonly urls: readonly { readonly url: string; readonly depth: number; readonly hop: number }[];
}

/** Outcome of one URL of a lease. */
export interface UrlOutcome {
  /** Place in the lease. */
  readonly index: number;
  readonly kind: OutcomeKind;
  readonly status?: number;
  /** Target of a `redirect`. */
  readonly redirectUrl?: string;
  readonly retryAfterMs?: number;
}

/**
 * The frontier's decision on an added URL. new: it is queued; known: it was added before; refused: the policy refuses it,
 * by `rule` (`detail`: why); full: the queue is full, and the URL is decided once there is room; dropped: there is no room
 * for it, by `urlsPerHostMax` or `whenFull`, and only another `add` would bring it again.
 */
export type AddedUrl = { readonly url: string } & (
  | { readonly verdict: 'new' | 'known' | 'full' | 'dropped' }
  | { readonly verdict: 'refused'; readonly rule: string; readonly detail: string }
);

/** A frontier in memory for a custom fetcher: URLs in, leases of polite hosts out, outcomes back in. */
export interface Frontier {
  /**
   * Adds URLs, and returns the decision on each, in order. `from`: the page that contains them, and its depth. Throws
   * INVALID_SEED for a text that is not an http or https URL.
   */
  add(
    urls: readonly string[],
    from?: { readonly url: string; readonly depth: number; readonly hop?: number },
  ): readonly AddedUrl[];
  /** A lease that may be worked on now; null: none, see `waitMs`. */
  next(): HostLease | null;
  /**
   * Ends the lease; URLs without an outcome return to the queue. `crawlDelayMs`: Crawl-delay in the host's robots.txt.
   */
  done(lease: HostLease, outcomes: readonly UrlOutcome[], crawlDelayMs?: number): void;
  /** Time until `next` may have a lease, ms; null: never, unless a lease ends or URLs are added. */
  waitMs(): number | null;
  /** The number of admitted URLs in each state, and other counts. */
  readonly counters: Readonly<Counters>;
}

/** Creates an empty frontier. Throws INVALID_ARGUMENT, which names the option or the field of the policy. */
export function createFrontier(given: FrontierConfig = {}): Frontier {
  checkOptions('createFrontier', given, {
    policy: { wants: 'an object with policy fields, as in { delayMs: 1000 }', fits: isObject },
    clock: { wants: 'an object with nowMs()', fits: isObject },
    leasesMax: { wants: 'a whole number of leases, at least 1', fits: isCount },
  });
  const { policy, clock = new SystemClock(), leasesMax = 100 } = given;
  const config = validatePolicy(JSON.parse(JSON.stringify({ ...defaultPolicy(), ...policy, version: 1 })));
  if (config.filters.lists !== undefined && config.filters.lists.length > 0) {
    throw new CrawlstreamError(
      'INVALID_ARGUMENT',
      'policy.filters.lists: a frontier in memory cannot read files; use other filters, such as hostsDenied or exclude',
    );
  }
  return new MemoryFrontier(clock, leasesMax, config);
}

/** Its public acts are fields, since programs may hand out single ones. */
class MemoryFrontier implements Frontier {
  readonly #clock: NonNullable<FrontierConfig['clock']>;
  readonly #leasesMax: number;
  readonly #state: FrontierState;
  readonly #epoch: number;
  readonly #partition: FrontierPartition;
  readonly #policy: Policy;
  readonly #offsets = { control: 0, results: 0, discovered: 0 };
  /** Added URLs that wait for room. */
  #undecided = 0;
  /** Of the last `add`, those of URLs that waited first. */
  #verdicts: LinkVerdict[] = [];
  /** The error that made it unusable. */
  #broken: unknown;

  constructor(clock: NonNullable<FrontierConfig['clock']>, leasesMax: number, config: PolicyConfig) {
    this.#clock = clock;
    this.#leasesMax = leasesMax;
    this.#policy = compilePolicy(config);
    const key = randomBytes(8);
    this.#state = new FrontierState({ hi: key.readUInt32BE(0), lo: key.readUInt32BE(4) });
    // A claim that is only this frontier's.
    replay(this.#state, 0, { kind: 'claim', nonce: 'library', nowMs: this.#nowMs(), endsLeases: false });
    this.#epoch = this.#state.changelog.epoch;
    this.#partition = new FrontierPartition({ crawl: 'library', partition: 0, partitions: 1 }, this.#state);
    this.#partition.onArrival = (verdict) => {
      this.#undecided -= 1;
      this.#verdicts.push(verdict);
    };
    const payload = JSON.stringify(config);
    const control = { kind: 'policy', version: 1, payload, by: 'library', id: '', hostKey: '', partition: -1 } as const;
    const record = { ...control, atMs: this.#nowMs(), amount: 0, wanted: 0, known: -1 };
    this.#partition.offer({ topic: 'control', offset: this.#offsets.control++, record });
    this.#step(0);
  }

  #nowMs() {
    return wholeMs(this.#clock.nowMs());
  }

  /** Decides the offered links; grants at most `wanted` leases. */
  #step(wanted: number): Task | undefined {
    if (this.#broken !== undefined) throw new CrawlstreamError('UNSUPPORTED', brokenText, this.#broken);
    try {
      for (;;) {
        const next = this.#partition.step(
          this.#nowMs(),
          Math.min(wanted, Math.max(0, this.#leasesMax - this.#state.leases.size)),
        );
        // Nothing is stored, so the records that a checkpoint would store are dropped.
        this.#state.unsaved.records = [];
        if (next === null) return undefined;
        const [task] = next.tasks;
        if (task !== undefined) return task;
      }
    } catch (error) {
      if (error instanceof StepFailed) this.#broken = error;
      throw error;
    }
  }

  readonly add: Frontier['add'] = (urls, from) => {
    if (!isStrings(urls))
      throw new CrawlstreamError('INVALID_ARGUMENT', "add: give a list of URLs, as in ['https://example.org/']");
    if (from !== undefined) checkSource(from);
    const groups = urls.map((given): readonly [string, LinkGroup] => {
      const url = from === undefined ? parseSeed(given) : given;
      const source = { sourceUrl: from?.url ?? '', sourceKey: from === undefined ? '' : hostKeyOf(from.url) };
      const place = { depth: from === undefined ? 0 : from.depth + (from.hop ? 0 : 1), hop: from?.hop ?? 0 };
      const links = [{ url, lastModifiedMs: 0, priority: -1, spelling: '' }];
      const rest = {
        front: (from?.hop ?? 0) > 0,
        discoveredAtMs: this.#nowMs(),
        share: 0,
        traceparent: '',
        payload: '',
        foundIn: 'unknown' as const,
        tags: [],
        links,
      };
      return [given, { hostKey: hostKeyOf(url), ...source, ...place, intent: 'discover', ...rest }];
    });
    const record = { groups: groups.map(([, group]) => group) };
    this.#partition.offer({ topic: 'discovered', offset: this.#offsets.discovered++, record });
    const before = this.#undecided;
    this.#undecided += groups.length;
    this.#verdicts = [];
    this.#step(0);
    return groups.map(([given, group], n) => this.#added(given, group, this.#verdicts[before + n]));
  };

  #added(
    url: string,
    { depth, hop, intent, sourceUrl, links }: LinkGroup,
    verdict: LinkVerdict | 'full' = 'full',
  ): AddedUrl {
    if (verdict !== 'refused') return { url, verdict };
    const { lastModifiedMs } = links[0]!;
    const admission = this.#policy.admit(links[0]!.url, depth, hop, { depth, hop, intent, sourceUrl, lastModifiedMs });
    const { rule, detail } = admission.ok ? { rule: '', detail: '' } : admission;
    return { url, verdict, rule, detail };
  }

  readonly next: Frontier['next'] = () => {
    const task = this.#step(1);
    if (task === undefined) return null;
    const { leaseId: id, hostKey, delayMs, deadlineMs, urls } = task;
    return { id, hostKey, delayMs, deadlineMs, urls };
  };

  readonly done: Frontier['done'] = (lease, outcomes, crawlDelayMs = -1) => {
    checkReport(lease, outcomes, crawlDelayMs);
    const completedAtMs = this.#nowMs();
    const robotsStatus = crawlDelayMs < 0 ? ('unknown' as const) : ('rules' as const);
    const host = {
      ...blankHostFacts,
      robotsStatus,
      robotsFetchedAtMs: completedAtMs,
      crawlDelayMs: Math.ceil(crawlDelayMs),
    };
    const granted = { grantedAtMs: 0, policyVersion: 0, lanes: 1, userAgent: '', robotsTokens: '' };
    const names = { partition: 0, epoch: this.#epoch, leaseId: lease.id, hostKey: lease.hostKey, fetcherId: 'library' };
    const reported = outcomes.map((one) => {
      const retryAfterMs = Math.ceil(one.retryAfterMs ?? 0);
      // A field that is there and undefined is as one that is absent.
      const given = Object.fromEntries(Object.entries(one).filter(([, value]) => value !== undefined)) as typeof one;
      return { ...emptyOutcome, ...given, retryAfterMs, url: lease.urls[one.index]?.url ?? '' };
    });
    const completion = { completedAtMs, outcomes: reported, requests: [], host, robotsHops: [] };
    const result = { ...names, ...granted, last: true, ...completion };
    this.#partition.offer({ topic: 'results', offset: this.#offsets.results++, record: result });
    this.#step(0);
  };

  readonly waitMs: Frontier['waitMs'] = () => {
    const wakeAtMs = this.#partition.wakeAtMs(Math.max(0, this.#leasesMax - this.#state.leases.size));
    return wakeAtMs === undefined ? null : Math.max(0, wakeAtMs - this.#nowMs());
  };

  get counters() {
    return this.#state.counters;
  }
}

const brokenText =
  'a bug: this frontier failed within a step and cannot continue; create another one, and report the bug';

/** A clock may count parts of a millisecond. */
function wholeMs(ms: number): number {
  if (ms >= 0 && ms <= rangeLimits.dateMsMax) return Math.floor(ms);
  throw new CrawlstreamError(
    'INVALID_ARGUMENT',
    `clock.nowMs() returned ${ms}: return ms since the Unix epoch, as Date.now() does`,
  );
}

const emptyOutcome: Omit<Outcome, 'index' | 'kind' | 'url'> = {
  ...{ status: 0, bytes: 0, truncated: false, contentHash: '', etag: '', lastModified: '', retryAfterMs: 0 },
  ...{ redirectUrl: '', links: 0, linksDropped: 0, noindex: false, soft404: false, textSignature: '', detail: '' },
  traceparent: '',
  originOnly: false,
  freshForMs: 0,
  ...{ price: '', licence: '', paid: '', tags: [] },
};
