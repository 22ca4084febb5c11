import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CrawlstreamError } from '../../../topology/errors.ts';
import { parseSeedObjects, parseSeedTable } from '../../../topology/url/seed-table.ts';

test('a table gives its seeds in order, whatever its column order, and empty cells mean defaults', () => {
  const wanted = [
    { url: 'https://a.org/x,y', priority: 2, depth: 1 },
    { url: 'https://b.org/"q"', priority: -1 },
    { url: 'https://c.org/', priority: 0 },
  ];
  const csv = 'Priority,url,depth\r\n2,"https://a.org/x,y",1\r\n\r\n,"https://b.org/""q""",\r\n0,c.org\n';
  assert.deepEqual(
    parseSeedTable(csv, ',', 's.csv').map(({ url, ...rest }) => ({ url: decodeURI(url), ...rest })),
    wanted,
  );
  const tsv = 'url\tpriority\nhttps://a.org/x,y\t2\n';
  assert.deepEqual(parseSeedTable(tsv, '\t', 's.tsv'), [{ url: 'https://a.org/x,y', priority: 2 }]);
});

test('JSON lines give one seed each', () => {
  const text = '{"url":"a.org","priority":3,"depth":null}\n\n{"depth":"2","url":"https://b.org/"}\r\n';
  assert.deepEqual(parseSeedObjects(text, 's.jsonl'), [
    { url: 'https://a.org/', priority: 3 },
    { url: 'https://b.org/', priority: -1, depth: 2 },
  ]);
});

test('tags belong to a seed, and so do the operator’s named keys', () => {
  const csv = 'url,tags,customer\na.org,"news,legal, news",acme\nb.org,,\n';
  assert.deepEqual(parseSeedTable(csv, ',', 's.csv', ['customer']), [
    { url: 'https://a.org/', priority: -1, tags: ['customer=acme', 'legal', 'news'] },
    { url: 'https://b.org/', priority: -1 },
  ]);
  assert.deepEqual(parseSeedObjects('{"url":"a.org","tags":["b","a"]}', 's.jsonl'), [
    { url: 'https://a.org/', priority: -1, tags: ['a', 'b'] },
  ]);
  assert.throws(() => parseSeedTable(csv, ',', 's.csv'), /s\.csv line 2: customer=acme: .*--seed-keys/);
  assert.throws(() => parseSeedObjects('{"url":"a.org","tags":"two words"}', 's'), /line 1: "two words" is not a tag/);
  const many = Array.from({ length: 17 }, (_, n) => `t${n}`).join();
  assert.throws(() => parseSeedObjects(`{"url":"a.org","tags":"${many}"}`, 's'), /17 tags; a seed may have at most 16/);
});

test('an invalid row is refused with its line and a remedy', () => {
  const refused = (read: () => unknown, says: RegExp) =>
    assert.throws(
      read,
      (error) => error instanceof CrawlstreamError && error.code === 'INVALID_SEED' && says.test(error.message),
    );
  refused(
    () => parseSeedTable('a.org,1\n', ',', 's.csv'),
    /^s\.csv: there is no column named url; write the column names in the first line/,
  );
  refused(() => parseSeedTable('', ',', 's.csv'), /there is no column named url/);
  refused(() => parseSeedTable('url,prio\na.org,1\n', ',', 's.csv'), /^s\.csv line 2: prio=1: priority=N/);
  refused(() => parseSeedTable('url,x\n"a\nb",\nftp://b/,\n', ',', 's.csv'), /^s\.csv line 2: .*white space/);
  refused(() => parseSeedTable('url,x\n"a.org",\nftp://b/,\n', ',', 's.csv'), /^s\.csv line 3: .*ftp/);
  refused(() => parseSeedObjects('["a.org"]\n', 's.jsonl'), /^s\.jsonl line 1: write one JSON object per line/);
  refused(() => parseSeedObjects('{"url":"a.org"}\n{"url":1}\n', 's.jsonl'), /^s\.jsonl line 2/);
  refused(() => parseSeedObjects('{"url":"a.org","priority":8}\n', 's.jsonl'), /^s\.jsonl line 1: priority=8/);
});
