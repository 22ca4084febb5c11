import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fetcherLimits } from '../../../../services/fetcher/fetcher-limits.ts';
import { createSitemapAgenda, type SitemapTask } from '../../../../services/fetcher/sitemaps/agenda.ts';
import { parseLimits } from '../../../../topology/parse/parse-limits.ts';
import { robotsLimits } from '../../../../topology/robots/robots-limits.ts';

const clientUrl = (url: string, more: Partial<SitemapTask> = {}): SitemapTask => ({
  url,
  ...{
    hostKey: 'a.test',
    depth: 0,
    origin: 'http://a.test',
    namedAtMs: 10,
    trusted: false,
    hop: 0,
    nesting: 0,
    tries: 0,
  },
  ...more,
});

test('sitemaps of a host are read in the order of their names in robots.txt, each once per robots.txt', () => {
  const agenda = createSitemapAgenda();
  for (const url of ['/1', '/2', '/1']) agenda.add(clientUrl(url));
  agenda.add(clientUrl('/1', { namedAtMs: 9 }));
  assert.equal(agenda.waiting('a.test'), 2);
  assert.deepEqual(
    [agenda.next('a.test')?.url, agenda.next('a.test')?.url, agenda.next('a.test')],
    ['/1', '/2', undefined],
  );
  agenda.add(clientUrl('/1', { namedAtMs: 10 }));
  assert.equal(agenda.waiting('a.test'), 0, 'known for the same robots.txt');
  agenda.add(clientUrl('/1', { namedAtMs: 11 }));
  assert.equal(agenda.waiting('a.test'), 1);
  assert.equal(agenda.size, 2);
  assert.equal(agenda.waiting('b.test'), 0);
});

test('a sitemap without time left stays first, and a failed one moves to the end, twice', () => {
  const agenda = createSitemapAgenda();
  for (const url of ['/1', '/2']) agenda.add(clientUrl(url));
  agenda.putBack(agenda.next('a.test')!);
  assert.equal(agenda.next('a.test')!.url, '/1');
  agenda.failed(clientUrl('/1'));
  assert.equal(agenda.next('a.test')!.url, '/2');
  const again = agenda.next('a.test')!;
  assert.deepEqual([again.url, again.tries], ['/1', 1]);
  agenda.failed(again);
  agenda.failed(agenda.next('a.test')!);
  assert.equal(agenda.waiting('a.test'), 0);
});

test('a sitemap that is named again before it was read waits once, in its place, for the newest round', () => {
  const agenda = createSitemapAgenda();
  for (let round = 1; round <= 50; round++)
    for (const url of ['/1', '/2', '/3']) agenda.add(clientUrl(url, { namedAtMs: 10 * round }));
  assert.equal(agenda.waiting('a.test'), 3);
  const first = agenda.next('a.test')!;
  assert.deepEqual([first.url, first.namedAtMs], ['/1', 500]);
  // While it is being read, a round begins: it is due again, whether it is put back or has failed.
  for (const back of ['putBack', 'failed'] as const) {
    agenda.add(clientUrl('/1', { namedAtMs: back === 'putBack' ? 510 : 520 }));
    agenda[back](first);
    assert.equal(agenda.waiting('a.test'), 3);
    const again = agenda.next('a.test')!;
    if (back === 'putBack') assert.deepEqual([again.url, again.namedAtMs, again.tries], ['/1', 510, 0]);
    else assert.equal(again.url, '/2');
  }
});

test('hosts with nothing to read are forgotten for others, and unread sitemaps never', () => {
  const agenda = createSitemapAgenda();
  const perHost = fetcherLimits.sitemapsPerHostMax;
  const hosts = fetcherLimits.sitemapsKnownMax / perHost;
  for (let host = 0; host < hosts; host++)
    for (let n = 0; n < perHost; n++) agenda.add(clientUrl(`/${n}`, { hostKey: `h${host}` }));
  agenda.add(clientUrl('/x', { hostKey: 'new' }));
  assert.deepEqual([agenda.waiting('h0'), agenda.waiting('new')], [perHost, 0]);
  while (agenda.next('h1') !== undefined);
  agenda.add(clientUrl('/x', { hostKey: 'new' }));
  assert.deepEqual([agenda.waiting('h0'), agenda.waiting('new')], [perHost, 1]);
  assert.equal(agenda.size, fetcherLimits.sitemapsKnownMax - perHost + 1);
});

test('a sitemap that was read whole is requested conditionally, an index unconditionally', () => {
  const agenda = createSitemapAgenda();
  const one = clientUrl('/1');
  agenda.add(one);
  assert.deepEqual(agenda.conditionOf(one), []);
  agenda.readWhole(one, ['if-none-match', '"x"']);
  assert.deepEqual(agenda.conditionOf(one), ['if-none-match', '"x"']);
  agenda.readWhole(one, []);
  assert.deepEqual(agenda.conditionOf(one), ['if-none-match', '"x"']);
  assert.deepEqual(agenda.conditionOf(clientUrl('/2')), []);
});

test('a sitemap too many redirects or indexes away from its robots.txt is skipped', () => {
  const isTaken = (more: Partial<SitemapTask>) => {
    const agenda = createSitemapAgenda();
    agenda.add(clientUrl('/1', more));
    return agenda.waiting('a.test') === 1;
  };
  const { redirectsMax } = robotsLimits;
  const { sitemapNestingMax } = parseLimits;
  assert.deepEqual(
    [
      { hop: redirectsMax },
      { hop: redirectsMax + 1 },
      { nesting: sitemapNestingMax },
      { nesting: sitemapNestingMax + 1 },
    ].map(isTaken),
    [true, false, true, false],
  );
});

test('a bounded number of sitemaps per host is taken, and known ones can be named again', () => {
  const agenda = createSitemapAgenda();
  const most = fetcherLimits.sitemapsPerHostMax;
  for (let n = 0; n <= most; n++) agenda.add(clientUrl(`/${n}`));
  assert.deepEqual([agenda.waiting('a.test'), agenda.size], [most, most]);
  while (agenda.next('a.test') !== undefined);
  for (const url of ['/0', `/${most}`]) agenda.add(clientUrl(url, { namedAtMs: 11 }));
  assert.equal(agenda.next('a.test')?.url, '/0');
  assert.equal(agenda.next('a.test'), undefined);
});

test('of the hosts with nothing to read, the one named longest ago is forgotten first', () => {
  const agenda = createSitemapAgenda();
  const each = fetcherLimits.sitemapsPerHostMax;
  const hosts = fetcherLimits.sitemapsKnownMax / each;
  const idle = (hostKey: string) => {
    for (let n = 0; n < each; n++) agenda.add(clientUrl(`/${n}`, { hostKey }));
    while (agenda.next(hostKey) !== undefined);
  };
  for (let n = 0; n < hosts; n++) idle(`h${n}`);
  agenda.add(clientUrl('/0', { hostKey: 'h0', namedAtMs: 11 }));
  agenda.add(clientUrl('/0', { hostKey: 'new' }));
  // A host that is remembered does not take again what it has read.
  for (const hostKey of ['h0', 'h1', 'h2']) agenda.add(clientUrl('/1', { hostKey }));
  assert.deepEqual(['h0', 'h1', 'h2', 'new'].map(agenda.waiting), [1, 1, 0, 1]);
});

test('results for a forgotten host are ignored', () => {
  const agenda = createSitemapAgenda();
  agenda.putBack(clientUrl('/1'));
  agenda.failed(clientUrl('/1'));
  agenda.readWhole(clientUrl('/1'), ['if-none-match', '"e"']);
  assert.deepEqual(
    [agenda.waiting('a.test'), agenda.next('a.test'), agenda.conditionOf(clientUrl('/1'))],
    [0, undefined, []],
  );
});

test('a sitemap that was read is requested conditionally until its validators are gone', () => {
  const agenda = createSitemapAgenda();
  for (const url of ['/1', '/2']) agenda.add(clientUrl(url));
  const condition = ['if-none-match', '"e"'];
  agenda.readWhole(clientUrl('/1'), condition);
  assert.deepEqual([agenda.conditionOf(clientUrl('/1')), agenda.conditionOf(clientUrl('/2'))], [condition, []]);
  agenda.readWhole(clientUrl('/1'), []);
  assert.deepEqual(agenda.conditionOf(clientUrl('/1')), condition);
  agenda.readWhole(clientUrl('/1'), ['if-none-match', '"f"']);
  assert.deepEqual(agenda.conditionOf(clientUrl('/1')), ['if-none-match', '"f"']);
});
