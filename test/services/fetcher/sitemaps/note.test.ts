/** Which sitemaps come onto the agenda, when, and as what. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { blankTask, blankTaskUrl } from '../../../../schemas/blank.ts';
import type { Task } from '../../../../schemas/types.ts';
import { noteRound, noteSitemaps, type SitemapNoter } from '../../../../services/fetcher/sitemaps/note.ts';

const robots = {
  ...{ status: 'ok', hash: 'h', fetchedAtMs: 500, stale: false },
  rules: { sitemaps: ['http://a.test/s1', 'http://b.test:80/s2'], crawlDelayMs: null },
};
const answerOf = (more: object = {}, fresh = true) => ({ robots: { ...robots, ...more }, fresh }) as never;

function played(answer: unknown = answerOf()) {
  const added: unknown[] = [];
  const asked: unknown[] = [];
  const learnt: unknown[] = [];
  const runner = {
    sitemaps: { add: (one: unknown) => added.push(one) },
    reader: { links: { normalize: (url: string) => (url.includes('s3') ? null : url.replace(':80', '')) } },
  } as unknown as SitemapNoter;
  const reporter = { learnt: (facts: unknown) => learnt.push(facts) } as never;
  const robotsOf = async (origin: string) => {
    asked.push(origin);
    return answer as never;
  };
  return { runner, added, asked, learnt, reporter, robotsOf };
}
const taskOf = (sinceMs: number, depths: readonly number[] = [4, 2, 3], urls: readonly string[] = []): Task => ({
  ...blankTask,
  urls: depths.map((depth) => ({ ...blankTaskUrl, depth })),
  sitemaps: { ...blankTask.sitemaps, sinceMs, origin: 'http://o.test', urls: [...urls] },
});
const named = (url: string, hostKey: string, namedAtMs: number, trusted = false, depth = 3) => ({
  ...{ url, origin: 'http://o.test', namedAtMs, trusted, hostKey, depth, hop: 0, nesting: 0, tries: 0 },
});

test('sitemaps of a newly read robots.txt are noted at the depth of links of the shallowest page', () => {
  const { runner, added } = played();
  noteSitemaps(runner, taskOf(-1), 'http://o.test', answerOf());
  assert.deepEqual(added.splice(0), [
    named('http://a.test/s1', 'a.test', 500),
    named('http://b.test:80/s2', 'b.test', 500),
  ]);
  noteSitemaps(runner, taskOf(0), 'http://o.test', answerOf());
  assert.deepEqual(added.splice(0)[0], named('http://a.test/s1', 'a.test', 0), 'where the frontier keeps rounds');
  noteSitemaps(runner, taskOf(7, []), 'http://o.test', answerOf());
  assert.deepEqual(added.splice(0)[0], named('http://a.test/s1', 'a.test', 7, false, 1), 'a lease without URLs');
  noteSitemaps(runner, taskOf(-1), 'http://o.test', answerOf({}, false));
  noteSitemaps(runner, taskOf(-1), 'http://o.test', answerOf({ stale: true }));
  assert.deepEqual(added, []);
});

test('a sitemap round that is due reads those of the policy and of robots.txt', async () => {
  const { runner, added, asked, learnt, reporter, robotsOf } = played();
  await noteRound(runner, taskOf(9, [2], ['http://c.test/s0', 'http://d.test/s3']), reporter, robotsOf);
  assert.deepEqual(added, [
    named('http://c.test/s0', 'c.test', 9, true, 2),
    named('http://d.test/s3', 'd.test', 9, true, 2),
    named('http://a.test/s1', 'a.test', 9),
    named('http://b.test:80/s2', 'b.test', 9),
  ]);
  assert.deepEqual([asked, learnt.length], [['http://o.test'], 1]);
});

test('URLs in a sitemap of the policy are no deeper than the pages beside it, and at least as deep as links of a seed', async () => {
  for (const [depths, depth] of [
    [[], 1],
    [[0, 1], 1],
    [[1, 1], 1],
    [[5, 4], 4],
  ] as const) {
    const { runner, added, reporter, robotsOf } = played(null);
    await noteRound(runner, taskOf(9, depths, ['http://c.test/s0']), reporter, robotsOf);
    assert.deepEqual(added, [named('http://c.test/s0', 'c.test', 9, true, depth)]);
  }
});

test('no sitemap is noted if no round is due or robots.txt is missing', async () => {
  for (const sinceMs of [-1, 0]) {
    const { runner, added, asked, reporter, robotsOf } = played();
    await noteRound(runner, taskOf(sinceMs, [2], ['http://c.test/s0']), reporter, robotsOf);
    assert.deepEqual([added, asked], [[], []]);
  }
  const { runner, added, learnt, reporter, robotsOf } = played(null);
  await noteRound(runner, taskOf(9, [2], ['http://c.test/s0']), reporter, robotsOf);
  assert.deepEqual([added.length, learnt], [1, []]);
});
