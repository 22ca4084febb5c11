import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CrawlstreamError } from '../../../topology/errors.ts';
import { parseSeedList } from '../../../topology/url/seed-list.ts';

test('a list gives its seeds in order, with their given priority', () => {
  const text = '# ours\nhttps://a.org/x\tpriority=0\r\n\n  b.org   # plain\nc.org priority=7 # last\n';
  assert.deepEqual(parseSeedList(text, 'seeds.txt'), [
    { url: 'https://a.org/x', priority: 0 },
    { url: 'https://b.org/', priority: -1 },
    { url: 'https://c.org/', priority: 7 },
  ]);
});

test('a seed can count as several links from a seed, in a list of Nutch’s form', () => {
  assert.deepEqual(parseSeedList('https://a.org/\tdepth=2\tpriority=1\nb.org depth=0\n', 'seeds.txt'), [
    { url: 'https://a.org/', priority: 1, depth: 2 },
    { url: 'https://b.org/', priority: -1 },
  ]);
});

test('an invalid line is refused with its number and a remedy', () => {
  for (const [text, says] of [
    ['a.org\nftp://b.org/', /^seeds\.txt line 2: seed "ftp:.*use http:/],
    [
      'a.org priority=8',
      /^seeds\.txt line 1: "priority=8" after the URL: write one URL per line; priority=N \(0, first, to 7\), depth=1 and tags=news,legal may follow/,
    ],
    ['a.org prio=1', /line 1: "prio=1" after the URL: write one URL per line/],
    ['a.org depth=-1', /line 1: "depth=-1" after the URL/],
    ['a.org first', /line 1: "first" after the URL/],
    ['a.org\tnutch.score=2', /line 1: "nutch\.score=2" after the URL: .*keys of Nutch have no effect here/],
  ] as const) {
    assert.throws(
      () => parseSeedList(text, 'seeds.txt'),
      (error) => error instanceof CrawlstreamError && error.code === 'INVALID_SEED' && says.test(error.message),
    );
  }
});
