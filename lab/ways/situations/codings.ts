/** Content codings, whole and cut. */
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { html, ok, pageOutcome, pageText } from './answers.ts';
import type { Situation } from './situation.ts';

type Code = (body: Buffer) => Buffer;

const plain = Buffer.from(pageText());
const same: Code = (body) => body;
const gzip: Code = (body) => gzipSync(body);
const cut =
  (code: Code): Code =>
  (body) =>
    code(body).subarray(0, -40);
const members: Code = (body) => Buffer.concat([gzip(body.subarray(0, 100)), gzip(body.subarray(100))]);

const coding = (name: string, said: readonly string[], code: Code, expects = 'fetched 200, whole'): Situation => ({
  ...{ group: 'coding', name, expects },
  page: [ok({ fields: [html, ...said.map((value) => ['Content-Encoding', value] as const)], body: code(plain) })],
  outcomeOf: pageOutcome,
});

export const codings: readonly Situation[] = [
  coding('gzip', ['gzip'], gzip),
  coding('x-gzip', ['x-gzip'], gzip),
  coding('gzip in two members', ['gzip'], members),
  coding('gzip with zeros behind', ['gzip'], (body) => Buffer.concat([gzip(body), Buffer.alloc(50)])),
  coding('deflate', ['deflate'], (body) => deflateSync(body)),
  coding('deflate without its header', ['deflate'], (body) => deflateRawSync(body)),
  coding('br', ['br'], (body) => brotliCompressSync(body)),
  coding('br in gzip', ['br, gzip'], (body) => gzip(brotliCompressSync(body))),
  coding('deflate in gzip, in two fields', ['deflate', 'gzip'], (body) => gzip(deflateSync(body))),
  coding('identity', ['identity'], same),
  coding('an unknown word', ['utf-8'], same),
  coding('gzip, not done', ['gzip'], same),
  coding('gzip, cut', ['gzip'], cut(gzip), 'fetched 200, a part, marked as cut'),
  coding(
    'deflate, cut',
    ['deflate'],
    cut((body) => deflateSync(body)),
    'fetched 200, a part, marked as cut',
  ),
  coding(
    'br, cut',
    ['br'],
    cut((body) => brotliCompressSync(body)),
    'fetched 200, no text, marked as cut',
  ),
  coding('gzip without its sum', ['gzip'], (body) => gzip(body).subarray(0, -8), 'fetched 200, whole'),
];
