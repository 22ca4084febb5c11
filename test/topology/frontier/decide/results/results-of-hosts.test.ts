/** What a host is known for after a message of results. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Outcome, Result } from '../../../../../schemas/types.ts';
import { type Change, type HostFacts, newHostFacts } from '../../../../../topology/frontier/changes/changes.ts';
import { decideResult } from '../../../../../topology/frontier/decide/results/results.ts';
import type { PolicyConfig } from '../../../../../topology/policy/policy.ts';
import { type Decided, Deciding, entryAt, key } from '../deciding.ts';
import { failed, hourMs, nowMs, ok, requestOf, resultOf, robots } from './result-of.ts';

interface Case {
  readonly policy?: Partial<PolicyConfig>;
  readonly before?: Partial<HostFacts>;
  /** Number of URLs on the lease. Absent: as many as outcomes. */
  readonly urls?: number;
  readonly outcomes?: readonly Partial<Outcome>[];
  readonly result?: Partial<Result>;
}

function decided({ policy, before = {}, outcomes = [], urls = outcomes.length, result }: Case): Decided {
  const deciding = new Deciding(policy);
  const lease = deciding.lease(...Array.from({ length: urls }, (_, n) => entryAt(n)));
  deciding.facts(before);
  return deciding.decide((decision) => decideResult(decision, resultOf(lease.id, outcomes, result)));
}

/** The facts that differ from those before. */
function taught(one: Case): Partial<HostFacts> {
  const { changes } = decided(one);
  const change = changes.find(({ kind }) => kind === 'host') as (Change & { kind: 'host' }) | undefined;
  const before: HostFacts = { ...newHostFacts, ...one.before };
  const after = change?.facts ?? before;
  const names = Object.keys(after) as (keyof HostFacts)[];
  return Object.fromEntries(names.filter((name) => after[name] !== before[name]).map((name) => [name, after[name]]));
}

const pausedUntil = (atMs: number) => ({ readyAtMs: atMs, returns: 1 });

describe('a host’s facts after a result', () => {
  const read = { fetched: 1, pages: 1 };
  const polite = { ...read, readyAtMs: nowMs + 1_000 };
  const took = (ms: number) => ({ requests: [requestOf({ outcomeIndex: 0, startMs: 100, endMs: 100 + ms })] });
  const cases: Readonly<Record<string, Case & { readonly is: Partial<HostFacts> }>> = {
    'a page, and the delay from its completion': { outcomes: [ok], is: polite },
    'the time of the message where the completion is not told': {
      ...{ outcomes: [ok], result: { completedAtMs: 0 } },
      is: polite,
    },
    'a completion that is long ago': {
      ...{ outcomes: [ok], result: { completedAtMs: nowMs - 700 } },
      is: { ...read, readyAtMs: nowMs + 300 },
    },
    'no later contact where the lease goes on and nothing is completed': {
      ...{ outcomes: [ok], result: { last: false, completedAtMs: 0 } },
      is: read,
    },
    'a later contact than before, never an earlier one': {
      ...{ outcomes: [ok], before: { readyAtMs: nowMs + 1_001 } },
      is: read,
    },
    'a soft 404, which is no page': {
      outcomes: [{ ...ok, soft404: true }],
      is: { fetched: 1, readyAtMs: nowMs + 1_000 },
    },
    'how long its first page took': { outcomes: [ok], result: took(40), is: { ...polite, fetchMs: 40 } },
    'a quarter of how much longer another took': {
      ...{ outcomes: [ok], before: { fetchMs: 40 }, result: took(80) },
      is: { ...polite, fetchMs: 50 },
    },
    'the Crawl-delay of a robots.txt that was read': {
      ...{ outcomes: [ok], result: robots({ robotsStatus: 'rules', crawlDelayMs: 3_000 }) },
      is: { ...read, crawlDelayMs: 3_000, readyAtMs: nowMs + 3_000 },
    },
    'no Crawl-delay where robots.txt was not read': {
      ...{ outcomes: [ok], result: robots({ crawlDelayMs: 3_000 }) },
      is: polite,
    },
    'an answer, which ends failures and throttles': {
      ...{ outcomes: [ok], before: { failures: 2, throttles: 3, serverErrors: 1 } },
      is: { ...polite, failures: 0, throttles: 0, serverErrors: 0 },
    },
    'a server error, which ends failures alone': {
      ...{ outcomes: [{ kind: 'serverError', status: 500 }], before: { failures: 2 } },
      is: { failures: 0, serverErrors: 1, readyAtMs: nowMs + 1_000 },
    },
    'a failure, which waits the first step': {
      ...{ outcomes: [failed('connectionFailed')] },
      is: { failures: 1, readyAtMs: nowMs + 5_000 },
    },
    'a second failure in a row, which waits the second': {
      ...{ outcomes: [failed('dnsFailed')], before: { failures: 1 } },
      is: { failures: 2, readyAtMs: nowMs + 30_000 },
    },
    'a failure beside an answer of the same lease': {
      ...{ outcomes: [ok, failed('connectionFailed')], before: { failures: 1, throttles: 1 } },
      is: { ...read, failures: 2, throttles: 0, readyAtMs: nowMs + 30_000 },
    },
    'its whole retry schedule, not yet dead': {
      ...{ outcomes: [failed('tlsFailed')], before: { failures: 2 } },
      is: { failures: 3, readyAtMs: nowMs + 300_000 },
    },
    'more failures than that: it is dead for a day': {
      ...{ outcomes: [failed('tlsFailed')], before: { failures: 3 } },
      is: { failures: 4, readyAtMs: nowMs + 300_000, deadUntilMs: nowMs + 24 * hourMs },
    },
    'a pause that it asked for': {
      ...{ outcomes: [{ ...ok, retryAfterMs: 50_000 }] },
      is: { ...read, ...pausedUntil(nowMs + 50_000) },
    },
    'a pause that its robots.txt asked for, from its end on': {
      ...{ outcomes: [ok] },
      result: { requests: [requestOf({ status: 503, retryAfterMs: 20_000, endMs: nowMs - 4_000 })] },
      is: { ...read, ...pausedUntil(nowMs + 16_000) },
    },
    'a lease of one URL that came back': {
      ...{ outcomes: [failed('returned')] },
      is: { returns: 1, leaseMax: 1, readyAtMs: nowMs + 1_000 },
    },
    'half a lease that came back in part, and the third pause': {
      ...{ urls: 5, outcomes: [ok], before: { returns: 2, leaseMax: 7 } },
      is: { ...read, returns: 3, leaseMax: 2, readyAtMs: nowMs + 4_000 },
    },
    'nothing of what is left where more of the lease is to come': {
      ...{ urls: 5, outcomes: [failed('returned')], before: { returns: 3, leaseMax: 7 }, result: { last: false } },
      is: { readyAtMs: nowMs + 1_000 },
    },
    'a whole lease: twice as large the next time': {
      ...{ outcomes: [ok], before: { returns: 2, leaseMax: 3 } },
      is: { ...polite, returns: 0, leaseMax: 6 },
    },
    'a whole lease: as large as the policy has it': {
      ...{ outcomes: [ok], before: { leaseMax: 3 }, policy: { urlsPerLeaseMax: 6 } },
      is: { ...polite, leaseMax: 0 },
    },
    'a whole lease: not beyond the policy': {
      ...{ outcomes: [ok], before: { leaseMax: 3 }, policy: { urlsPerLeaseMax: 7 } },
      is: { ...polite, leaseMax: 6 },
    },
    'trouble, by which a lease that came back is no fault of its size': {
      ...{ urls: 3, outcomes: [failed('connectionFailed')], before: { returns: 2, leaseMax: 4 } },
      is: { failures: 1, returns: 0, leaseMax: 8, readyAtMs: nowMs + 5_000 },
    },
    'throttling beside a lease that came back': {
      ...{ urls: 3, outcomes: [failed('timeout')], before: { returns: 2, leaseMax: 1 }, policy: { retriesMs: [0] } },
      is: { throttles: 1, returns: 0, leaseMax: 2, readyAtMs: nowMs + 1_000 },
    },
    'a Crawl-delay that is too long beside a lease that came back': {
      ...{ urls: 3, outcomes: [failed('crawlDelayTooLong')], before: { returns: 2, leaseMax: 4 } },
      is: { hold: 'crawlDelay', returns: 0, leaseMax: 8, readyAtMs: nowMs + 1_000 },
    },
    'a lease that came back, and the first pause': {
      ...{ outcomes: [failed('returned')], policy: { delayMs: 0 } },
      is: { returns: 1, leaseMax: 1, readyAtMs: nowMs + 1_000 },
    },
    'a completion at the beginning of time': {
      outcomes: [ok],
      result: { completedAtMs: 1 },
      is: { ...read, readyAtMs: 1_001 },
    },
    'a Crawl-delay that is too long': {
      ...{ outcomes: [failed('crawlDelayTooLong')], before: { returns: 1 } },
      is: { hold: 'crawlDelay', returns: 0, readyAtMs: nowMs + 1_000 },
    },
    'a block, which a Crawl-delay does not replace': {
      ...{ outcomes: [failed('crawlDelayTooLong')], before: { hold: 'blocked' } },
      is: { readyAtMs: nowMs + 1_000 },
    },
    'as many pages as its policy lets it give': {
      ...{ outcomes: [ok], policy: { pagesPerHostMax: 1 } },
      is: { ...polite, hold: 'limit' },
    },
    'one page less than that': { outcomes: [ok], policy: { pagesPerHostMax: 2 }, is: polite },
    'bytes where they are capped': {
      ...{ outcomes: [ok], policy: { bytesPerHostMax: 100 }, before: { bytes: 5 } },
      result: { requests: [requestOf({ bytes: 60 }), requestOf({ bytes: 34 })] },
      is: { ...polite, bytes: 99 },
    },
    'as many bytes as it may give': {
      ...{ outcomes: [ok], policy: { bytesPerHostMax: 100 }, before: { bytes: 6 } },
      result: { requests: [requestOf({ bytes: 60 }), requestOf({ bytes: 34 })] },
      is: { ...polite, bytes: 100, hold: 'limit' },
    },
    'no bytes where they are not': {
      ...{ outcomes: [ok], result: { requests: [requestOf({ bytes: 60 })] } },
      is: polite,
    },
    'nothing at all, by a message that says nothing': {
      ...{ urls: 1, result: { last: false, completedAtMs: 0 } },
      is: {},
    },
  };
  for (const [name, { is, ...one }] of Object.entries(cases)) it(name, () => assert.deepEqual(taught(one), is));

  it('a host’s facts after a lease without URLs have a contact, and neither its size nor a death', () => {
    const before = { failures: 4, returns: 2, leaseMax: 3 };
    assert.deepEqual(taught({ before }), { readyAtMs: nowMs + 2_000 });
    const settings = { before, policy: { delayMs: 0 }, result: { last: false } };
    assert.deepEqual(taught(settings), { readyAtMs: nowMs });
  });

  it('a host’s facts have throttles, which wait the first step, then twice as long, within a fifth', () => {
    const policy = { delayMs: 0 };
    for (const [throttles, waitMs] of [
      [0, 5_000],
      [1, 10_000],
    ] as const) {
      const after = taught({ policy, before: { throttles }, outcomes: [failed('throttled')] });
      assert.deepEqual(Object.keys(after).sort(), ['readyAtMs', 'throttles']);
      assert.equal(after.throttles, throttles + 1);
      const waited = after.readyAtMs! - nowMs;
      assert.ok(waited >= 0.8 * waitMs && waited <= 1.2 * waitMs, `${waited} ms`);
    }
  });

  it('a host’s facts have its caps, counted once when the policy’s are reached, unless an operator has set them', () => {
    const capped = (one: Case) => decided({ outcomes: [ok], ...one }).tallies['capped'];
    assert.equal(capped({ policy: { pagesPerHostMax: 1 } }), 1);
    assert.equal(capped({ policy: { pagesPerHostMax: 2 } }), undefined);
    assert.equal(capped({ policy: { pagesPerHostMax: 1 }, before: { hold: 'limit' } }), undefined);
    assert.equal(capped({ before: { pagesMax: 1 } }), undefined);
    assert.equal(taught({ outcomes: [ok], before: { pagesMax: 1 } }).hold, 'limit');
    assert.equal(capped({ policy: { bytesPerHostMax: 0 }, before: { pagesMax: 0 } }), undefined);
  });
});

describe('a host with several slots', () => {
  const manySlots = (
    before: Partial<HostFacts>,
    outcomes: readonly Partial<Outcome>[],
    result: Partial<Result> = {},
  ) => {
    const deciding = new Deciding();
    const lease = deciding.lease(entryAt(0));
    deciding.state.apply({ kind: 'hostSlots', hostKey: key, own: -1, most: 2 });
    deciding.facts({ fetchMs: 40, ...before });
    const { changes, controls } = deciding.decide((decision) =>
      decideResult(decision, resultOf(lease.id, outcomes, result)),
    );
    const host = changes.find(({ kind }) => kind === 'host') as Change & { kind: 'host' };
    const slot = changes.find(({ kind }) => kind === 'hostSlot') as (Change & { kind: 'hostSlot' }) | undefined;
    return { facts: host.facts, slotAtMs: slot?.readyAtMs, controls };
  };

  it('a host with several slots delays the slot, and not itself', () => {
    const { facts, slotAtMs, controls } = manySlots({}, [ok], { completedAtMs: nowMs - 100 });
    assert.deepEqual([facts.readyAtMs, slotAtMs, controls], [0, nowMs + 900, []]);
    assert.equal(manySlots({}, [ok], { completedAtMs: 0 }).slotAtMs, nowMs + 1_000);
    assert.equal(manySlots({}, [ok], { last: false }).slotAtMs, undefined);
  });

  it('a host with several slots waits as a whole if it asks for a pause', () => {
    for (const retryAfterMs of [1, 500]) {
      const { facts, slotAtMs } = manySlots({}, [{ ...ok, retryAfterMs }]);
      assert.deepEqual([facts.readyAtMs, slotAtMs], [nowMs + retryAfterMs, nowMs + 1_000]);
    }
  });

  it('a host with several slots has one while it is in trouble', () => {
    const { facts, slotAtMs } = manySlots({}, [failed('connectionFailed')]);
    assert.deepEqual([facts.readyAtMs, slotAtMs], [nowMs + 5_000, undefined]);
  });

  it('a host with several slots ignores trouble in a lease that was under way when trouble was found', () => {
    const deciding = new Deciding();
    const first = deciding.lease(entryAt(0), entryAt(1));
    deciding.state.apply({ kind: 'hostSlots', hostKey: key, own: -1, most: 2 });
    deciding.facts({ fetchMs: 40 });
    deciding.facts({ fetchMs: 40, failures: 1, throttles: 1, serverErrors: 2, returns: 3, leaseMax: 4 });
    const outcomes = [failed('connectionFailed'), { kind: 'serverError', status: 500 } as const];
    const { changes } = deciding.decide((decision) => decideResult(decision, resultOf(first.id, outcomes)));
    const { facts } = changes.find(({ kind }) => kind === 'host') as Change & { kind: 'host' };
    const { failures, throttles, serverErrors, returns, leaseMax, readyAtMs } = facts;
    assert.deepEqual({ failures, throttles, serverErrors }, { failures: 1, throttles: 1, serverErrors: 2 });
    assert.deepEqual({ returns, leaseMax, readyAtMs }, { returns: 0, leaseMax: 8, readyAtMs: nowMs + 1_000 });
  });

  it('a host with several slots informs the fetchers of its other leases of trouble, or of a pause', () => {
    const reported = (outcome: Partial<Outcome>) => {
      const deciding = new Deciding();
      const lease = deciding.lease(entryAt(0));
      deciding.lease(entryAt(1));
      deciding.state.apply({ kind: 'hostSlots', hostKey: key, own: -1, most: 2 });
      const { controls } = deciding.decide((decision) => decideResult(decision, resultOf(lease.id, [outcome])));
      return controls.map(({ partition, record }) => [partition, record.kind, record.hostKey, record.version]);
    };
    assert.deepEqual(reported(ok), []);
    for (const outcome of [failed('connectionFailed'), failed('throttled'), { ...ok, retryAfterMs: 1 }])
      assert.deepEqual(reported(outcome), [[0, 'pauseHost', key, 3]]);
  });
});
