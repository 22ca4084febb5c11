/** Visits to pages that are known: what each puts into the schedule, and what one that came to nothing does. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { blankOutcome } from '../../../../../schemas/blank.ts';
import type { Outcome } from '../../../../../schemas/types.ts';
import type { Change, UrlRecord } from '../../../../../topology/frontier/changes/changes.ts';
import type { Entry } from '../../../../../topology/frontier/changes/entry.ts';
import type { PageRecord } from '../../../../../topology/frontier/changes/page-record.ts';
import type { Decision } from '../../../../../topology/frontier/decide/decision.ts';
import {
  decideLateVisit,
  decideNoVisit,
  decideVisit,
  expirePage,
  putPageBack,
} from '../../../../../topology/frontier/decide/results/visits.ts';
import type { Lease } from '../../../../../topology/frontier/hosts/lease.ts';
import type { PolicyConfig } from '../../../../../topology/policy/policy.ts';
import { noHistory } from '../../../../../topology/policy/recrawl/history.ts';
import { defaultRecrawl, type RecrawlConfig } from '../../../../../topology/policy/recrawl/recrawl-config.ts';
import { Deciding, entryAt, key, ofKind, urlAt } from '../deciding.ts';
import { hourMs, nowMs, ok } from './result-of.ts';

const interval = 2 * hourMs;
const recrawl: RecrawlConfig = { ...defaultRecrawl, schedule: 'fixed', intervalMs: interval, errorMs: 3 * hourMs };
const record: UrlRecord = {
  ...{ url: urlAt(0), status: 'page', outcome: 'fetched', httpStatus: 200, atMs: 900_000, attempts: 1, depth: 1 },
  ...{ etag: '', lastModified: '', contentHash: 'h1', soft404: false },
};
const page: PageRecord = {
  ...{
    record,
    frontQueue: 5,
    visitedAtMs: 900_000,
    changedAtMs: 800_000,
    history: noHistory,
    signature: '',
    failures: 0,
  },
};

interface Known {
  readonly policy?: Partial<PolicyConfig>;
  readonly page?: Partial<PageRecord>;
  /** Somebody asked for it while it was on lease. */
  readonly pushed?: boolean;
  /** A sitemap had said that it has changed. */
  readonly fromSitemap?: boolean;
}

/** A page that is on lease for a visit. */
function onLease(
  { policy = { recrawl }, page: own = {}, pushed = false, fromSitemap: reported = false }: Known,
  ...others: Entry[]
) {
  const deciding = new Deciding(policy);
  deciding.facts({});
  deciding.schedule({ ...page, ...own });
  const due = { kind: 'due', hostKey: key, url: urlAt(0), dueS: 1_000 } as const;
  if (reported) deciding.state.apply({ ...due, fromSitemap: true });
  const lease = deciding.revisit(1, ...others);
  if (pushed) deciding.state.apply({ ...due, fromSitemap: false });
  return { deciding, lease };
}

const visitOf = (lease: Lease, outcome: Partial<Outcome>) => ({
  ...{ lease, index: 0, outcome: { ...blankOutcome, ...outcome }, atMs: nowMs - 500, frontQueue: 4 },
});

describe('a successful visit', () => {
  function decided(
    known: Known,
    outcome: Partial<Outcome> = { ...ok, contentHash: 'h2' },
    now: Partial<UrlRecord> = {},
  ) {
    const { deciding, lease } = onLease(known);
    let isVisit: boolean | undefined;
    const said = deciding.decide(
      (decision) =>
        decideVisit(decision, deciding.policy!.recrawl, visitOf(lease, outcome), {
          ...record,
          contentHash: 'h2',
          ...now,
        }),
      (returned) => {
        isVisit = returned;
      },
    );
    const [visit] = ofKind(said, 'visit');
    return { isVisit, visit, ...said };
  }

  it('a successful visit is followed by the next after its interval', () => {
    const { isVisit, visit, tallies, changes } = decided({});
    const { page: after, ...rest } = visit!;
    assert.deepEqual(rest, {
      ...{
        kind: 'visit',
        hostKey: key,
        leaseId: 1,
        index: 0,
        dueAtMs: nowMs - 500 + interval,
        spent: true,
        proved: null,
      },
    });
    assert.deepEqual([after.frontQueue, after.visitedAtMs, after.record.contentHash], [4, nowMs - 500, 'h2']);
    assert.deepEqual([isVisit, changes.length, tallies], [true, 1, { revisits: 1, changesFound: 1 }]);
  });

  it('a successful visit counts if it could reveal a change, and did', () => {
    assert.deepEqual(decided({}, { ...ok, contentHash: 'h1' }, { contentHash: 'h1' }).tallies, { revisits: 1 });
    assert.deepEqual(decided({}, { kind: 'gone', status: 404 }, { status: 'failed', outcome: 'gone' }).tallies, {});
    const never = decided({ page: { visitedAtMs: 0 } });
    assert.deepEqual(never.tallies, {});
  });

  it('a successful visit costs a page of the quota if it is a page', () => {
    assert.equal(decided({}, { kind: 'gone', status: 404 }, { status: 'failed', outcome: 'gone' }).visit!.spent, false);
  });

  it('a successful visit proves or disproves a sitemap’s date', () => {
    assert.equal(decided({ fromSitemap: true }).visit!.proved, true);
    assert.equal(
      decided({ fromSitemap: true }, { ...ok, contentHash: 'h1' }, { contentHash: 'h1' }).visit!.proved,
      false,
    );
    assert.equal(decided({}).visit!.proved, null);
  });

  it('a successful visit is repeated at once if somebody asked for it meanwhile, whatever the policy', () => {
    for (const policy of [{ recrawl }, {}]) {
      const { isVisit, visit } = decided({ policy, pushed: true });
      assert.deepEqual([isVisit, visit!.dueAtMs], [true, nowMs]);
    }
  });

  it('a successful visit is the last if the policy asks for no more', () => {
    const { isVisit, changes, tallies } = decided({ policy: {} });
    assert.deepEqual([isVisit, changes, tallies], [false, [], {}]);
    const gone = { ...recrawl, goneMs: null };
    const last = decided(
      { policy: { recrawl: gone } },
      { kind: 'gone', status: 404 },
      { status: 'failed', outcome: 'gone' },
    );
    assert.deepEqual([last.isVisit, last.changes, last.tallies], [false, [], {}]);
  });

  it('a successful visit of a page with a verdict, or with new URLs, counts them', () => {
    const hubs = { ...recrawl, hubs: { newUrls: 5 } };
    const { deciding, lease } = onLease({ policy: { recrawl: hubs } });
    const [hi, lo] = deciding.state.fingerprintOf(urlAt(0));
    deciding.state.apply({ kind: 'gain', hi: hi!, lo: lo!, urls: 3 });
    const decide = (decision: Decision) =>
      decideVisit(decision, deciding.policy!.recrawl, visitOf(lease, { ...ok, contentHash: 'h2' }), record);
    const [visit] = ofKind(deciding.decide(decide), 'visit');
    assert.deepEqual(visit!.page.gain, { urls: 3, seconds: 100, visits: 1 });
  });

  it('a successful visit of a copy is followed by a longer interval, as the policy says', () => {
    const demote = { frontQueue: 6, waitFactor: 3 };
    const policy = { recrawl: { ...recrawl, demote } };
    for (const [duplicateOf, times] of [
      ['', 1],
      [urlAt(9), 3],
    ] as const) {
      const { deciding, lease } = onLease({ policy });
      deciding.state.apply({ kind: 'verdict', hostKey: key, url: urlAt(0), duplicateOf });
      const decide = (decision: Decision) =>
        decideVisit(decision, deciding.policy!.recrawl, visitOf(lease, { ...ok, contentHash: 'h2' }), record);
      const [visit] = ofKind(deciding.decide(decide), 'visit');
      assert.equal(visit!.dueAtMs, nowMs - 500 + times * interval);
    }
  });
});

describe('a failed visit', () => {
  const retriesMs = [5_000, 30_000];
  function decided(known: Known, outcome: Partial<Outcome>) {
    const { deciding, lease } = onLease(known);
    const said = deciding.decide((decision) =>
      decideNoVisit(decision, deciding.policy!.recrawl, visitOf(lease, outcome), retriesMs),
    );
    return { visit: ofKind(said, 'visit')[0], ...said };
  }

  it('a failed visit is repeated after the retry delays, and the page stays unchanged', () => {
    for (const [failures, retryAfterMs, waitMs] of [
      [0, 0, 5_000],
      [1, 0, 30_000],
      [0, 5_001, 5_001],
    ] as const) {
      const { visit, tallies } = decided({ page: { failures } }, { kind: 'badResponse', retryAfterMs });
      assert.deepEqual(visit, {
        ...{
          kind: 'visit',
          hostKey: key,
          leaseId: 1,
          index: 0,
          dueAtMs: nowMs - 500 + waitMs,
          spent: false,
          proved: null,
        },
        page: { ...page, failures: failures + 1 },
      });
      assert.deepEqual(tallies, { retries: 1 });
    }
  });

  it('a failed visit costs no attempt if its host failed, or nobody started', () => {
    for (const outcome of [{ kind: 'connectionFailed' }, { kind: 'returned' }, { kind: 'unknown' }] as const) {
      const { visit, tallies } = decided({ page: { failures: 1 } }, outcome);
      assert.deepEqual([visit!.dueAtMs, visit!.page.failures, tallies], [nowMs - 500, 1, {}], outcome.kind);
    }
    const { visit } = decided({}, { kind: 'connectionFailed', originOnly: true });
    assert.deepEqual([visit!.dueAtMs, visit!.page.failures], [nowMs + 4_500, 1]);
  });

  it('a failed visit waits the error interval after the last retry, or if the page kills its parser', () => {
    for (const [kind, failures] of [
      ['badResponse', 2],
      ['parseFailed', 0],
    ] as const) {
      const { visit, tallies } = decided({ page: { failures } }, { kind });
      assert.deepEqual([visit!.dueAtMs, visit!.page.failures, tallies], [nowMs - 500 + 3 * hourMs, 0, {}]);
    }
  });

  it('a failed visit is repeated at once if somebody has asked for it meanwhile', () => {
    for (const policy of [{ recrawl }, {}]) {
      const { visit } = decided({ policy, pushed: true, page: { failures: 2 } }, { kind: 'badResponse' });
      assert.deepEqual([visit!.dueAtMs, visit!.page.failures], [nowMs, 0]);
    }
  });

  it('a failed visit is the last if the policy never revisits errors, and the page stays where it was', () => {
    for (const policy of [{ recrawl: { ...recrawl, errorMs: null } }, {}]) {
      const { changes } = decided({ policy, page: { failures: 2 } }, { kind: 'badResponse' });
      const disposition = { to: 'final', status: 'page' };
      assert.deepEqual(changes, [{ kind: 'resolve', leaseId: 1, index: 0, disposition, record }]);
    }
  });
});

describe('a page of an expired lease', () => {
  const expired = (failures: number, ...others: Entry[]) => {
    const { deciding, lease } = onLease({ page: { failures } }, ...others);
    const said = deciding.decide((decision) => expirePage(decision, lease, 0));
    const { dueAtMs, page: after } = ofKind(said, 'visit')[0]!;
    return [dueAtMs - nowMs, after.failures];
  };

  it('a page of an expired lease is blamed only if it was alone, and waits a day after the third time', () => {
    assert.deepEqual(expired(0), [0, 1]);
    assert.deepEqual(expired(1), [0, 2]);
    assert.deepEqual(expired(2), [24 * hourMs, 0]);
    assert.deepEqual(expired(2, entryAt(1)), [0, 2]);
    assert.deepEqual(expired(3, entryAt(1)), [24 * hourMs, 0]);
  });
});

it('a page of a returned lease stays unchanged', () => {
  const { deciding, lease } = onLease({ page: { failures: 2 } });
  const said = deciding.decide((decision) => putPageBack(decision, lease, 0, 7_000));
  assert.deepEqual(said.changes, [
    {
      ...{ kind: 'visit', hostKey: key, leaseId: 1, index: 0, dueAtMs: 7_000, spent: false, proved: null },
      page: { ...page, failures: 2 },
    },
  ]);
});

describe('a late result', () => {
  it('a late result is a first visit, if its policy has revisits', () => {
    const decide = (config: RecrawlConfig) => {
      const deciding = new Deciding({ recrawl: config });
      deciding.facts({});
      const seen = {
        outcome: { ...blankOutcome, ...ok },
        record: { ...record, status: 'failed' as const },
        frontQueue: 2,
      };
      return deciding.decide((decision) => decideLateVisit(decision, deciding.policy!.recrawl!, key, seen)).changes;
    };
    const [visit] = decide(recrawl) as [Change & { kind: 'visit' }];
    const { page: after, ...rest } = visit;
    assert.deepEqual(rest, {
      ...{ kind: 'visit', hostKey: key, leaseId: 0, index: 0, dueAtMs: nowMs + 3 * hourMs, spent: true, proved: null },
    });
    assert.deepEqual([after.frontQueue, after.visitedAtMs, after.failures], [2, 0, 0]);
    assert.deepEqual(decide({ ...recrawl, errorMs: null }), []);
  });
});
