/** The JSON of WAT records, by IIPC’s Web Archive Transformation specification. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { DerivedPage } from '../../../../services/extras/archive/derived/derive.ts';
import { watBlock } from '../../../../services/extras/archive/derived/wat.ts';
import { httpMessageOf } from '../../../../services/extras/archive/http-message.ts';

/** SHA-1 in base32 of `gone` and of nothing, by coreutils: `printf gone | sha1sum | xxd -r -p | base32`. */
const [digestOfGone, digestOfNothing] = [
  'sha1:U3P55KR2ISSMKLKEFBEEPVYWBCJLIAL6',
  'sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ',
];

interface Made {
  readonly type: string;
  readonly fields?: readonly (readonly [string, string])[];
  readonly block?: string;
  readonly page?: Partial<DerivedPage>;
  readonly file?: string;
}

function watOf({ type, fields = [], block = '', page, file = 'a.warc.gz' }: Made) {
  const bytes = Buffer.from(block, 'latin1');
  const record = { type, fields: new Map(fields), block: bytes };
  const whole = page && { title: '', text: '', links: [], canonical: '', language: '', ...page };
  return JSON.parse(`${watBlock(file, record, type === 'response' ? httpMessageOf(bytes) : null, whole ?? null)}`);
}

test('a WAT record has the fields of its record as the standard spells them, and its file', () => {
  const made = watOf({
    type: 'metadata',
    fields: [
      ['warc-type', 'metadata'],
      ['warc-target-uri', 'http://a.test/'],
      ['warc-record-id', '<urn:1>'],
      ['warc-ip-address', '127.0.0.1'],
      ['content-type', 'text/plain'],
      ['content-length', '4'],
    ],
    block: 'gone',
  });
  assert.deepEqual(made, {
    Container: { Filename: 'a.warc.gz', Compressed: true },
    Envelope: {
      Format: 'WARC',
      'WARC-Header-Metadata': {
        'WARC-Type': 'metadata',
        'WARC-Target-URI': 'http://a.test/',
        'WARC-Record-ID': '<urn:1>',
        'WARC-IP-Address': '127.0.0.1',
        'Content-Type': 'text/plain',
        'Content-Length': '4',
      },
      'Block-Digest': digestOfGone,
      'Actual-Content-Length': '4',
      'Payload-Metadata': { 'Actual-Content-Type': 'text/plain' },
    },
  });
  assert.deepEqual(watOf({ type: 'metadata', file: 'a.warc' }).Container, { Filename: 'a.warc', Compressed: false });
  const named = watOf({ type: 'metadata', fields: [['warc-block-digest', 'sha1:X']] });
  assert.equal(named.Envelope['Block-Digest'], 'sha1:X');
});

test('the WAT of a response has its status line, headers, lengths and digest', () => {
  const responseOf = (block: string) =>
    watOf({ type: 'response', block }).Envelope['Payload-Metadata']['HTTP-Response-Metadata'];
  assert.deepEqual(responseOf('HTTP/1.1 404 Not  Found\r\nX-A: b: c\r\nServer: x\r\n\r\ngone'), {
    'Response-Message': { Version: 'HTTP/1.1', Status: '404', Reason: 'Not  Found' },
    'Headers-Length': '49',
    Headers: { 'x-a': 'b: c', server: 'x' },
    'Entity-Length': '4',
    'Entity-Digest': digestOfGone,
  });
  const bare = responseOf('HTTP/1.0 200\r\n\r\n');
  assert.deepEqual(bare['Response-Message'], { Version: 'HTTP/1.0', Status: '200', Reason: '' });
  assert.deepEqual([bare.Headers, bare['Entity-Digest'], bare['Headers-Length']], [{}, digestOfNothing, '16']);
  assert.equal(responseOf('HTTP/1.0 200 OK')['Headers-Length'], '15');
  assert.equal(
    watOf({ type: 'response', block: 'no HTTP' }).Envelope['Payload-Metadata']['HTTP-Response-Metadata'],
    undefined,
  );
});

test('the WAT of a page has its title, canonical URL and language if it has them, and at most 2,000 links', () => {
  const htmlOf = (page: Partial<DerivedPage>) =>
    watOf({ type: 'response', block: 'HTTP/1.1 200 OK\r\n\r\nx', page }).Envelope['Payload-Metadata'][
      'HTTP-Response-Metadata'
    ]['HTML-Metadata'];
  assert.deepEqual(htmlOf({}), { Head: {}, Links: [] });
  assert.deepEqual(htmlOf({ title: 'T', canonical: 'http://a.test/c', language: 'de', links: ['http://a.test/x'] }), {
    Head: {
      Title: 'T',
      Link: [{ path: 'LINK@/href', url: 'http://a.test/c', rel: 'canonical' }],
      Metas: [{ name: 'language', content: 'de' }],
    },
    Links: [{ path: 'A@/href', url: 'http://a.test/x' }],
  });
  const links = Array.from({ length: 2_001 }, (_, n) => `http://a.test/${n}`);
  assert.deepEqual(
    htmlOf({ links }).Links.map(({ url }: { url: string }) => url),
    links.slice(0, 2_000),
  );
});

test('the WAT of a request has its line and headers, that of a warcinfo its lines', () => {
  const block = 'POST /x?y HTTP/1.1\r\nHost: a.test\r\nno field\r\nX: a: b\r\n\r\ngone';
  const request = watOf({ type: 'request', block }).Envelope['Payload-Metadata']['HTTP-Request-Metadata'];
  assert.deepEqual(request, {
    'Request-Message': { Method: 'POST', Path: '/x?y', Version: 'HTTP/1.1' },
    'Headers-Length': `${block.length - 4}`,
    Headers: { Host: 'a.test', X: 'a: b' },
    'Entity-Length': '4',
  });
  const info = watOf({
    type: 'warcinfo',
    fields: [['content-type', 'application/warc-fields']],
    block: 'software: x/1\r\noperator: a: größe\r\nno field\r\n',
  });
  assert.equal(info.Envelope['Payload-Metadata']['WARC-Info-Metadata'].software, 'x/1');
  assert.match(info.Envelope['Payload-Metadata']['WARC-Info-Metadata'].operator, /^a: gr/);
  assert.equal(Object.keys(info.Envelope['Payload-Metadata']['WARC-Info-Metadata']).length, 2);
  const other = watOf({ type: 'metadata', fields: [['content-type', 'text/plain']], block: 'a: b\r\n' });
  assert.deepEqual(Object.keys(other.Envelope['Payload-Metadata']), ['Actual-Content-Type']);
});
