import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { fingerprintKey, TopologyDriver } from '../../../../../lab/simulation/driver.ts';
import { blankControl } from '../../../../../schemas/blank.ts';
import {
  decideQuotaGrant,
  decideQuotaReport,
  decideQuotaShares,
  quotaMessages,
} from '../../../../../topology/frontier/decide/control/quota.ts';
import { Decision } from '../../../../../topology/frontier/decide/decision.ts';
import { FrontierState } from '../../../../../topology/frontier/state/state.ts';

/** Decides on a state, and gives what is to be told to others. */
function decide(state: FrontierState, partition: number, act: (decision: Decision) => void) {
  const identity = { crawl: 'test', partition, partitions: 3 };
  const decision = new Decision(identity, state, 0, () => null);
  act(decision);
  return decision.controls;
}

const page = () => ({ kind: 'fetched' as const });

describe('the page quota’s book', () => {
  it('the page quota’s book enters a report once, however often it arrives', () => {
    const driver = new TopologyDriver({ web: page, partitions: 3, policy: { pageQuota: 100 } });
    driver.run(driver.nowMs + 1);
    const report = { kind: 'quotaReport', partition: 1, version: 5, wanted: 10, amount: 0 } as const;
    driver.control(0, report);
    driver.run(driver.nowMs + 1);
    const book = () => ({ ...driver.core(0).state.quota.book.get(1)! });
    const entered = book();
    assert.deepEqual([entered.granted, entered.wanted, entered.version], [10, 0, 5]);
    for (const version of [5, 4]) {
      driver.control(0, { ...report, version });
      driver.run(driver.nowMs + 1);
      assert.deepEqual(book(), entered, `version ${version}`);
    }
    driver.control(0, { ...report, version: 6 });
    driver.run(driver.nowMs + 1);
    assert.equal(book().granted, 20);
  });

  it('the page quota’s book uses totals, not numbers: a partition with a lost changelog tail reports again', () => {
    const book = new FrontierState(fingerprintKey);
    const say = (more: object) => {
      const report = { ...blankControl, kind: 'quotaReport', partition: 1, version: 50, wanted: 10, known: 0 } as const;
      const reported = decide(book, 0, (decision) => {
        decideQuotaReport(decision, { ...report, ...more });
        decideQuotaShares(decision, 100);
      });
      const { granted, returned, wanted } = book.quota.book.get(1)!;
      return [granted, returned, wanted, reported.map(({ record }) => [record.amount, record.known])];
    };
    assert.deepEqual(say({}), [10, 0, 0, [[10, 0]]]);
    assert.deepEqual(say({}), [10, 0, 0, [[10, 0]]], 'the same wish again is not another one');
    assert.deepEqual(say({ version: 7, known: 10, wanted: 5, amount: 2 }), [15, 2, 0, [[15, 2]]]);
    assert.deepEqual(
      say({ version: 4, known: 15, wanted: 0, amount: 1 }),
      [15, 2, 0, [[15, 2]]],
      'it forgot what it gave',
    );
    assert.deepEqual(
      say({ version: 4, known: 20, wanted: 1, amount: 2 }),
      [21, 2, 0, [[21, 2]]],
      'the book forgot a grant',
    );
    assert.deepEqual(say({ version: 4, known: 21, wanted: 0, amount: 2 }), [21, 2, 0, []]);
  });

  it('the page quota’s book accepts a partition’s report as far as it is larger, and answers a smaller one', () => {
    const state = new FrontierState(fingerprintKey);
    const hear = (amount: number, known: number) => {
      const reported = decide(state, 1, (decision) =>
        decideQuotaGrant(decision, { ...blankControl, kind: 'quota', amount, known }),
      );
      const { quotaGranted, quotaReturned } = state.counters;
      return [quotaGranted, quotaReturned, reported.map(({ partition, record }) => [partition, record.known])];
    };
    assert.deepEqual(hear(9, 4), [9, 4, []], 'what was given back, and forgotten, is not spent');
    assert.deepEqual(hear(9, 0), [9, 4, []]);
    assert.deepEqual(hear(3, 0), [9, 4, [[0, 9]]]);
    assert.deepEqual(hear(3, -1), [9, 4, []], 'a release that knows of no answer gets none');
    state.apply({ kind: 'quota', granted: 9, returned: 4, wanted: 5 });
    assert.deepEqual(hear(9, 6), [9, 6, []]);
    assert.equal(state.quota.wanted, 5, 'it still waits for what it asked for');
    assert.deepEqual(hear(12, 6), [12, 6, []]);
    assert.equal(state.quota.wanted, 0);
  });

  it('the page quota’s book is announced again after a restart, to every partition in it, since a committed grant may be unpublished', () => {
    const state = new FrontierState(fingerprintKey);
    const rows = [
      { partition: 1, granted: 64, returned: 4, wanted: 0, version: 9 },
      { partition: 2, granted: 7, returned: 0, wanted: 3, version: 2 },
    ];
    for (const row of rows) state.apply({ kind: 'quotaBook', ...row });
    assert.deepEqual(
      quotaMessages(state, 0).map(({ partition, record }) => [partition, record.kind, record.amount]),
      [
        [1, 'quota', 64],
        [2, 'quota', 7],
      ],
    );
  });

  for (const [what, returned, wanted] of [
    ['asks for pages', 0, 5],
    ['has given pages back', 5, 0],
  ] as const) {
    it(`the page quota’s book of a partition that ${what} is announced again after a restart`, () => {
      const state = new FrontierState(fingerprintKey);
      state.apply({ kind: 'quota', granted: 10, returned, wanted });
      assert.deepEqual(
        quotaMessages(state, 3).map(({ partition, record }) => [
          partition,
          record.kind,
          record.partition,
          record.amount,
          record.wanted,
        ]),
        [[0, 'quotaReport', 3, returned, wanted]],
      );
    });
  }

  it('the page quota’s book announces nothing for a partition that never asked', () => {
    assert.deepEqual(quotaMessages(new FrontierState(fingerprintKey), 3), []);
  });
});
