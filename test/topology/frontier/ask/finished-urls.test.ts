import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Answer } from '../../../../lab/simulation/driver.ts';
import { TopologyDriver } from '../../../../lab/simulation/driver.ts';
import type { FinishedFilter } from '../../../../topology/frontier/ask/finished-urls.ts';
import { FinishedUrls } from '../../../../topology/frontier/ask/finished-urls.ts';
import { decodeChangelog } from '../../../../topology/frontier/changes/changelog.ts';
import type { Change } from '../../../../topology/frontier/changes/changes.ts';
import { zeroCounters } from '../../../../topology/frontier/changes/counters.ts';

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

test('a forced URL is not finished until it has its new outcome', () => {
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

test('any outcome finishes a URL, and any purge or new request makes it unfinished', () => {
  const url = 'https://a.test/x';
  const record = { url, depth: 2, status: 'page', outcome: 'fetched' };
  const page = { record };
  const ended = { url, depth: 2, status: 'page', outcome: 'fetched', tags: [] };
  const after = (...changes: readonly object[]) => {
    const finished = new FinishedUrls(any);
    for (const [offset, change] of changes.entries()) {
      const header = { epoch: 0, seq: offset + 1, nowMs: 1, policyVersion: 1, demand: 0, inputs: [] };
      finished.take(offset, { kind: 'commit', ...header, counters: zeroCounters(), changes: [change as Change] });
    }
    return finished.found;
  };
  const resolve = { kind: 'resolve', hostKey: 'a.test', record };
  for (const end of [
    resolve,
    { kind: 'visit', hostKey: 'a.test', page },
    { kind: 'abandon', hostKey: 'a.test', record },
    { kind: 'finish', hostKey: 'a.test', record },
    { kind: 'load', row: { row: 'known', urls: [record] } },
    { kind: 'load', row: { row: 'page', page } },
  ])
    assert.deepEqual(after(end), [ended], JSON.stringify(end));
  // The changelog may have been trimmed before the lists that came first.
  const tagged = { ...resolve, record: { ...record, tags: 3 } };
  assert.deepEqual(after({ kind: 'tagSet', number: 3, tags: ['news'] }, tagged), [{ ...ended, tags: ['news'] }]);
  for (const other of [
    { kind: 'resolve', hostKey: 'a.test', record: null },
    { kind: 'load', row: { row: 'repeated', status: 'page', count: 1 } },
    { kind: 'admit', hostKey: 'a.test', known: false, entries: [{ url }] },
    { kind: 'purge', hostKey: 'a.test', url: 'https://a.test/y' },
    { kind: 'purge', hostKey: 'b.test', url: '' },
  ])
    assert.deepEqual(after(resolve, other), [ended], JSON.stringify(other));
  for (const taken of [
    { kind: 'admit', hostKey: 'a.test', known: true, entries: [{ url }] },
    { kind: 'purge', hostKey: 'a.test', url },
    { kind: 'purge', hostKey: 'a.test', url: '' },
    { kind: 'load', row: { row: 'known', urls: [{ ...record, status: 'known' }] } },
  ])
    assert.deepEqual(after(resolve, taken), [], JSON.stringify(taken));
});

test('void commits finish nothing', () => {
  const finished = new FinishedUrls(any);
  const header = { nowMs: 1, policyVersion: 1, demand: 0, inputs: [], counters: zeroCounters() };
  const take = (epoch: number, seq: number, url: string) => {
    const record = { url, depth: 0, status: 'page', outcome: 'fetched' };
    const changes = [{ kind: 'resolve', hostKey: 'a.test', record } as unknown as Change];
    finished.take(seq, { kind: 'commit', epoch, seq, ...header, changes });
  };
  // A changelog whose beginning was trimmed.
  take(5, 40, 'https://a.test/1');
  take(5, 42, 'https://a.test/2');
  take(4, 41, 'https://a.test/3');
  take(5, 41, 'https://a.test/4');
  finished.take(50, { kind: 'claim', nonce: '', nowMs: 1, endsLeases: false });
  take(5, 42, 'https://a.test/5');
  take(50, 42, 'https://a.test/6');
  assert.deepEqual(
    finished.found.map(({ url }) => url),
    ['https://a.test/1', 'https://a.test/4', 'https://a.test/6'],
  );
});
