import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Answer } from '../../../../lab/simulation/driver.ts';
import { TopologyDriver } from '../../../../lab/simulation/driver.ts';
import type { FinishedFilter } from '../../../../topology/frontier/ask/finished-urls.ts';
import { FinishedUrls } from '../../../../topology/frontier/ask/finished-urls.ts';
import { decodeChangelog } from '../../../../topology/frontier/changes/changelog.ts';

const any: FinishedFilter = { hostKey: '', prefix: '', outcome: null };

function found(driver: TopologyDriver, filter: Partial<FinishedFilter>): string[] {
  const finished = new FinishedUrls({ ...any, ...filter });
  for (const [offset, record] of driver.changelog().entries()) finished.take(offset, decodeChangelog(record));
  return finished.found.map(({ url }) => url).sort();
}

const urls = [
  'https://a.test/',
  'https://a.test/x/1',
  'https://a.test/x/2',
  'https://b.test/',
  'https://a.test.evil.test/',
];
const web = (url: string): Answer => (url.endsWith('2') ? { kind: 'gone', status: 410 } : { kind: 'fetched' });

test('finished URLs are found by host, by prefix, by outcome and by where they ended', () => {
  const driver = new TopologyDriver({ web });
  driver.inject(urls);
  driver.run();
  assert.deepEqual(found(driver, {}), [...urls].sort());
  assert.deepEqual(found(driver, { hostKey: 'a.test' }), [
    'https://a.test/',
    'https://a.test/x/1',
    'https://a.test/x/2',
  ]);
  assert.deepEqual(found(driver, { prefix: 'https://a.test/x/' }), ['https://a.test/x/1', 'https://a.test/x/2']);
  assert.deepEqual(found(driver, { outcome: 'gone' }), ['https://a.test/x/2']);
  assert.deepEqual(found(driver, { outcome: 'failed', hostKey: 'b.test' }), []);
  assert.deepEqual(found(driver, { outcome: 'page', hostKey: 'b.test' }), ['https://b.test/']);
});

test('a URL that was forced is not finished until it has its new outcome', () => {
  let gone = true;
  const driver = new TopologyDriver({ web: () => (gone ? { kind: 'gone', status: 410 } : { kind: 'fetched' }) });
  driver.inject(['https://a.test/']);
  driver.run();
  gone = false;
  driver.inject(['https://a.test/'], { intent: 'force' });
  driver.run(driver.nowMs);
  assert.deepEqual(found(driver, {}), []);
  driver.run();
  assert.deepEqual(found(driver, { outcome: 'page' }), ['https://a.test/']);
  assert.deepEqual(found(driver, { outcome: 'gone' }), []);
});
