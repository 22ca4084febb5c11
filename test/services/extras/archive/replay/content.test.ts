/** What a browser gets of a capture: which captures are rewritten as pages, and in which coding the others leave. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { brotliCompressSync, brotliDecompressSync, deflateSync, gunzipSync, gzipSync, inflateSync } from 'node:zlib';
import { contentOf } from '../../../../../services/extras/archive/replay/content.ts';
import { createLinker } from '../../../../../services/extras/archive/replay/rewrite/linker.ts';

interface Captured {
  readonly type?: string;
  readonly coding?: string;
  readonly headers?: readonly string[];
  readonly pieces: readonly (string | Buffer)[];
  readonly accepts?: string;
}

const linker = createLinker('20260101000000', 'http://a.test/');
const decoders: Readonly<Record<string, (body: Buffer) => Buffer>> = {
  '': (body) => body,
  identity: (body) => body,
  gzip: (body) => (body[0] === 0x1f ? gunzipSync(body) : body),
  br: brotliDecompressSync,
  deflate: inflateSync,
};

async function shown({ type, coding, headers = [], pieces, accepts = '' }: Captured) {
  let isClosed = false;
  const body = async function* () {
    for (const piece of pieces) yield Buffer.from(piece as string, 'latin1');
  };
  const bytes = pieces.map((piece) => Buffer.from(piece as string, 'latin1'));
  const content = await contentOf(
    {
      status: 200,
      headers: [
        ...(type === undefined ? [] : ['content-type', type]),
        ...(coding === undefined ? [] : ['content-encoding', coding]),
        ...headers,
      ],
      bodyBytes: Buffer.concat(bytes).length,
      body: body(),
      close: async () => void (isClosed = true),
    },
    linker,
    accepts,
    async (whole, name) => decoders[name]?.(whole) ?? null,
  );
  const parts: Buffer[] = [];
  if (content.body !== null && typeof content.body !== 'string' && !Buffer.isBuffer(content.body))
    for await (const part of content.body) parts.push(part as Buffer);
  else if (content.body !== null) parts.push(Buffer.from(content.body as string));
  return {
    ...{ type: content.headers['content-type'], coding: content.headers['content-encoding'] },
    ...{ headers: content.headers, bytes: content.bytes, isClosed },
    body: content.body === null ? null : Buffer.concat(parts),
  };
}

const textOf = async (captured: Captured) => {
  const { type, body } = await shown(captured);
  return [type, body?.toString()];
};

const link = '<a href="/x">x</a>';
const led = '<a href="/web/20260101000000/http://a.test/x">x</a>';

test('the type decides what is rewritten: pages, XML with links, style sheets, and nothing else', async () => {
  for (const type of ['text/html', 'Text/HTML; charset=utf-8', 'application/xhtml+xml', 'image/svg+xml'])
    assert.deepEqual(
      await textOf({ type, pieces: [link] }),
      [`${type.toLowerCase().split(';')[0]}; charset=utf-8`, led],
      type,
    );
  const css = 'p{background:url(/x)}';
  assert.deepEqual(await textOf({ type: 'text/css', pieces: [css] }), [
    'text/css; charset=utf-8',
    'p{background:url("/web/20260101000000/http://a.test/x")}',
  ]);
  for (const [type, shownType] of [
    ['text/plain', 'text/plain'],
    ['application/json; charset=utf-8; x=y', 'application/json; charset=utf-8'],
    ['nonsense', 'application/octet-stream'],
  ] as const)
    assert.deepEqual(await textOf({ type, pieces: [link] }), [shownType, link], type);
});

test('a capture without a type is a page if it begins like one, wherever its first pieces end', async () => {
  const page = ` \n<!DOCTYPE html>${link}`;
  for (const pieces of [[page], [...page], ['', page], [' ', page]])
    assert.equal((await shown({ pieces })).type, 'text/html; charset=utf-8', JSON.stringify(pieces.slice(0, 2)));
  for (const tag of [
    '<html>',
    '<HEAD>',
    '<body>',
    '<title>',
    '<script>',
    '<!--x-->',
    '<h1>',
    '<div>',
    '<p>',
    '<table>',
  ])
    assert.equal((await shown({ pieces: [tag] })).type, 'text/html; charset=utf-8', tag);
  for (const other of ['frog', 'x<html>', '<pre>', '<abbr>', '', `${' '.repeat(512)}<html>`])
    assert.deepEqual(await textOf({ pieces: [other] }), ['application/octet-stream', other], other);
  assert.equal((await shown({ coding: 'identity', pieces: [page] })).type, 'text/html; charset=utf-8');
  assert.equal((await shown({ coding: 'gzip', pieces: [page] })).type, 'application/octet-stream');
});

test('a body that is only called gzip leaves without a coding, one that is gzip does not', async () => {
  const picture = Buffer.from('GIF89a picture');
  const packed = gzipSync(picture);
  const type = 'image/gif';
  for (const coding of ['gzip', 'GZIP', 'x-gzip', ' gzip ']) {
    const plain = await shown({ type, coding, pieces: [picture], accepts: 'gzip' });
    assert.deepEqual([plain.coding, plain.body, plain.bytes], [undefined, picture, picture.length], coding);
  }
  const cut = [packed.subarray(0, 1), packed.subarray(1)];
  for (const pieces of [[packed], cut]) {
    const sent = await shown({ type, coding: 'gzip', pieces, accepts: 'br, GZIP' });
    assert.deepEqual([sent.coding, sent.body, sent.bytes], ['gzip', packed, undefined]);
    const decoded = await shown({ type, coding: 'gzip', pieces, accepts: 'br' });
    assert.deepEqual([decoded.coding, decoded.body, decoded.isClosed], [undefined, picture, true]);
  }
});

test('a body leaves in its coding only to a client that accepts it by name', async () => {
  const text = Buffer.from('frogs');
  for (const [coding, packed] of [
    ['br', brotliCompressSync(text)],
    ['deflate', deflateSync(text)],
  ] as const) {
    for (const accepts of [coding, `gzip,${coding}`, ` ${coding.toUpperCase()} `])
      assert.equal((await shown({ type: 'text/plain', coding, pieces: [packed], accepts })).coding, coding, accepts);
    for (const accepts of ['', 'gzip', `x${coding}`]) {
      const decoded = await shown({ type: 'text/plain', coding, pieces: [packed], accepts });
      assert.deepEqual([decoded.coding, decoded.body?.toString()], [undefined, 'frogs'], accepts);
    }
  }
  const unknown = await shown({ type: 'text/plain', coding: 'lzma', pieces: ['x'], accepts: 'lzma' });
  assert.deepEqual([unknown.body, unknown.isClosed], [null, true]);
  const page = await shown({ type: 'text/html', coding: 'lzma', pieces: ['x'], accepts: 'lzma' });
  assert.deepEqual([page.body, page.type, page.isClosed], [null, undefined, true]);
  const sent = await shown({ type: 'text/html', coding: 'br', pieces: [brotliCompressSync(Buffer.from(link))] });
  assert.equal(sent.body?.toString(), led);
});

test('the length of a body is stated only if the body leaves as it is', async () => {
  assert.equal((await shown({ type: 'video/mp4', pieces: ['abc', 'de'] })).bytes, 5);
  assert.equal((await shown({ type: 'video/mp4', coding: 'identity', pieces: ['abc'] })).bytes, 3);
  assert.equal((await shown({ type: 'text/html', pieces: ['abc'] })).bytes, undefined);
});

test('a text is read in its own charset and leaves in UTF-8', async () => {
  const cases: readonly (readonly [about: string, captured: Captured, text: string])[] = [
    ['named by the header', { type: 'text/html; charset=iso-8859-1', pieces: ['caf\xe9'] }, 'café'],
    ['named by the page', { type: 'text/html', pieces: ['<meta charset=iso-8859-1>caf\xe9'] }, 'café'],
    ['named by a style sheet', { type: 'text/css', pieces: ['@charset "iso-8859-1";a{b:"caf\xe9"}'] }, 'café'],
    [
      'named by the header of a style sheet, which comes first',
      { type: 'text/css; charset=utf-8', pieces: ['@charset "iso-8859-1";a{b:"caf\xc3\xa9"}'] },
      'café',
    ],
    [
      'named by an XML declaration',
      { type: 'image/svg+xml', pieces: ['<?xml version="1.0" encoding="iso-8859-1"?><text>caf\xe9</text>'] },
      'café',
    ],
  ];
  for (const [about, captured, text] of cases) {
    const { body } = await shown(captured);
    assert.ok(body?.toString().includes(text), `${about}: ${body}`);
  }
  const declared = await textOf({
    type: 'application/xhtml+xml',
    pieces: ["\xef\xbb\xbf<?xml version='1.0' encoding = 'iso-8859-1' ?><p>caf\xc3\xa9</p>"],
  });
  assert.deepEqual(declared, [
    'application/xhtml+xml; charset=utf-8',
    "<?xml version='1.0' encoding = 'utf-8' ?><p>café</p>",
  ]);
  assert.deepEqual(await textOf({ type: 'text/css', pieces: ['\xef\xbb\xbfa{b:c}'] }), [
    'text/css; charset=utf-8',
    'a{b:c}',
  ]);
});

test('language and file name leave with pages and other captures, if they are valid', async () => {
  const headers = ['content-language', 'de, fr', 'content-disposition', 'attachment; filename="a.txt"'];
  for (const type of ['text/html', 'text/plain']) {
    const given = (await shown({ type, headers, pieces: ['x'] })).headers;
    assert.deepEqual(
      [given['content-language'], given['content-disposition']],
      ['de, fr', 'attachment; filename="a.txt"'],
    );
  }
  const none = (await shown({ type: 'text/plain', headers: ['content-language', 'a\tb'], pieces: ['x'] })).headers;
  assert.deepEqual(Object.keys(none), ['content-type']);
});
