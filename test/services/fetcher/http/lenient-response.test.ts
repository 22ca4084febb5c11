import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LenientResponse } from '../../../../services/fetcher/http/lenient-response.ts';
import type { GaveUp } from '../../../../services/fetcher/http/request-failure.ts';
import { odd } from './odd-answers.ts';

interface Read {
  status: number;
  fields: string[];
  reason: string;
  body: string;
  end: string;
}

function read(pieces: readonly Buffer[], { isHead = false, headerBytesMax = 65_536, isClosed = true } = {}): Read {
  const got: Read = { status: 0, fields: [], reason: '', body: '', end: 'open' };
  const answer = new LenientResponse(
    {
      onHead(status, fields, reason) {
        Object.assign(got, { status, reason, fields: fields.map((bytes) => bytes.toString('latin1')) });
      },
      onData: (chunk) => (got.body += chunk.toString('latin1')),
      onComplete: () => (got.end = got.end === 'open' ? 'complete' : 'complete twice'),
    },
    { isHead, headerBytesMax },
  );
  try {
    for (const piece of pieces) answer.push(piece);
    if (isClosed) answer.end();
  } catch (error) {
    got.end = (error as GaveUp).kind;
  }
  return got;
}

const bytes = (text: string) => Buffer.from(text, 'latin1');
const one = (text: string, options = {}) => read([bytes(text)], options);
const head = 'HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n';

test('a response with malformed lines is read like a well-formed one, wherever its bytes are split', () => {
  for (const [name, text] of Object.entries(odd)) {
    const whole = one(text);
    assert.deepEqual([whole.status, whole.body, whole.end], [200, '<title>T</title>', 'complete'], name);
    assert.equal(whole.fields[whole.fields.findIndex((field) => /^content-type$/i.test(field)) + 1], 'text/html', name);
    const all = bytes(text);
    for (let at = 1; at < all.length; at++)
      assert.deepEqual(read([all.subarray(0, at), all.subarray(at)]), whole, `${name}, split at ${at}`);
    const single = Array.from(all, (byte) => Buffer.of(byte));
    assert.deepEqual(read(single), whole, `${name}, byte by byte`);
  }
});

test('a response that is cut before its last byte of body is known to have come is a broken connection', () => {
  for (const [name, text] of Object.entries(odd)) {
    // Where the connection's end is the body's, a cut is not seen.
    if (!/length|chunked/i.test(text)) continue;
    const lastChunk = /0[ \t]*(;[^\n]*)?\r?\n(?:[^0]*)$/.exec(text);
    const ends = /chunked/i.test(text) ? lastChunk!.index + 1 : text.length;
    for (let at = 0; at < ends; at++)
      assert.equal(one(text.slice(0, at)).end, 'connectionFailed', `${name}, cut at ${at}`);
  }
});

test('a body is whole once its last chunk has begun, whatever the server leaves out behind the 0', () => {
  const chunks = `${head}Transfer-Encoding: chunked\r\n\r\n4\r\nabcd\r\n`;
  for (const end of ['0', '0 ', '0\r', '0;a=b', '000 ', '0\r\n', '0\r\n\r', '0\r\nTrailer: x', '0\r\nTrailer: x\r\n']) {
    const { body, end: ended } = one(chunks + end);
    assert.deepEqual([body, ended], ['abcd', 'complete'], JSON.stringify(end));
  }
  for (const end of ['', '\r', '4', '04', '0x', 'a', ';0'])
    assert.notEqual(one(chunks + end).end, 'complete', JSON.stringify(end));
});

test('a chunk size may begin with 0x, as wget reads it', () => {
  const { body, end } = one(
    `${head}Transfer-Encoding: chunked\r\n\r\n0x4\r\nabcd\r\n0X1a\r\n${'e'.repeat(26)}\r\n0x0\r\n\r\n`,
  );
  assert.deepEqual([body, end], [`abcd${'e'.repeat(26)}`, 'complete']);
});

test('an ambiguous end of a body is an error', () => {
  const bad = [
    'Content-Length: 5\r\nContent-Length: 6\r\n',
    'Content-Length: 5, 6\r\n',
    'Content-Length: 5\r\nContent-Length: x\r\nContent-Length: 6\r\n',
    'Transfer-Encoding: gzip, chunked\r\n',
    'Transfer-Encoding: x-gzip;q=1\r\n',
  ];
  for (const fields of bad) assert.equal(one(`${head}${fields}\r\nabcdef`).end, 'badResponse', fields);
  const chunked = `${head}Transfer-Encoding: chunked\r\n\r\n`;
  for (const body of ['x\r\n', '-1\r\n', '\r\n', '5 5\r\nabcde\r\n', '2\r\nabc\r\n', 'fffffffffffffff\r\n'])
    assert.equal(one(`${chunked}${body}`).end, 'badResponse', JSON.stringify(body));
  for (const first of ['SSH-2.0-x\r\n', '<html>\n', 'HTTP/1.1 20\r\n', 'HTTP/1.1 2000\r\n', 'HTTP/1.1 099 x\r\n'])
    assert.equal(one(`${first}\r\n`).end, 'badResponse', first);
});

test('a body whose length is no number, or whose transfer coding is no known one, ends with its connection', () => {
  const odd = ['-5', '+5', '5x', '5 bytes', '5.0', '0x5', '"5"', 'x', '', '99999999999999999999'];
  for (const length of odd) {
    const { body, end } = one(`${head}Content-Length: ${length}\r\n\r\nabcdef`);
    assert.deepEqual([body, end], ['abcdef', 'complete'], length);
  }
  assert.equal(one(`${head}Content-Length: 5x, 3\r\n\r\nabcdef`).body, 'abc');
  for (const coding of ['nothing', 'odd;a=b', ''])
    assert.equal(one(`${head}Transfer-Encoding: ${coding}\r\n\r\nabcdef`).body, 'abcdef', coding);
  for (const coding of ['odd, chunked', 'chunked;a=b', 'chunked ; a', 'odd\r\nTransfer-Encoding: chunked'])
    assert.equal(one(`${head}Transfer-Encoding: ${coding}\r\n\r\n3\r\nabc\r\n0\r\n\r\n`).body, 'abc', coding);
});

test('a folded line is joined to its field by a space, and dropped with it', () => {
  const { fields } = one(
    `HTTP/1.1 200 OK\r\n stray\r\nA: 1\r\n\t 2 \r\n  \r\nB:\r\n 3\r\nC D: 4\r\n 5\r\nE: 6\r\nnone\r\n 7\r\n\r\n`,
  );
  assert.deepEqual(fields, ['A', '1 2', 'B', '3', 'E', '6']);
});

test('NUL and lone CR become spaces; other control characters and non-ASCII bytes stay', () => {
  assert.deepEqual(one('HTTP/1.1 200 caf\xe9\x01\r\nA: a\0b\rc\x01\xe9\r\r\n\r\n'), {
    ...{ status: 200, reason: 'caf\xe9\x01', fields: ['A', 'a b c\x01\xe9'], body: '', end: 'complete' },
  });
});

test('a response that cannot have a body has none, whatever its fields say', () => {
  assert.equal(one(`${head}Content-Length: 5\r\n\r\n`, { isHead: true, isClosed: false }).end, 'complete');
  for (const status of [204, 304])
    assert.equal(one(`HTTP/1.1 ${status} x\r\nContent-Length: 5\r\n\r\n`, { isClosed: false }).end, 'complete');
  assert.equal(one(`${head}Content-Length: 0\r\n\r\nmore`, { isClosed: false }).body, '');
});

test('interim heads, heads, trailers and chunk extensions have bounded numbers of lines', () => {
  const interim = 'HTTP/1.1 100 Continue\r\n\r\n';
  const page = `${head}Content-Length: 2\r\n\r\nok`;
  assert.equal(one(interim.repeat(2_000) + page).end, 'complete');
  assert.equal(one(interim.repeat(3_000) + page).end, 'badResponse');
  assert.equal(one(`${head}A: ${'x'.repeat(66_000)}`, { isClosed: false }).end, 'badResponse');
  const chunked = `${head}Transfer-Encoding: chunked\r\n\r\n`;
  assert.equal(one(`${chunked}1${' '.repeat(66_000)}`, { isClosed: false }).end, 'badResponse');
  assert.equal(one(chunked + `1;${'x'.repeat(100)}\r\na\r\n`.repeat(1_000), { isClosed: false }).end, 'badResponse');
  assert.equal(one(`${chunked}${'1\r\na\r\n'.repeat(100_000)}0\r\n\r\n`).end, 'complete');
  assert.equal(one(`${chunked}0\r\n${'a: b\r\n'.repeat(12_000)}`, { isClosed: false }).end, 'badResponse');
});

test('hostile heads cost time in proportion to their bytes', () => {
  const started = performance.now();
  for (const piece of [' ', '\t', '\r', ',', ':', 'a ', '\r ', ', ', '\r\n ', 'a:\n', '0'])
    for (const before of [
      'HTTP/1.1 200',
      'HTTP',
      '',
      `${head}A:`,
      `${head}Content-Length:`,
      `${head}Transfer-Encoding:`,
    ])
      read([bytes(before + piece.repeat(60_000 / piece.length)), bytes('\r\n\r\n')]);
  read(Array.from({ length: 60_000 }, () => Buffer.from(' ')));
  // Work that grows with the square of the bytes would take a minute.
  assert.ok(performance.now() - started < 10_000);
});
