/** Counts of a crawl's URLs by the tags of their seeds. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { countByTag } from '../../../../services/runtime/table/by-tag.ts';
import type { Table } from '../../../../services/runtime/table/table.ts';

test('tags are counted with their outcomes, the largest first, equal ones by name, and URLs without tags last', async () => {
  const columns = ['tags', 'bytes', 'outcome'].map((name) => ({ name }));
  const rows = [
    [null, 9, 'fetched'],
    [null, null, 'gone'],
    [null, 1, 'gone'],
    ['["b"]', 5, 'fetched'],
    ['["c","a"]', 7, 'notModified'],
    ['["c"]', 1, 'gone'],
  ];
  const counts = await countByTag({ columns, rows: rows.values() } as unknown as Table);
  assert.deepEqual(counts, [
    { tag: 'c', urls: 2, pages: 1, bytes: 8, outcomes: { notModified: 1, gone: 1 } },
    { tag: 'a', urls: 1, pages: 1, bytes: 7, outcomes: { notModified: 1 } },
    { tag: 'b', urls: 1, pages: 1, bytes: 5, outcomes: { fetched: 1 } },
    { tag: '', urls: 3, pages: 1, bytes: 10, outcomes: { fetched: 1, gone: 2 } },
  ]);
});
