/** What single outcomes teach of their host. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { blankOutcome, blankResult } from '../../../../../schemas/blank.ts';
import type { Outcome, Request } from '../../../../../schemas/types.ts';
import { newHostFacts } from '../../../../../topology/frontier/changes/changes.ts';
import { learn, learnPauses, newLesson } from '../../../../../topology/frontier/decide/results/lesson.ts';
import { defaultPolicy } from '../../../../../topology/policy/policy.ts';
import { requestOf } from './result-of.ts';

type Lesson = ReturnType<typeof newLesson>;

const blank = newLesson(newHostFacts);

/** What differs from a lesson that nothing was learnt in. */
function learnt(
  outcome: Partial<Outcome>,
  {
    before = {},
    serverErrorsMax,
    isFirstTry = true,
    requests = [] as readonly Request[],
  }: {
    before?: Partial<Lesson>;
    serverErrorsMax?: number | undefined;
    isFirstTry?: boolean;
    requests?: readonly Request[];
  } = {},
): Partial<Lesson> {
  const settings = { ...defaultPolicy(), serverErrorsMax };
  const started = { ...blank, fetchMs: [], ...before };
  const lesson = { ...started, fetchMs: [...started.fetchMs] };
  const result = { ...blankResult, requests: [...requests] };
  learn(lesson, { ...blankOutcome, ...outcome }, result, settings, isFirstTry);
  const names = Object.keys(lesson) as (keyof Lesson)[];
  const differs = names.filter((name) => JSON.stringify(lesson[name]) !== JSON.stringify(started[name]));
  return Object.fromEntries(differs.map((name) => [name, lesson[name]]));
}

const error: Partial<Outcome> = { kind: 'serverError', status: 500 };

describe('a host’s lesson', () => {
  it('a host’s lesson begins with what was known', () => {
    assert.equal(newLesson(newHostFacts).wasThrottled, false);
    const { wasThrottled, serverErrors, ...rest } = newLesson({ ...newHostFacts, throttles: 1, serverErrors: 2 });
    assert.deepEqual([wasThrottled, serverErrors], [true, 2]);
    const nothing = { answered: false, reached: false, hostFailed: false, throttled: false, returned: false };
    assert.deepEqual(rest, { ...nothing, heldBack: false, retryAfterMs: 0, fetched: 0, pages: 0, fetchMs: [] });
  });

  it('a host’s lesson has its response, a page among them', () => {
    assert.deepEqual(learnt({ kind: 'fetched', status: 200 }), { answered: true, fetched: 1, pages: 1 });
    assert.deepEqual(learnt({ kind: 'notModified', status: 304 }), { answered: true, fetched: 1, pages: 1 });
    assert.deepEqual(learnt({ kind: 'fetched', status: 200, soft404: true }), { answered: true, fetched: 1 });
    assert.deepEqual(learnt({ kind: 'gone', status: 404 }), { answered: true, fetched: 1 });
    assert.deepEqual(learnt({ kind: 'redirect', status: 301 }), { answered: true, fetched: 1 });
    assert.deepEqual(learnt({ kind: 'robotsDenied' }), {});
    assert.deepEqual(learnt({ kind: 'blockedAddress' }), {});
    assert.deepEqual(learnt({ kind: 'badResponse', status: 700 }), { answered: true });
    assert.deepEqual(learnt({ kind: 'fetched', status: 1 }), { answered: true, fetched: 1, pages: 1 });
  });

  it('a host’s lesson has its recovery', () => {
    const before = { wasThrottled: true, serverErrors: 2, fetched: 4, pages: 3 };
    assert.deepEqual(learnt({ kind: 'fetched', status: 200 }, { before }), {
      ...{ answered: true, wasThrottled: false, serverErrors: 0, fetched: 5, pages: 4 },
    });
  });

  it('a host’s lesson has its failure, its throttling, or nothing', () => {
    for (const kind of ['connectionFailed', 'dnsFailed', 'tlsFailed', 'robotsUnreachable'] as const) {
      assert.deepEqual(learnt({ kind }), { hostFailed: true });
      assert.deepEqual(learnt({ kind, originOnly: true }), { reached: true }, 'another request was answered');
    }
    for (const kind of ['throttled', 'timeout'] as const)
      assert.deepEqual(learnt({ kind, status: 503 }), { throttled: true });
    for (const kind of ['returned', 'unknown'] as const)
      assert.deepEqual(learnt({ kind, status: 200 }), { returned: true });
    assert.deepEqual(learnt({ kind: 'crawlDelayTooLong', status: 200 }), { heldBack: true });
  });

  it('a host’s lesson has its time per page', () => {
    const requests = [
      requestOf({ outcomeIndex: 0, startMs: 1, endMs: 2 }),
      requestOf({ outcomeIndex: 1, startMs: 10, endMs: 40 }),
      requestOf({ outcomeIndex: 1, startMs: 50, endMs: 51 }),
    ];
    const outcome = { index: 1, kind: 'robotsDenied' } as const;
    assert.deepEqual(learnt(outcome, { requests, before: { fetchMs: [7] } }), { fetchMs: [7, 30] });
    assert.deepEqual(learnt({ ...outcome, index: 2 }, { requests }), {});
  });
});

describe('server errors', () => {
  it('server errors in a row, of different URLs, are throttling', () => {
    const after = (serverErrors: number, isFirstTry = true) =>
      learnt(error, { before: { serverErrors }, serverErrorsMax: 3, isFirstTry });
    assert.deepEqual(after(0), { reached: true, serverErrors: 1 });
    assert.deepEqual(after(1), { reached: true, serverErrors: 2 });
    assert.deepEqual(after(2), { reached: true, serverErrors: 3, throttled: true });
    assert.deepEqual(after(3), { reached: true, throttled: true }, 'no more are counted');
    assert.deepEqual(after(2, false), { reached: true });
    assert.deepEqual(after(3, false), { reached: true, throttled: true });
    assert.deepEqual(learnt(error, { serverErrorsMax: 1 }), { reached: true, serverErrors: 1, throttled: true });
  });

  it('server errors are no recovery of a host that is backed off', () => {
    const before = { wasThrottled: true };
    assert.deepEqual(learnt(error, { before, serverErrorsMax: 3 }), {
      reached: true,
      serverErrors: 1,
      throttled: true,
    });
  });

  it('server errors are responses if the policy does not count them, and so is one of a single request', () => {
    for (const serverErrorsMax of [0, undefined])
      assert.deepEqual(learnt(error, { serverErrorsMax }), { answered: true });
    assert.deepEqual(learnt({ kind: 'serverError', status: 425 }, { serverErrorsMax: 1 }), { answered: true });
  });
});

describe('pauses from other requests', () => {
  const pause = (more: Partial<Request>, before = 0): number => {
    const lesson = { ...newLesson(newHostFacts), retryAfterMs: before };
    const request = requestOf({ outcomeIndex: -1, status: 429, retryAfterMs: 9_000, endMs: 1_000, ...more });
    learnPauses(lesson, { ...blankResult, completedAtMs: 4_000, requests: [requestOf({}), request] });
    return lesson.retryAfterMs;
  };

  it('the longest pause of all answers counts, also those for URLs that are no longer on the lease', () => {
    const outcomes = [4, 5, 3].map((retryAfterMs, index) => ({ ...blankOutcome, index, retryAfterMs }));
    for (const [before, after] of [
      [0, 5],
      [6, 6],
    ] as const) {
      const lesson = { ...newLesson(newHostFacts), retryAfterMs: before };
      learnPauses(lesson, { ...blankResult, completedAtMs: 4_000, outcomes });
      assert.equal(lesson.retryAfterMs, after);
    }
  });

  it('pauses from other requests count from the end of their request', () => {
    assert.equal(pause({}), 6_000);
    for (const status of [301, 403, 404, 500, 503]) assert.equal(pause({ status }), 6_000, `${status}`);
    assert.equal(pause({}, 6_001), 6_001);
    assert.equal(pause({ retryAfterMs: 3_001 }), 1);
    assert.equal(pause({ retryAfterMs: 1, endMs: 4_000 }), 1);
    assert.equal(pause({ retryAfterMs: 2_000 }), 0, 'it is over');
  });

  it('pauses from other requests exclude those of a URL, of a success, and missing ones', () => {
    assert.equal(pause({ outcomeIndex: 0 }), 0);
    assert.equal(pause({ status: 200 }), 0);
    assert.equal(pause({ status: 0 }), 0);
    assert.equal(pause({ retryAfterMs: 0, endMs: 9_000 }), 0);
  });
});
