/** The columnar index of an archive, read back by another library: each column of Common Crawl’s table. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { asyncBufferFromFile, parquetReadObjects } from 'hyparquet';
import { writeColumnar } from '../../../../services/extras/archive/columnar/write-columnar.ts';
import { archivedContent, derivedPage } from '../../../../services/extras/archive/command/archived-page.ts';
import { temporaryFolder } from '../../runtime/store/temporary-folder.ts';
import { type Written, writeWarc } from './replay/warc-file.ts';

const time = '20260102030405';
const german = 'Ein Frosch sitzt am Teich und wartet auf den Abend, an dem die Mücken über dem Wasser tanzen. ';
const english = 'A frog sits beside the pond and waits for the evening, when gnats are dancing over the water. ';
const ok = (type: string, ...more: readonly string[]) =>
  ['HTTP/1.1 200 OK', `Content-Type: ${type}`, ...more].join('\r\n');

/** The rows of each subset. */
async function tableOf(records: readonly Written[]) {
  const out = temporaryFolder();
  const file = writeWarc(temporaryFolder(), 'one', records);
  const counts = await writeColumnar({ files: [file], out, crawl: 'POND', contentOf: archivedContent });
  const rows: Record<string, Record<string, unknown>[]> = {};
  for (const folder of readdirSync(join(out, 'crawl=POND')).sort()) {
    assert.deepEqual(readdirSync(join(out, 'crawl=POND', folder)), ['part-00000.parquet']);
    const part = await asyncBufferFromFile(join(out, 'crawl=POND', folder, 'part-00000.parquet'));
    rows[folder.replace('subset=', '')] = await parquetReadObjects({ file: part });
  }
  return { counts, rows };
}

/** The row of one record, whatever its subset. */
async function rowOf(record: Partial<Written>) {
  const { rows } = await tableOf([{ url: 'http://a.test/', time, ...record }]);
  return Object.values(rows)[0]![0]!;
}

test('a capture has all columns of the table, in their order', async () => {
  const row = await rowOf({
    url: 'https://www.Frog.co.uk:8443/a/b.html?x=1&y',
    head: ok('Text/HTML; charset=utf-8'),
    body: `<p>${english.repeat(4)}`,
    digest: 'ABC',
    fields: ['WARC-Truncated: length'],
  });
  const { warc_record_length: length, fetch_time: fetched, ...rest } = row;
  assert.ok(Number(length) > 100);
  assert.equal((fetched as Date).toISOString(), '2026-01-02T03:04:05.000Z');
  assert.deepEqual(Object.entries(rest), [
    ['url_surtkey', 'uk,co,frog:8443)/a/b.html?x=1&y'],
    ['url', 'https://www.Frog.co.uk:8443/a/b.html?x=1&y'],
    ['url_host_name', 'www.frog.co.uk'],
    ['url_host_tld', 'uk'],
    ['url_host_2nd_last_part', 'co'],
    ['url_host_3rd_last_part', 'frog'],
    ['url_host_4th_last_part', 'www'],
    ['url_host_5th_last_part', null],
    ['url_host_registry_suffix', 'co.uk'],
    ['url_host_registered_domain', 'frog.co.uk'],
    ['url_host_private_suffix', 'co.uk'],
    ['url_host_private_domain', 'frog.co.uk'],
    ['url_host_name_reversed', 'uk.co.frog.www'],
    ['url_protocol', 'https'],
    ['url_port', 8443],
    ['url_path', '/a/b.html'],
    ['url_query', 'x=1&y'],
    ['fetch_status', 200],
    ['fetch_redirect', null],
    ['content_digest', 'ABC'],
    ['content_mime_type', 'text/html'],
    ['content_mime_detected', 'text/html'],
    ['content_charset', 'UTF-8'],
    ['content_languages', 'eng'],
    ['content_truncated', 'length'],
    ['warc_filename', 'one.warc.gz'],
    ['warc_record_offset', 0],
    ['warc_segment', 'POND'],
  ]);
});

test('what a capture does not have is null', async () => {
  const row = await rowOf({ url: 'http://127.0.0.1/?', head: 'HTTP/1.1 200 OK' });
  const named = Object.entries(row).filter(([, value]) => value === null);
  assert.deepEqual(
    named.map(([name]) => name),
    [
      ...['url_host_tld', 'url_host_2nd_last_part', 'url_host_3rd_last_part', 'url_host_4th_last_part'],
      ...['url_host_5th_last_part', 'url_host_registry_suffix', 'url_host_registered_domain'],
      ...['url_host_private_suffix', 'url_host_private_domain', 'url_host_name_reversed'],
      ...['url_port', 'url_query', 'fetch_redirect', 'content_digest', 'content_mime_type'],
      ...['content_mime_detected', 'content_charset', 'content_languages', 'content_truncated'],
    ],
  );
});

test('a host with a private suffix has two registered domains, and one with many labels its last five', async () => {
  const row = await rowOf({ url: 'http://a.b.teich.blogspot.com./' });
  const { url_host_name: name, url_host_name_reversed: reversed, ...rest } = row;
  assert.deepEqual([name, reversed], ['a.b.teich.blogspot.com.', 'com.blogspot.teich.b.a']);
  assert.deepEqual(
    Object.entries(rest)
      .filter(([column]) => column.startsWith('url_host_'))
      .map(([, value]) => value),
    [...['com', 'blogspot', 'teich', 'b', 'a', 'com', 'blogspot.com', 'blogspot.com', 'teich.blogspot.com']],
  );
  assert.equal((await rowOf({ url: 'http://[::1]/' }))['url_host_tld'], null);
});

test('a redirect has its target as an absolute URL, other answers none', async () => {
  const targetOf = async (status: string, location: string) =>
    (await rowOf({ url: 'http://a.test/x/', head: `HTTP/1.1 ${status}\r\nLocation: ${location}` }))['fetch_redirect'];
  assert.equal(await targetOf('301 Moved', '../y?z'), 'http://a.test/y?z');
  assert.equal(await targetOf('399 Odd', 'https://b.test'), 'https://b.test/');
  assert.equal(await targetOf('300 Choices', '/y'), 'http://a.test/y');
  for (const [status, location] of [
    ['200 OK', '/y'],
    ['299 Odd', '/y'],
    ['400 Bad', '/y'],
    ['301 Moved', ''],
    ['301 Moved', 'http://'],
  ] as const)
    assert.equal(await targetOf(status, location), null, `${status} ${location}`);
});

test('type, charset and language come from the payload, out of its content coding', async () => {
  const contentOf = async (record: Partial<Written>) => {
    const row = await rowOf(record);
    return ['content_mime_detected', 'content_charset', 'content_languages'].map((name) => row[name]);
  };
  const text = german.repeat(4);
  const none = null;
  for (const [about, record, content] of [
    [
      'Latin-1',
      { head: ok('text/html; charset=iso-8859-1'), body: Buffer.from(`<p>${text}`, 'latin1') },
      ['text/html', 'windows-1252', 'deu'],
    ],
    [
      'gzip',
      { head: ok('text/html', 'Content-Encoding: gzip'), body: gzipSync(`<meta charset=utf-8><p>${text}`) },
      ['text/html', 'UTF-8', 'deu'],
    ],
    ['no gzip', { head: ok('text/html', 'Content-Encoding: br'), body: 'no brotli' }, [none, none, none]],
    ['a text', { head: ok('text/plain; charset=shift_jis'), body: text }, ['text/plain', 'Shift_JIS', 'deu']],
    ['a text in Big5', { head: ok('text/plain; charset=big5'), body: 'x' }, ['text/plain', 'Big5', none]],
    [
      'a declared language',
      { head: ok('text/html; charset=utf-8'), body: '<html lang=fr><p>x' },
      ['text/html', 'UTF-8', 'fra'],
    ],
    [
      'XHTML',
      { head: ok('text/html; charset=utf-8'), body: '<html xmlns="http://www.w3.org/1999/xhtml"><p>x' },
      ['application/xhtml+xml', 'UTF-8', none],
    ],
    ['a PDF under another type', { head: ok('text/html'), body: '%PDF-1.7\n' }, ['application/pdf', none, none]],
    ['nothing', { head: ok('text/html') }, [none, none, none]],
  ] as const)
    assert.deepEqual(await contentOf(record as Partial<Written>), content, about);
});

test('pages, other answers and robots.txt are in their own subsets, ordered by key', async () => {
  const at = (path: string, more: Partial<Written> = {}): Written => ({ url: `http://a.test/${path}`, time, ...more });
  const { counts, rows } = await tableOf([
    at('z'),
    at('robots.txt'),
    at('gone', { head: 'HTTP/1.1 404 Not Found' }),
    at('again', { type: 'revisit' }),
    at('b'),
    at('moved', { head: 'HTTP/1.1 301 Moved' }),
    at('x/robots.txt'),
  ]);
  assert.deepEqual(counts, { warc: 3, crawldiagnostics: 3, robotstxt: 1 });
  const paths = (subset: string) => rows[subset]!.map(({ url_path: path }) => path);
  assert.deepEqual(paths('warc'), ['/b', '/x/robots.txt', '/z']);
  assert.deepEqual(paths('crawldiagnostics'), ['/again', '/gone', '/moved']);
  assert.deepEqual(paths('robotstxt'), ['/robots.txt']);
});

test('a record beyond the offsets of the table stops it by name, and no file is left', async () => {
  const out = temporaryFolder();
  const folder = temporaryFolder();
  const file = writeWarc(folder, 'one', [{ url: 'http://a.test/', time }]);
  const index = join(folder, 'one.cdxj');
  writeFileSync(index, readFileSync(index, 'utf8').replace('"offset":"0"', `"offset":"${2 ** 31 - 100}"`));
  await assert.rejects(writeColumnar({ files: [file], out, crawl: 'POND', contentOf: archivedContent }), {
    code: 'INVALID_RECORD',
    message: /one\.warc\.gz has a record at 2147483548: .* supports offsets below 2 GiB; split the file/,
  });
  assert.deepEqual(
    readdirSync(out, { recursive: true }).filter((name) => `${name}`.includes('part')),
    [],
  );
});

test('what WAT and WET have of a page is its title, text, links and language; of a text its text', async () => {
  const message = (type: string, body: string | Buffer, ...more: readonly string[]) => ({
    ...{ status: 200, headers: [...(type === '' ? [] : ['content-type', type]), ...more], body: Buffer.from(body) },
  });
  const page = `<html lang=de><title>Teich</title><link rel=canonical href=/c><p>Frosch</p><a href=/x>x</a>`;
  const of = (made: ReturnType<typeof message>) => derivedPage('http://a.test/', made);
  const whole = {
    title: 'Teich',
    text: 'Frosch x',
    links: ['http://a.test/c', 'http://a.test/x'],
    canonical: 'http://a.test/c',
    language: 'de',
  };
  assert.deepEqual(await of(message('text/html', page)), whole);
  assert.deepEqual(await of(message('', page)), whole);
  assert.deepEqual(await of(message('text/html', gzipSync(page), 'content-encoding', 'gzip')), whole);
  const plain = { title: '', text: '<p>as it is', links: [], canonical: '', language: '' };
  assert.deepEqual(await of(message('text/plain', '<p>as it is')), plain);
  for (const [type, body] of [
    ['image/png', 'png'],
    ['application/pdf', '%PDF'],
    ['text/css', 'p{}'],
    ['', '\u0000\u0001'],
    ['', '%PDF-1.7 <title>no page</title>'],
    ['text/html', ''],
  ] as const)
    assert.equal(await of(message(type, body)), null, type);
  assert.equal(await of(message('text/html', 'no brotli', 'content-encoding', 'br')), null);
});
