import assert from 'node:assert/strict';
import { it } from 'node:test';
import { TopologyDriver } from '../../../../../lab/simulation/driver.ts';
import { defaultTraps } from '../../../../../topology/policy/traps/trap-config.ts';

const site = 'https://a.test';

function crawled(counts: object, traps = true): TopologyDriver {
  const web = (url: string) =>
    url === `${site}/`
      ? { kind: 'fetched' as const, links: Array.from({ length: 60 }, (_, n) => `${site}/mirror/${n}/text`) }
      : { kind: 'fetched' as const, links: [] };
  const driver = new TopologyDriver({ web, policy: { delayMs: 0, ...(traps && { traps: defaultTraps }) } });
  driver.control(0, { kind: 'duplicates', hostKey: 'a.test', by: 'dedup', payload: JSON.stringify(counts) });
  driver.inject([`${site}/`]);
  assert.equal(driver.run(), 'done');
  return driver;
}

it('a prefix with nearly only duplicates is deferred, by the policy in force', () => {
  const prefix = '/mirror/#/';
  const wasteful = { prefixes: [{ prefix, pages: 100, duplicates: 95 }] };
  const driver = crawled(wasteful);
  const [trap] = driver.core().state.traps.of('a.test').trapped;
  assert.deepEqual(
    [trap?.pattern, trap?.reason, trap?.detail],
    ['/mirror/#/{}', 'duplicateContent', '95 of 100 pages are duplicates of others'],
  );
  assert.equal(driver.counters.deferred, 60);
  assert.equal(driver.counters.page, 1);
  assert.equal(crawled(wasteful, false).counters.page, 61);
});

it('a prefix with duplicates among others is crawled, and so is one with too few known pages', () => {
  for (const counts of [
    { pages: 100, duplicates: 60 },
    { pages: 16, duplicates: 16 },
  ]) {
    assert.equal(crawled({ prefixes: [{ prefix: '/mirror/#/', ...counts }] }).counters.page, 61);
  }
});

it('an unreadable duplicate count changes nothing, and is counted', () => {
  const driver = crawled({ prefixes: 'many' });
  assert.equal(driver.counters.page, 61);
  assert.equal(driver.counters.unknownControls, 1);
});
