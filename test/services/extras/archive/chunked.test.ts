/** Bodies under `Transfer-Encoding: chunked`, read whole and in pieces (RFC 9112 §7.1). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isChunked, unchunked, unchunkedPieces } from '../../../../services/extras/archive/chunked.ts';

async function inPieces(...pieces: readonly string[]): Promise<string> {
  const body = async function* () {
    for (const piece of pieces) yield Buffer.from(piece, 'latin1');
  };
  const parts: Buffer[] = [];
  for await (const part of unchunkedPieces(body())) parts.push(part);
  return Buffer.concat(parts).toString('latin1');
}

const long = 'x'.repeat(70);

test('a chunked body is the same wherever a read piece ends', async () => {
  for (const [about, body, data] of [
    ['one chunk', '5\r\nhello\r\n0\r\n\r\n', 'hello'],
    ['chunks', '5\r\nhello\r\n6\r\n world\r\n0\r\n\r\n', 'hello world'],
    [
      'sizes in both cases, with blanks',
      '0A\r\n0123456789\r\n00b  \r\n0123456789x\r\n0\r\n\r\n',
      '01234567890123456789x',
    ],
    ['extensions', `5;a=b\r\nhello\r\n1;${long};${long}\r\n!\r\n0;z\r\n\r\n`, 'hello!'],
    ['trailers', '5\r\nhello\r\n0\r\nDigest: x\r\n\r\n', 'hello'],
    ['data with line ends', '9\r\n\r\n5\r\nab\r\n\r\n0\r\n\r\n', '\r\n5\r\nab\r\n'],
    ['nothing behind the last chunk', '5\r\nhello\r\n0\r\n\r\nmore', 'hello'],
    ['no data', '0\r\n\r\n', ''],
    ['a chunk that was cut', '5\r\nhello\r\n6\r\n wo', 'hello wo'],
    ['a size that was cut', '5\r\nhello\r\n6', 'hello'],
    ['a broken size', '5\r\nhello\r\nsix\r\n world', 'hello'],
    ['no line end behind a chunk', '5\r\nhello6\r\n world\r\n0\r\n\r\n', 'hello world'],
    ['no chunks', '<title>Pond</title>\r\n<p>frog', '<title>Pond</title>\r\n<p>frog'],
    ['no chunks, and no line', 'frog', 'frog'],
    ['no chunks, but a number', '1200', '1200'],
    ['a size beyond all bodies', '123456789\r\nfrog', '123456789\r\nfrog'],
    ['nothing', '', ''],
  ] as const) {
    assert.equal(unchunked(Buffer.from(body, 'latin1')).toString('latin1'), data, about);
    for (let at = 0; at <= body.length; at++)
      assert.equal(await inPieces(body.slice(0, at), body.slice(at)), data, `${about}, cut at ${at}`);
    assert.equal(await inPieces(...body), data, `${about}, byte by byte`);
  }
});

test('a body without chunks is not held back until a line ends', async () => {
  let pieces = 0;
  const endless = async function* () {
    for (;;) {
      pieces += 1;
      yield Buffer.alloc(1_024, 'a');
    }
  };
  const { value } = await unchunkedPieces(endless()).next();
  assert.equal(value?.length, 4_096);
  assert.equal(pieces, 4);
});

test('a body is chunked if a Transfer-Encoding says so, in any spelling, and nothing else does', () => {
  assert.equal(isChunked(['transfer-encoding', 'chunked']), true);
  assert.equal(isChunked(['content-type', 'text/html', 'transfer-encoding', 'Chunked']), true);
  assert.equal(isChunked(['transfer-encoding', 'identity']), false);
  assert.equal(isChunked(['x-crawler-transfer-encoding', 'chunked', 'x', 'transfer-encoding', 'chunked', 'x']), false);
});
