import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { pageRecord } from '../../../../lab/pages/page-record.ts';
import { duplicateOf, goneAt, purgeOf, received } from '../../../../lab/pages/records.ts';
import type { Page, PageUsage, Result } from '../../../../schemas/types.ts';
import { changesOf, type IndexTopic } from '../../../../services/extras/index/index-change.ts';
import { openSqliteIndex, searchFolder } from '../../../../services/extras/index/sqlite-index.ts';
import type { Received } from '../../../../services/runtime/consumer/received.ts';
import { Purges } from '../../../../services/runtime/crawl/purges.ts';
import { temporaryFolder } from '../../runtime/store/temporary-folder.ts';

const url = 'http://a.test/one';
const none = async () => undefined;
const saying = (use: string, fromMs = 0): PageUsage => ({
  ...{ use, preference: 'deny', source: 'robots.txt', said: '', hash: '' },
  fromMs,
});
const page = (more: Partial<Page> = {}) =>
  pageRecord({ url, title: 'One', text: 'a river', fetchedAtMs: 100, ...more });
const changesOfPage = (more: Partial<Page> = {}) => changesOf([received('pages', page(more))], none);
const released = (payload = ''): Received<IndexTopic> => {
  const purge = purgeOf('a.test', 60);
  return { ...purge, value: { ...purge.value, kind: 'releaseHost', payload } } as Received<IndexTopic>;
};

async function indexed(changes: Awaited<ReturnType<typeof changesOf>>): Promise<string> {
  const folder = temporaryFolder();
  const index = await openSqliteIndex(folder);
  index.applyAt(changes, []);
  index.close();
  return folder;
}

describe('an index', () => {
  it('an index drops a page whose site asks to be in no search, from then on', async () => {
    assert.deepEqual(await changesOfPage({ usage: [saying('search')] }), [{ kind: 'delete', url, version: 100 }]);
    const folder = await indexed(await changesOfPage({ usage: [saying('search', 500)] }));
    const at = (nowMs: number) => searchFolder(folder, 'river', { limit: 9 }, nowMs).length;
    assert.deepEqual([at(499), at(500), at(501)], [1, 0, 0]);
  });

  it('an index takes a page’s last day from its newest version', async () => {
    const folder = await indexed([
      ...(await changesOfPage()),
      ...(await changesOfPage({ fetchedAtMs: 200, usage: [saying('search', 500)] })),
    ]);
    assert.equal(searchFolder(folder, 'river', { limit: 9 }, 501).length, 0);
  });

  it('an index shows no text of a nosnippet page, but still finds it', async () => {
    const folder = await indexed([
      ...(await changesOfPage({ usage: [saying('snippet')] })),
      ...(await changesOf([received('pages', page({ url: 'http://a.test/two' }))], none)),
    ]);
    const hits = searchFolder(folder, 'river', { limit: 9 }).map((hit) => [hit.url, hit.snippet]);
    assert.deepEqual(
      new Map(hits as [string, string][]),
      new Map([
        [url, ''],
        ['http://a.test/two', 'a [river]'],
      ]),
    );
  });

  it('an index matches whole tags', async () => {
    const folder = await indexed(await changesOfPage({ tags: ['news', 'sport'] }));
    const tagged = (tag: string) => searchFolder(folder, 'river', { limit: 9, tag }).length;
    assert.deepEqual(['news', 'sport', 'new', 'port'].map(tagged), [1, 1, 0, 0]);
  });

  it('an index drops a page whose outcome says not to show it', async () => {
    const gone = goneAt(url, 200);
    const { outcomes } = gone.value as Result;
    const value = {
      ...(gone.value as Result),
      outcomes: outcomes.map((one) => ({ ...one, kind: 'fetched', noindex: true })),
    };
    assert.deepEqual(await changesOf([{ ...gone, value } as Received<IndexTopic>], none), [
      { kind: 'delete', url, version: 200 },
    ]);
  });

  it('an index restores a page that is no longer a duplicate from its own record only', async () => {
    const back = duplicateOf(page(), url, 150);
    const at = (offset: number) =>
      [{ ...back, value: { ...back.value, pageOffset: offset } }] as Received<IndexTopic>[];
    assert.deepEqual(
      (await changesOf(at(3), async (_, offset) => (offset === 3 ? page() : undefined))).map(({ kind }) => kind),
      ['put'],
    );
    assert.deepEqual(await changesOf(at(3), async () => page({ url: 'http://a.test/other' })), []);
    assert.deepEqual(await changesOf(at(-1), () => assert.fail('a page that is gone has no record')), []);
  });

  it('an index drops withdrawn pages as of then, and purged ones without a trace', async () => {
    const forgotten = [{ url, hostKey: 'a.test', partition: 0, offset: 9, atMs: 300 }];
    assert.deepEqual(await changesOf([], none, new Purges(), forgotten), [{ kind: 'delete', url, version: 300 }]);
    assert.deepEqual(await changesOf([purgeOf('a.test', 200)], none, new Purges(), forgotten), [
      { kind: 'purge', hostKey: 'a.test', url: null },
      { kind: 'purge', hostKey: 'a.test', url },
    ]);
  });

  it('an index keeps nothing of a failed batch, and does not count it as read', async () => {
    const folder = temporaryFolder();
    const index = await openSqliteIndex(folder);
    const broken = [
      ...(await changesOfPage()),
      { kind: 'put', url: 'http://a.test/', version: 1, page: { hostKey: null } },
    ];
    assert.throws(() => index.applyAt(broken as never, []));
    index.close();
    assert.deepEqual(searchFolder(folder, 'river', { limit: 9 }), []);
    const again = await openSqliteIndex(folder);
    // A position that cannot be written: what it stands for is not there either.
    const unwritable = [{ topic: null, partition: 0, offset: 1 }] as never;
    const changes = await changesOfPage();
    assert.throws(() => again.applyAt(changes, unwritable));
    again.close();
    assert.deepEqual(searchFolder(folder, 'river', { limit: 9 }), []);
  });
});

describe('purges', () => {
  const after = (...events: Received<IndexTopic>[]) => {
    const purges = new Purges();
    for (const { value } of events) purges.take(value as never);
    return purges;
  };

  it('purges of a released host still exclude what was fetched before, and nothing since', () => {
    const purges = after(purgeOf('a.test', 50), released());
    assert.deepEqual(
      [49, 50, 51].map((atMs) => purges.refuses(url, atMs)),
      [true, true, false],
    );
  });

  it('purges that are read twice do not undo a later release', () => {
    const purges = after(purgeOf('a.test', 50), released(), purgeOf('a.test', 50));
    assert.equal(purges.refuses(url, 60), false);
    assert.equal(after(purgeOf('a.test', 50), released(), purgeOf('a.test', 70)).refuses(url, 80), true);
  });

  it('purges of a host cover all its URLs, whatever their scheme', async () => {
    const secure = 'https://a.test/one';
    const both = [received('pages', page()), received('pages', page({ url: secure }))];
    const folder = await indexed(await changesOf([...both, purgeOf('a.test', 50)], none));
    assert.deepEqual(searchFolder(folder, 'river', { limit: 9 }), []);
    const index = await openSqliteIndex(folder);
    index.applyAt(await changesOf(both, none), []);
    assert.equal(searchFolder(folder, 'river', { limit: 9 }).length, 2);
    index.applyAt([{ kind: 'purge', hostKey: 'a.test', url: null }], []);
    assert.deepEqual(searchFolder(folder, 'river', { limit: 9 }), []);
    index.close();
  });
});
