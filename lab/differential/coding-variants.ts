/** Content codings as servers send them: lists, wrong words, streams that are damaged, cut, or in several members. */
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import type { Variant } from './draft.ts';

type Code = (body: Buffer) => Buffer;

const same: Code = (body) => body;
const gzip: Code = (body) => gzipSync(body);
const halves = (body: Buffer) => [body.subarray(0, body.length >> 1), body.subarray(body.length >> 1)] as const;
const members: Code = (body) => Buffer.concat(halves(body).map(gzip));
const behind =
  (code: Code, more: Buffer): Code =>
  (body) =>
    Buffer.concat([code(body), more]);
const cut =
  (code: Code, bytes: number): Code =>
  (body) =>
    code(body).subarray(0, -bytes);

/** A stream with one byte of its check sum changed. */
const wrongSum: Code = (body) => {
  const coded = Buffer.from(gzip(body));
  coded[coded.length - 6]! ^= 0xff;
  return coded;
};
/** All optional fields of a gzip header (RFC 1952 §2.3). */
const longHeader: Code = (body) => {
  const coded = gzip(body);
  const fields = Buffer.concat([Buffer.from([4, 0, 1, 2, 3, 4]), Buffer.from('name\0comment\0')]);
  return Buffer.concat([coded.subarray(0, 3), Buffer.from([0x1c]), coded.subarray(4, 10), fields, coded.subarray(10)]);
};

const coding = (name: string, code: Code, ...lines: string[]): Variant => ({
  dimension: 'coding',
  name,
  change: (draft) => {
    draft.code = code;
    draft.codingLines = lines;
  },
});
const says = (...values: string[]) => values.map((value) => `Content-Encoding: ${value}`);
const words = [
  'utf-8',
  'UTF-8',
  'none',
  'text/html',
  'iso-8859-1',
  'chunked',
  'binary',
  'odd',
  '*',
  '"gzip"',
  '8bit',
  'null',
];

export const codingVariants: readonly Variant[] = [
  coding('gzip', gzip, ...says('gzip')),
  coding('gzip in capitals', gzip, ...says('GZIP')),
  coding('x-gzip', gzip, ...says('x-gzip')),
  coding('gzip with blanks', gzip, ...says('  gzip  ')),
  coding('gzip with a comma behind', gzip, ...says('gzip,')),
  coding('gzip with a comma before', gzip, ...says(',gzip')),
  coding('gzip with a parameter', gzip, ...says('gzip;q=1')),
  coding('gzip, identity', gzip, ...says('gzip, identity')),
  coding('identity, gzip', gzip, ...says('identity, gzip')),
  coding('gzip and identity in two fields', gzip, ...says('gzip', 'identity')),
  coding('identity and gzip in two fields', gzip, ...says('identity', 'gzip')),
  coding('an empty field and gzip', gzip, ...says('', 'gzip')),
  coding('gzip said twice, done once', gzip, ...says('gzip', 'gzip')),
  coding('gzip, gzip said, done once', gzip, ...says('gzip, gzip')),
  coding('gzip, gzip', (body) => gzip(gzip(body)), ...says('gzip, gzip')),
  coding('gzip said once, done twice', (body) => gzip(gzip(body)), ...says('gzip')),
  coding('gzip not said', gzip),
  coding('gzip said, not done', same, ...says('gzip')),
  coding('br said, not done', same, ...says('br')),
  coding('deflate said, not done', same, ...says('deflate')),
  coding('gzip said, deflate done', (body) => deflateSync(body), ...says('gzip')),
  coding('deflate said, gzip done', gzip, ...says('deflate')),
  coding('deflate', (body) => deflateSync(body), ...says('deflate')),
  coding('deflate without its header', (body) => deflateRawSync(body), ...says('deflate')),
  coding('x-deflate', (body) => deflateSync(body), ...says('x-deflate')),
  coding('br', (body) => brotliCompressSync(body), ...says('br')),
  coding('br in capitals', (body) => brotliCompressSync(body), ...says('BR')),
  coding('br, gzip', (body) => gzip(brotliCompressSync(body)), ...says('br, gzip')),
  coding('deflate and gzip in two fields', (body) => gzip(deflateSync(body)), ...says('deflate', 'gzip')),
  coding('gzip, br', (body) => brotliCompressSync(gzip(body)), ...says('gzip, br')),
  coding('five times gzip', (body) => gzip(gzip(gzip(gzip(gzip(body))))), ...says('gzip, gzip, gzip, gzip, gzip')),
  coding('gzip of two members', members, ...says('gzip')),
  coding('gzip with an empty member behind', behind(gzip, gzipSync('')), ...says('gzip')),
  coding('gzip with an empty member before', (body) => Buffer.concat([gzipSync(''), gzip(body)]), ...says('gzip')),
  coding('gzip with all header fields', longHeader, ...says('gzip')),
  coding('gzip with zeros behind', behind(gzip, Buffer.alloc(64)), ...says('gzip')),
  coding('gzip with text behind', behind(gzip, Buffer.from('more text')), ...says('gzip')),
  coding('gzip with a line end behind', behind(gzip, Buffer.from('\r\n')), ...says('gzip')),
  coding('gzip with a wrong sum', wrongSum, ...says('gzip')),
  coding('gzip without its sum', cut(gzip, 8), ...says('gzip')),
  coding('gzip without half of its sum', cut(gzip, 4), ...says('gzip')),
  coding('gzip cut', cut(gzip, 30), ...says('gzip')),
  coding(
    'deflate without its sum',
    cut((body) => deflateSync(body), 4),
    ...says('deflate'),
  ),
  coding(
    'deflate with text behind',
    behind((body) => deflateSync(body), Buffer.from('more')),
    ...says('deflate'),
  ),
  coding(
    'br with text behind',
    behind((body) => brotliCompressSync(body), Buffer.from('more')),
    ...says('br'),
  ),
  coding(
    'br cut',
    cut((body) => brotliCompressSync(body), 8),
    ...says('br'),
  ),
  coding('an empty field', same, ...says('')),
  coding('identity', same, ...says('identity')),
  coding('identity twice', same, ...says('identity', 'identity')),
  ...words.map((word) => coding(`the word ${word}`, same, ...says(word))),
  ...words.slice(0, 5).map((word) => coding(`gzip, ${word}`, gzip, ...says(`gzip, ${word}`))),
];
