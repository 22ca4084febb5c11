/** Which URLs are in traps, as the changelog says. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { trappedUrls } from '../../../../services/runtime/crawl/trapped-urls.ts';
import type { Change, UrlRecord } from '../../../../topology/frontier/changes/changes.ts';
import { memoryCrawl } from '../../cli/inspect/memory-crawl.ts';

const entryOf = (url: string, frontQueue: number) => ({ url, depth: 0, hop: 0, attempts: 0, expiries: 0, frontQueue });
const trap = (hostKey: string, pattern: string, frontQueue: number): Change => ({
  ...{ kind: 'trap', hostKey, pattern, reason: 'calendar', detail: '', frontQueue },
});
const admit = (hostKey: string, frontQueue: number, ...paths: readonly string[]): Change => ({
  ...{ kind: 'admit', hostKey, known: false },
  entries: paths.map((path) => entryOf(`http://${hostKey}${path}`, frontQueue)),
});
const inTraps = [
  trap('a.test', '/cal/#', 16),
  trap('a.test', '/s/', 17),
  trap('b.test', '/cal/#', 16),
  admit('a.test', 16, '/cal/1', '/cal/2'),
  admit('a.test', 17, '/s/1'),
  admit('a.test', 3, '/plain'),
  admit('b.test', 16, '/cal/1'),
];

async function trapped(
  changes: readonly Change[],
  only = '',
  before: readonly Change[] = inTraps,
): Promise<readonly string[]> {
  const { crawl, commit, close } = await memoryCrawl();
  for (const change of [...before, ...changes]) await commit('a.test', [change]);
  const urls = await trappedUrls(crawl.log, 'c', 0, only);
  await close();
  return urls.map(({ url, pattern }) => `${pattern} ${url.replace('http://', '')}`);
}

const all = ['/cal/# a.test/cal/1', '/cal/# a.test/cal/2', '/s/ a.test/s/1', '/cal/# b.test/cal/1'];
const without = (...gone: readonly string[]) => all.filter((one) => !gone.some((url) => one.endsWith(url)));

test('URLs of each trap of each host are listed with its pattern', async () => {
  assert.deepEqual(await trapped([]), all);
  assert.deepEqual(await trapped([], 'b.test'), ['/cal/# b.test/cal/1']);
});

test('a released trap holds nothing, and the trap that gets its queue holds only its own URLs', async () => {
  const release: Change = { kind: 'releaseTrap', hostKey: 'a.test', pattern: '/cal/#' };
  assert.deepEqual(await trapped([release]), without('a.test/cal/1', 'a.test/cal/2'));
  const next = [release, trap('a.test', '/tag/', 16), admit('a.test', 16, '/tag/1')];
  assert.deepEqual(
    new Set(await trapped(next)),
    new Set([...without('a.test/cal/1', 'a.test/cal/2'), '/tag/ a.test/tag/1']),
  );
});

test('a purged URL is in no trap, and neither is any URL of a purged host', async () => {
  const purge = (url: string): Change => ({
    ...{ kind: 'purge', hostKey: 'a.test', url, from: { in: 'frontQueue', a: 16, b: 0 } },
  });
  assert.deepEqual(await trapped([purge('http://a.test/cal/1')]), without('a.test/cal/1'));
  assert.deepEqual(await trapped([purge('')]), ['/cal/# b.test/cal/1']);
});

test('a URL that leaves its trap alone is not listed: raised, expedited, forced, known or given up', async () => {
  const url = 'http://a.test/cal/1';
  const record: UrlRecord = {
    url,
    ...{ status: 'dead' as const, outcome: 'connectionFailed' as const, httpStatus: 0, atMs: 1, attempts: 1, depth: 0 },
    ...{ etag: '', lastModified: '', contentHash: '', soft404: false },
  };
  const ways: readonly Change[] = [
    { kind: 'raise', hostKey: 'a.test', frontQueue: 16, seq: 0, entry: entryOf(url, 0) },
    { kind: 'expedite', hostKey: 'a.test', frontQueue: 16, seq: 0, entry: entryOf(url, 0) },
    { kind: 'abandon', hostKey: 'a.test', record },
    {
      kind: 'known',
      hostKey: 'a.test',
      from: { in: 'frontQueue', a: 16, b: 0 },
      to: 'done',
      dueAtMs: 0,
      entry: entryOf(url, 16),
    },
    { ...admit('a.test', 0, '/cal/1'), known: true } as Change,
  ];
  for (const way of ways) assert.deepEqual(await trapped([way]), without('a.test/cal/1'), way.kind);
});

test('a URL that is lowered into a trap is listed, and none of a host whose queue is dropped', async () => {
  const lower = (hostKey: string, frontQueue: number): Change => ({
    ...{ kind: 'lower', hostKey, frontQueue: 3, seq: 1, entry: entryOf(`http://${hostKey}/plain`, frontQueue) },
  });
  assert.deepEqual(new Set(await trapped([lower('a.test', 17)])), new Set([...all, '/s/ a.test/plain']));
  assert.deepEqual(await trapped([lower('a.test', 4)]), all);
  assert.deepEqual(await trapped([{ kind: 'dropQueue', hostKey: 'a.test' }]), ['/cal/# b.test/cal/1']);
  // The record of the trap itself was trimmed away.
  assert.deepEqual(await trapped([lower('c.test', 16)], '', []), [' c.test/plain']);
  assert.deepEqual(await trapped([admit('c.test', 15, '/a'), lower('c.test', 15)], '', []), []);
});
