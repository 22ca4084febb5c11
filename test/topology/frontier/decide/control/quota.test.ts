import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { quotaMessages } from '../../../../../topology/frontier/decide/control/quota.ts';
import { FrontierState } from '../../../../../topology/frontier/state/state.ts';
import { fingerprintKey, TopologyDriver } from '../../../../simulation/driver.ts';

const page = () => ({ kind: 'fetched' as const });

describe('the page quota’s book', () => {
  it('enters a report once, however often it comes', () => {
    const driver = new TopologyDriver({ web: page, partitions: 3, policy: { pageQuota: 100 } });
    driver.run(driver.nowMs + 1);
    const report = { kind: 'quotaReport', partition: 1, version: 5, wanted: 10, amount: 0 } as const;
    driver.control(0, report);
    driver.run(driver.nowMs + 1);
    const book = () => ({ ...driver.core(0).state.quotaBook.get(1)! });
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

  it('is said again after a restart, to everyone who is in it: what was committed may never have been published', () => {
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
    it(`of a partition that ${what} is said again after a restart`, () => {
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

  it('has nothing to say of a partition that never asked', () => {
    assert.deepEqual(quotaMessages(new FrontierState(fingerprintKey), 3), []);
  });
});
