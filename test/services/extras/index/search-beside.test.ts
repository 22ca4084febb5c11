/** A search in another process: its answers, its errors, and its end at the deadline or with its caller. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pageRecord } from '../../../../lab/pages/page-record.ts';
import { received } from '../../../../lab/pages/records.ts';
import { changesOf } from '../../../../services/extras/index/index-change.ts';
import { searchBeside } from '../../../../services/extras/index/search-beside.ts';
import { openSqliteIndex } from '../../../../services/extras/index/sqlite-index.ts';
import { temporaryFolder } from '../../runtime/store/temporary-folder.ts';

async function indexed(): Promise<string> {
  const folder = temporaryFolder();
  const opened = await openSqliteIndex(folder);
  const page = received('pages', pageRecord({ url: 'http://a.test/', title: 'Page', text: 'a river' }));
  opened.applyAt(await changesOf([page], async () => undefined), []);
  opened.close();
  return folder;
}

test('a search beside the process finds what one within it finds, and is refused for the same reasons', async () => {
  const order = { folder: await indexed(), words: 'river', limit: 5 };
  const hits = await searchBeside(order);
  assert.deepEqual(
    hits.map(({ url, snippet }) => [url, snippet]),
    [['http://a.test/', 'a [river]']],
  );
  await assert.rejects(searchBeside({ ...order, words: '-river' }), { code: 'INVALID_ARGUMENT' });
});

test('a search ends at its deadline, and with its caller', async () => {
  const order = { folder: await indexed(), words: 'river', limit: 5 };
  const late = { code: 'BUSY', message: 'the search took longer than 1 ms: give more words, or rarer ones' };
  await assert.rejects(searchBeside(order, undefined, 1), late);
  await assert.rejects(searchBeside(order, AbortSignal.abort()), { code: 'BUSY' });
});
