/** `pages --failed` over many hosts that were given up. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FailedUrls } from '../../../../services/hosting/inspect/failed-urls.ts';
import { failedText, printFailures } from '../../../../services/hosting/inspect/print-failures.ts';
import type { Change, FinalStatus } from '../../../../topology/frontier/changes/changes.ts';
import { everyChange } from '../../../topology/frontier/changes/every-change.ts';
import { memoryCrawl } from '../../cli/inspect/memory-crawl.ts';

test('the failures of any number of dead hosts are listed in one reading of why hosts failed', async () => {
  const readingsFor = async (hosts: number) => {
    const { crawl, readings, policy, result, commit, close } = await memoryCrawl();
    await policy();
    for (let n = 0; n < hosts; n++) {
      const [hostKey, url] = [`h${n}.test`, `http://h${n}.test/page`];
      await result({ url: `http://h${n}.test/`, kind: 'connectionFailed', detail: `refused by ${n}` });
      const { record } = everyChange.abandon[0]!;
      await commit(hostKey, [{ kind: 'abandon', hostKey, record: { ...record, url } }]);
    }
    const lines: string[] = [];
    await printFailures(crawl, true, async (line) => lines.push(line) > 0, '--data d');
    await close();
    const given = lines.map((line) => JSON.parse(line)).filter(({ url }) => url.endsWith('/page'));
    assert.deepEqual(
      given.map(({ detail }) => detail),
      Array.from({ length: hosts }, (_, n) => `given up with its host: refused by ${n}`),
    );
    return readings.filter((topic) => topic === 'c.results').length;
  };
  assert.equal(await readingsFor(40), await readingsFor(1));
});

const url = (name: string) => `http://a.test/${name}`;
const entry = (name: string) => ({ ...everyChange.admit[0]!.entries[1]!, url: url(name) });
const record = (name: string, status: FinalStatus) => ({ ...everyChange.abandon[0]!.record, url: url(name), status });
const admitted = (...names: string[]): Change => ({
  ...{ kind: 'admit', hostKey: 'a.test', known: true },
  entries: names.map(entry),
});
const ended = (name: string, status: FinalStatus): Change => ({
  ...{ kind: 'resolve', leaseId: 1, index: 0, record: record(name, status) },
  disposition: { to: 'final', status },
});
const again = (name: string): Change => ({
  ...{ kind: 'resolve', leaseId: 1, index: 0, record: null },
  disposition: { to: 'again', dueAtMs: 9, entry: entry(name) },
});

async function rowsOf(crawl: ConstructorParameters<typeof FailedUrls>[0]) {
  const all = new FailedUrls(crawl, () => {});
  const rows: string[] = [];
  for await (const { url, kind, place } of all.rows())
    rows.push(`${url.slice('http://a.test/'.length)} ${kind} ${place}`);
  return { rows: rows.sort(), endings: all.endings };
}

test('each URL without a page is listed once, with the count that has it: URLs that wait apart from those that ended', async () => {
  const { crawl, policy, result, commit, close } = await memoryCrawl();
  await policy();
  await commit('a.test', [admitted('gone', 'slow', 'given-up', 'denied', 'sent-again', 'kept', 'mended', 'newest')]);
  for (const [name, kind] of [
    ['gone', 'gone'],
    ['slow', 'timeout'],
    ['given-up', 'timeout'],
    ['denied', 'robotsDenied'],
    ['sent-again', 'clientError'],
    ['mended', 'gone'],
    ['mended', 'fetched'],
    ['kept', 'serverError'],
    ['newest', 'gone'],
  ] as const)
    await result({ url: url(name), kind });
  const { page } = everyChange.visit[0]!;
  await commit('a.test', [
    ...[
      ended('gone', 'failed'),
      again('slow'),
      again('given-up'),
      ended('denied', 'denied'),
      ended('mended', 'failed'),
    ],
    ...[ended('given-up', 'dead'), ended('sent-again', 'failed'), admitted('sent-again'), admitted('mended')],
    ...[ended('mended', 'page'), { ...everyChange.visit[0]!, page: { ...page, record: record('kept', 'page') } }],
  ]);
  const { rows, endings } = await rowsOf(crawl);
  assert.deepEqual(rows, [
    'denied robotsDenied denied',
    'given-up timeout deadLettered',
    'gone gone failed',
    // Its result is not decided yet.
    'newest gone queued',
    'sent-again clientError queued',
    'slow timeout queued',
  ]);
  assert.equal(endings, 5, 'two of them of URLs that were sent again');
  await close();
});

test('a URL that ended before the oldest stored result is listed by its end, and one before the oldest decision by its result', async () => {
  const { crawl, policy, result, commit, trim, close } = await memoryCrawl();
  await policy();
  await result({ url: url('early'), kind: 'gone' });
  await result({ url: url('late'), kind: 'gone' });
  await result({ url: url('given-up'), kind: 'timeout' });
  await commit('a.test', [ended('late', 'failed'), ended('given-up', 'dead')]);
  await commit('a.test', [
    { ...ended('early', 'failed'), record: { ...record('early', 'failed'), outcome: 'gone' } } as Change,
  ]);
  await trim('results', 1);
  await trim('frontier-changelog', 1);
  const { rows } = await rowsOf(crawl);
  assert.deepEqual(rows, ['early gone failed', 'given-up timeout deadLettered', 'late gone failed']);
  await close();
});

test('the sums below failed URLs are those of stats, in its words', () => {
  const none = { failed: 0, denied: 0, deadLettered: 0, redirected: 0, queued: 0, notRead: 0 };
  assert.equal(failedText(none, 0), 'no URL has failed');
  assert.equal(
    failedText({ ...none, failed: 1_200, notRead: 3, deadLettered: 2, denied: 1 }, 1_203),
    '1,203 URLs ended without a page: 1,200 failed (3 of them skipped by type), 2 dead-lettered, 1 refused by robots.txt',
  );
  assert.equal(
    failedText({ ...none, failed: 1, redirected: 1, queued: 2 }, 4),
    '1 URL ended without a page: 1 failed. stats counts 3 more: URLs that were sent again count each time. 1 URL redirected in a circle or too often: stats counts these as redirected. 2 URLs wait for a retry',
  );
});
