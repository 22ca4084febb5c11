import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { movedDueS, waitMoves } from '../../../../topology/policy/recrawl/moved-visits.ts';
import { defaultRecrawl, type RecrawlConfig } from '../../../../topology/policy/recrawl/recrawl-config.ts';
import { compileRecrawl } from '../../../../topology/policy/recrawl/schedule.ts';

const [hour, day] = [3_600, 86_400];
const nowS = 1_700_000_000;
type Change = Partial<RecrawlConfig>;

/** The wait of a page after its last visit, before and after a policy. `agoS`: since that visit. */
function moved(before: Change, after: Change, waitS: number, agoS = 0): number {
  const [from, to] = [before, after].map((change) => compileRecrawl({ ...defaultRecrawl, ...change }));
  const visitedS = nowS - agoS;
  return movedDueS(waitMoves(from!, to!, 1_000), visitedS, visitedS + waitS, nowS) - visitedS;
}

const fixed = (days: number, rules: RecrawlConfig['rules'] = []): Change => ({
  schedule: 'fixed',
  intervalMs: 1_000 * day * days,
  rules,
});
const every = (url: string, days: number | null) => ({ url, intervalMs: days === null ? null : 1_000 * day * days });
const optimal = (days: number, more: Change = {}): Change => ({
  schedule: 'optimal',
  intervalMs: 1_000 * day * days,
  ...more,
});

describe('the wait of a page under another policy', () => {
  const cases: [name: string, before: Change, after: Change, waitS: number, toS: number][] = [
    ['a shorter fixed interval', fixed(30), fixed(2), 30 * day, 2 * day + 1],
    ['a longer fixed interval', fixed(2), fixed(30), 2 * day + 1, 30 * day + 1],
    ['the same interval', fixed(2), { ...fixed(2), errorMs: 1_000 }, 2 * day + 1, 2 * day + 1],
    ['a wait that is longer than the interval', fixed(2), fixed(1), 2 * day + 2, 2 * day + 2],
    ['a wait that is shorter than the interval', fixed(2), fixed(1), 2 * day - 1, 2 * day - 1],
    ['an interval of a rule', fixed(9, [every('a', 2)]), fixed(9, [every('a', 1)]), 2 * day, day + 1],
    ['an interval beside a rule', fixed(9, [every('a', 2)]), fixed(8, [every('a', 2)]), 2 * day, 2 * day],
    ['two rules with the same interval', fixed(2, [every('a', 2)]), fixed(1, [every('a', 2)]), 2 * day, 2 * day],
    ['a rule that is removed', fixed(9, [every('a', 2)]), fixed(9), 2 * day, 9 * day + 1],
    ['a rule that is added', fixed(9), fixed(9, [every('a', 2)]), 9 * day, 9 * day],
    ['a rule that says never', fixed(9, [every('a', 2)]), fixed(9, [every('a', null)]), 2 * day, 2 * day],
    ['a rule that said never', fixed(9, [every('a', null)]), fixed(1, [every('a', 2)]), 9 * day, day + 1],
    ['a rule about errors', fixed(9, [{ kinds: ['error'], intervalMs: 1_000 * day }]), fixed(8), day, day],
    ['an adaptive wait within bounds', { schedule: 'adaptive' }, { schedule: 'adaptive', maxMs: 8e8 }, day, day],
    ['a fixed interval instead of an adaptive one', { schedule: 'adaptive' }, fixed(3), 5 * hour, 3 * day + 1],
    ['twice the visits', optimal(8), optimal(4), 6 * day, 3 * day + 1],
    ['half the visits', optimal(4), optimal(8), 3 * day, 6 * day + 1],
    ['not less than the least wait', optimal(8), optimal(1), 2 * hour, hour + 1],
    ['more visits than a day may have', optimal(1, { fetchesPerDay: 10 }), optimal(1), 80 * day, 0.8 * day + 1],
    [
      ...(['more visits a day'] as const),
      ...([optimal(1, { fetchesPerDay: 10 }), optimal(1, { fetchesPerDay: 20 }), 80 * day, 40 * day + 1] as const),
    ],
    ['fewer visits a day', optimal(1), optimal(1, { fetchesPerDay: 10 }), 3 * day, 3 * day],
  ];
  for (const [name, before, after, waitS, toS] of cases)
    it(`the wait of a page under another policy: ${name}`, () => assert.equal(moved(before, after, waitS), toS));

  it('a page with a wait that is over is due within one new wait from now, and not later than before', () => {
    for (let second = 0; second < 100; second++) {
      const toS = moved(fixed(30), fixed(2), 30 * day, 20 * day + second);
      assert.ok(toS > 20 * day + second && toS <= 22 * day + second + 1);
      assert.equal(moved(fixed(30), fixed(2), 30 * day, 30 * day - 1), 30 * day);
    }
  });

  it('a policy with the same intervals moves nothing', () => {
    const compile = (change: Change) => compileRecrawl({ ...defaultRecrawl, ...change });
    for (const change of [fixed(3), optimal(3), optimal(3, { fetchesPerDay: 7 }), { schedule: 'nutch' as const }])
      assert.deepEqual(waitMoves(compile(change), compile({ ...change, errorMs: null, share: 0.1 }), 1_000), []);
  });
});
