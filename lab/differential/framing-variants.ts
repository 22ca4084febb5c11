/** How an answer marks the end of its body (RFC 9112 §6 and §7), and other ways in which servers do so. */
import type { Draft, Variant } from './draft.ts';

type Frame = Draft['frame'];

const framing = (name: string, frame: Frame): Variant => ({
  dimension: 'framing',
  name,
  change: (draft) => void (draft.frame = frame),
});
const sized = (name: string, lines: (length: number) => readonly string[]) =>
  framing(name, (body) => ({ lines: lines(body.length), sent: body }));
const lengths = [
  sized('two equal lengths', (n) => [`Content-Length: ${n}`, `Content-Length: ${n}`]),
  sized('three equal lengths', (n) => Array<string>(3).fill(`content-length:${n}`)),
  sized('a list of equal lengths', (n) => [`Content-Length: ${n}, ${n}`]),
  sized('a list without blanks', (n) => [`Content-Length: ${n},${n},${n}`]),
  sized('two different lengths', (n) => [`Content-Length: ${n}`, `Content-Length: ${n - 3}`]),
  sized('a length with zeros in front', (n) => [`Content-Length: 000${n}`]),
  sized('a length with a plus', (n) => [`Content-Length: +${n}`]),
  sized('a length with blanks around', (n) => [`Content-Length:   ${n}  \t`]),
  sized('a length in quotes', (n) => [`Content-Length: "${n}"`]),
  sized('a length with a unit', (n) => [`Content-Length: ${n} bytes`]),
  sized('a length with a semicolon', (n) => [`Content-Length: ${n};`]),
  sized('a length below 0', () => ['Content-Length: -1']),
  sized('a length that is no number', () => ['Content-Length: none']),
  sized('an empty length', () => ['Content-Length:']),
  sized('a fraction', (n) => [`Content-Length: ${n}.0`]),
  sized('a length in hexadecimal', (n) => [`Content-Length: 0x${n.toString(16)}`]),
  sized('a length beyond 64 bits', () => [`Content-Length: ${'9'.repeat(30)}`]),
  sized('a length one too small', (n) => [`Content-Length: ${n - 1}`]),
  sized('a length one too large', (n) => [`Content-Length: ${n + 1}`]),
  sized('a length and identity', (n) => ['Transfer-Encoding: identity', `Content-Length: ${n}`]),
  sized('an empty Transfer-Encoding', (n) => ['Transfer-Encoding:', `Content-Length: ${n}`]),
  sized('no length', () => []),
  sized('identity alone', () => ['Transfer-Encoding: identity']),
  sized('an unknown transfer coding', (n) => ['Transfer-Encoding: odd', `Content-Length: ${n}`]),
  sized('chunked that is not', () => ['Transfer-Encoding: chunked']),
  sized('chunked that is not, with a length', (n) => ['Transfer-Encoding: chunked', `Content-Length: ${n}`]),
  framing('more bytes than the length', (body) => ({
    lines: [`Content-Length: ${body.length}`],
    sent: Buffer.concat([body, Buffer.from('more')]),
  })),
  framing('another answer behind the length', (body) => ({
    lines: [`Content-Length: ${body.length}`],
    sent: Buffer.concat([body, Buffer.from('HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx')]),
  })),
  framing('half of the length', (body) => ({
    lines: [`Content-Length: ${body.length}`],
    sent: body.subarray(0, Math.floor(body.length / 2)),
  })),
];

interface Chunking {
  readonly size?: (n: number) => string;
  readonly afterSize?: string;
  readonly afterChunk?: string;
  readonly last?: string;
  readonly count?: number;
}

function chunks(body: Buffer, chunking: Chunking): Buffer {
  const { size = (n) => n.toString(16), afterSize = '\r\n', afterChunk = '\r\n', last, count = 3 } = chunking;
  const each = Math.max(1, Math.ceil(body.length / count));
  const parts: Buffer[] = [];
  for (let at = 0; at < body.length; at += each) {
    const part = body.subarray(at, at + each);
    parts.push(Buffer.from(`${size(part.length)}${afterSize}`, 'latin1'), part, Buffer.from(afterChunk, 'latin1'));
  }
  return Buffer.concat([...parts, Buffer.from(last ?? `${size(0)}${afterSize}\r\n`, 'latin1')]);
}

const chunked = (name: string, chunking: Chunking = {}, lines: readonly string[] = ['Transfer-Encoding: chunked']) =>
  framing(name, (body) => ({
    lines: lines.map((text) => text.replace('LENGTH', `${body.length}`)),
    sent: chunks(body, chunking),
  }));
const ofLines = (name: string, ...lines: string[]) => chunked(name, {}, lines);
const chunkings = [
  chunked('chunks'),
  chunked('a chunk a byte', { count: 100_000 }),
  ofLines('chunked in capitals', 'Transfer-Encoding: CHUNKED'),
  ofLines('chunked with blanks around', 'Transfer-Encoding:   chunked  '),
  ofLines('chunked with a comma behind', 'Transfer-Encoding: chunked,'),
  ofLines('chunked with a comma before', 'Transfer-Encoding: ,chunked'),
  ofLines('chunked with a parameter', 'Transfer-Encoding: chunked;a=b'),
  ofLines('chunked twice in a list', 'Transfer-Encoding: chunked, chunked'),
  ofLines('chunked in two fields', 'Transfer-Encoding: chunked', 'Transfer-Encoding: chunked'),
  ofLines('identity, chunked', 'Transfer-Encoding: identity, chunked'),
  ofLines('chunked, identity', 'Transfer-Encoding: chunked, identity'),
  ofLines('identity and chunked in two fields', 'Transfer-Encoding: identity', 'Transfer-Encoding: chunked'),
  ofLines('chunked and identity in two fields', 'Transfer-Encoding: chunked', 'Transfer-Encoding: identity'),
  ofLines('an unknown coding, chunked', 'Transfer-Encoding: odd, chunked'),
  ofLines('a length behind chunked', 'Transfer-Encoding: chunked', 'Content-Length: LENGTH'),
  ofLines('a length before chunked', 'Content-Length: LENGTH', 'Transfer-Encoding: chunked'),
  ofLines('a wrong length beside chunked', 'Content-Length: 3', 'Transfer-Encoding: chunked'),
  ofLines('two lengths beside chunked', 'Content-Length: 3', 'Transfer-Encoding: chunked', 'Content-Length: 4'),
  ofLines('a length of letters beside chunked', 'Content-Length: abc', 'Transfer-Encoding: chunked'),
  ofLines('length 0 beside chunked', 'Content-Length: 0', 'Transfer-Encoding: chunked'),
  chunked('sizes in capitals', { size: (n) => n.toString(16).toUpperCase() }),
  chunked('sizes with zeros in front', { size: (n) => `0000${n.toString(16)}` }),
  chunked('sizes with many zeros in front', { size: (n) => n.toString(16).padStart(24, '0') }),
  chunked('a blank behind sizes', { afterSize: ' \r\n' }),
  chunked('many blanks behind sizes', { afterSize: '      \r\n' }),
  chunked('a tab behind sizes', { afterSize: '\t\r\n' }),
  chunked('a blank before sizes', { size: (n) => ` ${n.toString(16)}` }),
  chunked('0x before sizes', { size: (n) => `0x${n.toString(16)}` }),
  chunked('extensions', { afterSize: ';a=b;c\r\n' }),
  chunked('extensions with blanks', { afterSize: ' ; a = "b c" ; d\r\n' }),
  chunked('extensions that are none', { afterSize: ';;;=\r\n' }),
  chunked('a long extension', { afterSize: `;a=${'b'.repeat(200)}\r\n` }),
  chunked('text behind sizes', { afterSize: ' abc\r\n' }),
  chunked('bare LF behind sizes', { afterSize: '\n' }),
  chunked('bare LF behind chunks', { afterChunk: '\n' }),
  chunked('bare LF everywhere', { afterSize: '\n', afterChunk: '\n', last: '0\n\n' }),
  chunked('CR CR LF behind sizes', { afterSize: '\r\r\n' }),
  chunked('trailers', { last: '0\r\nX-A: b\r\nX-C: d\r\n\r\n' }),
  chunked('odd trailers', { last: '0\r\nA b : c\r\n d\r\n\r\n' }),
  chunked('trailers that are none', { last: '0\r\nnonsense\r\n\r\n' }),
  chunked('last chunk of many zeros', { last: '00000\r\n\r\n' }),
  chunked('no line behind the last chunk', { last: '0\r\n' }),
  chunked('no line end behind the last chunk', { last: '0' }),
  chunked('no last chunk', { last: '' }),
  chunked('bytes behind the last chunk', { last: '0\r\n\r\nmore' }),
  chunked('a size of minus 1', { last: '-1\r\n\r\n' }),
  chunked('a size that is no number', { last: 'xyz\r\n\r\n' }),
  chunked('a size beyond 64 bits', { last: `${'f'.repeat(20)}\r\n` }),
];

export const framingVariants: readonly Variant[] = [...lengths, ...chunkings];
