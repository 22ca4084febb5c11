/** The files beside archives for other programs: their records, and those they leave out. */
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { test } from 'node:test';
import { type Derived, derive } from '../../../../services/extras/archive/derived/derive.ts';
import { readExchanges } from '../../../../services/extras/archive/exchanges.ts';
import { mergedIndex } from '../../../../services/extras/archive/merged-index.ts';
import { pageLines } from '../../../../services/extras/archive/wacz/page-lines.ts';
import { readWarc } from '../../../../services/extras/archive/warc-reader.ts';
import { temporaryFolder } from '../../runtime/store/temporary-folder.ts';
import { type Written, writeWarc } from './replay/warc-file.ts';

const time = '20260102030405';
const html = 'HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8';
const records: readonly Written[] = [
  { url: 'http://a.test/', time, head: html, body: 'page', fields: ['WARC-Record-ID: <urn:a>'] },
  { url: 'http://a.test/empty', time, head: html },
  { url: 'http://a.test/gone', time, head: 'HTTP/1.1 404 Not Found\r\nContent-Type: text/html', body: 'no' },
  {
    url: 'http://a.test/image',
    time,
    head: 'HTTP/1.1 200 OK\r\nContent-Type: image/png',
    body: 'png',
    mime: 'image/png',
  },
  { url: 'http://a.test/file', time, head: 'HTTP/1.1 200 OK\r\nContent-Type: text/plain', body: 'x' },
];

async function derivedOf(kind: Derived) {
  const folder = temporaryFolder();
  const file = writeWarc(folder, 'one', records);
  const pageOf = async (url: string, { body }: { readonly body: Buffer }) =>
    url.endsWith('/image')
      ? null
      : {
          ...{ title: url.endsWith('/empty') ? '' : 'Title', text: body.toString(), canonical: '' },
          ...{ links: ['http://a.test/b'], language: url === 'http://a.test/' ? 'de' : '' },
        };
  const made = await derive({ kind, file, out: folder, pageOf, software: 'test' });
  const found = [];
  for await (const record of readWarc(made.file)) found.push(record);
  assert.deepEqual(readdirSync(folder).sort(), ['one.cdxj', 'one.warc.gz', `one.warc.${kind}.gz`].sort());
  assert.equal(made.records, found.length - 1);
  return found;
}

test('a WET file has the text of each page that has some, under its URL, time and language', async () => {
  const [info, ...texts] = await derivedOf('wet');
  assert.match(`${info!.block}`, /description: text of one.warc.gz/);
  assert.deepEqual(
    texts.map(({ type, fields, block }) => [
      type,
      fields.get('warc-target-uri'),
      fields.get('x-declared-language'),
      `${block}`,
    ]),
    [
      ['conversion', 'http://a.test/', 'de', 'page'],
      ['conversion', 'http://a.test/file', undefined, 'x'],
    ],
  );
  assert.equal(Date.parse(texts[0]!.fields.get('warc-date')!), Date.UTC(2026, 0, 2, 3, 4, 5));
  assert.equal(texts[0]!.fields.get('warc-refers-to'), '<urn:a>');
});

test('a WAT file has the metadata of every record, and of pages their titles and links', async () => {
  const [, ...made] = await derivedOf('wat');
  const metadata = made.map(
    ({ block }) => JSON.parse(`${block}`).Envelope['Payload-Metadata']['HTTP-Response-Metadata'],
  );
  assert.equal(metadata.length, records.length);
  const [page, empty, gone, image] = metadata;
  assert.deepEqual(page['Response-Message'], { Version: 'HTTP/1.1', Status: '200', Reason: 'OK' });
  assert.equal(page['Headers-Length'], `${html.length + 4}`);
  assert.equal(page['Entity-Length'], '4');
  assert.deepEqual(page['HTML-Metadata'], {
    Head: { Title: 'Title', Metas: [{ name: 'language', content: 'de' }] },
    Links: [{ path: 'A@/href', url: 'http://a.test/b' }],
  });
  assert.deepEqual(empty['HTML-Metadata'].Head, {});
  assert.equal(gone['HTML-Metadata'], undefined);
  assert.equal(image['HTML-Metadata'], undefined);
});

test('the pages of a WACZ are HTML with status 200, with their time and title', async () => {
  const file = writeWarc(temporaryFolder(), 'one', records);
  const pages = [];
  for await (const page of pageLines(mergedIndex([file]), async (url) => (url.endsWith('/empty') ? '' : 'Title')))
    pages.push(page);
  assert.deepEqual(
    pages.map(({ id: _, ...page }) => page),
    [
      { url: 'http://a.test/', ts: '2026-01-02T03:04:05Z', title: 'Title' },
      { url: 'http://a.test/empty', ts: '2026-01-02T03:04:05Z' },
    ],
  );
  assert.ok(pages.every(({ id }) => /^[0-9a-f]{16}$/.test(id)));
});

test('answers of an archive are read in order, without metadata that belongs to others', async () => {
  const kinds = [];
  for await (const { answer, kind, depth } of readExchanges(writeWarc(temporaryFolder(), 'one', records)))
    kinds.push([answer.fields.get('warc-target-uri'), kind, depth]);
  assert.deepEqual(
    kinds,
    records.map(({ url }) => [url, '', undefined]),
  );
});
