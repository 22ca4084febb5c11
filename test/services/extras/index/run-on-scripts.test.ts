/** The embedded search in languages that are written without spaces. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { pageRecord } from '../../../../lab/pages/page-record.ts';
import { received } from '../../../../lab/pages/records.ts';
import { changesOf } from '../../../../services/extras/index/index-change.ts';
import { charactersApart, charactersTogether } from '../../../../services/extras/index/run-on-scripts.ts';
import { openSqlite } from '../../../../services/extras/index/sqlite.ts';
import { indexFile, openSqliteIndex, searchFolder } from '../../../../services/extras/index/sqlite-index.ts';
import { temporaryFolder } from '../../runtime/store/temporary-folder.ts';

const pages: Readonly<Record<string, readonly [title: string, text: string]>> = {
  zh: ['北京大学的历史', '北京大学创立于一八九八年，是中国近代第一所国立综合性大学。𠮷野家'],
  ja: ['東京の天気', '今日の東京の天気は晴れです。明日はラーメンと雨が降るでしょう。Node入門'],
  th: ['ประเทศไทย', 'ประเทศไทยมีประชากรจำนวนมาก'],
  km: ['ប្រទេសកម្ពុជា', 'រាជធានីភ្នំពេញ'],
  de: ['Straßenbahn', 'Die Straßenbahn fährt über die Brücke'],
};

async function indexed(): Promise<string> {
  const folder = temporaryFolder();
  const records = Object.entries(pages).map(([name, [title, text]]) =>
    received('pages', pageRecord({ url: `http://a.test/${name}`, title, text })),
  );
  const index = await openSqliteIndex(folder);
  index.applyAt(await changesOf(records, async () => undefined), []);
  index.close();
  return folder;
}

const found = (folder: string, words: string) =>
  searchFolder(folder, words, { limit: 9 }).map(({ url }) => url.slice('http://a.test/'.length));

describe('a search in a script that uses no spaces', () => {
  it('a search in a script without spaces finds words within longer runs, in titles and text', async () => {
    const folder = await indexed();
    for (const [words, name] of [
      ['北京', 'zh'],
      ['大学', 'zh'],
      ['历史', 'zh'],
      ['国立', 'zh'],
      ['𠮷野', 'zh'],
      ['東京', 'ja'],
      ['天気', 'ja'],
      ['ラーメン', 'ja'],
      ['入門', 'ja'],
      ['Node', 'ja'],
      ['Node入門', 'ja'],
      ['"東京の天気"', 'ja'],
      ['東京 明日', 'ja'],
      ['東*', 'ja'],
      ['ไทย', 'th'],
      ['ประชากร', 'th'],
      ['ភ្នំពេញ', 'km'],
      ['brücke', 'de'],
    ] as const)
      assert.deepEqual(found(folder, words), [name], words);
  });

  it('a search in a script without spaces does not find absent words', async () => {
    const folder = await indexed();
    for (const words of ['上海', '大阪', '京北', '学大', '東天', 'ลาว', '東京 上海', '天気 -東京'])
      assert.deepEqual(found(folder, words), [], words);
  });

  it('a search in a script without spaces shows titles and text as the page has them', async () => {
    const folder = await indexed();
    const [hit] = searchFolder(folder, '東京', { limit: 1 });
    assert.equal(hit!.title, '東京の天気');
    assert.match(hit!.snippet, /\[東京\]の天気/);
    assert.equal(hit!.snippet.includes('\u200b'), false);
  });

  it('a search in a script without spaces ranks the page first whose title was typed', async () => {
    const folder = temporaryFolder();
    const index = await openSqliteIndex(folder);
    const records = ['大学 '.repeat(30), '大学'].map((title, n) =>
      received('pages', pageRecord({ url: `http://a.test/${n}`, title, text: '大学大学' })),
    );
    index.applyAt(await changesOf(records, async () => undefined), []);
    index.close();
    assert.equal(found(folder, '大学')[0], '1');
  });
});

it('an index of an earlier release is searched and extended', async () => {
  const folder = await indexed();
  const db = openSqlite(indexFile(folder));
  const rows = db.prepare('SELECT rowid AS id, title, text FROM fts').all();
  const update = db.prepare('UPDATE fts SET title = ?, text = ? WHERE rowid = ?');
  for (const { id, title, text } of rows)
    update.run(charactersTogether(title as string), charactersTogether(text as string), id as number);
  db.close();
  assert.deepEqual(found(folder, '東京の天気'), ['ja'], 'a whole run, as before');
  const index = await openSqliteIndex(folder);
  const more = received('pages', pageRecord({ url: 'http://a.test/new', title: '東京の天気予報', text: 'x' }));
  index.applyAt(await changesOf([more], async () => undefined), []);
  index.close();
  assert.deepEqual(found(folder, '天気'), ['new']);
  assert.deepEqual(found(folder, '東京の天気').sort(), ['ja', 'new']);
});

it('text of other scripts is indexed unchanged', () => {
  for (const text of ['', 'Straßenbahn fährt', 'поиск', '한국어 검색', 'العربية', 'é́'])
    assert.equal(charactersApart(text), text);
  assert.equal(charactersTogether(charactersApart('a北京b')), 'a北京b');
});
