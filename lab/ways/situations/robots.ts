/** robots.txt of each outcome, and which pages of its host are then fetched. */
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { answer, broken, empty, ok, robotsText, text, times } from './answers.ts';
import type { Answer, Seen, Situation } from './situation.ts';

const rules = 'User-agent: *\nAllow: /public\nDisallow: /private\n';
const kept = robotsText(rules);
const coded = (coding: string, body: Buffer): Answer => ok({ fields: [text, ['Content-Encoding', coding]], body });

/** `open`: all is fetched; `rules`: what they allow; `closed`: nothing. */
function openness(seen: Seen): string {
  const [allowed, denied] = [times(seen, '/public'), times(seen, '/private')];
  if (denied > 0) return 'open';
  return allowed > 0 ? 'rules' : 'closed';
}

const robots = (
  name: string,
  answers: readonly Answer[],
  expects: string,
  more: Partial<Situation> = {},
): Situation => ({
  ...{ group: 'robots.txt', name, robots: answers, expects, page: [ok()], seeds: ['/public', '/private'] },
  ...{ paths: { '/public': [ok()], '/private': [ok()] }, outcomeOf: openness, ...more },
});
const redirected = (target: Answer, status = 301): Partial<Situation> & { readonly robots: readonly Answer[] } => ({
  robots: [empty(status, ['Location', '/other.txt'])],
  paths: { '/public': [ok()], '/private': [ok()], '/other.txt': [target] },
});
const long = robotsText(`${'# a comment\n'.repeat(50_000)}${rules}`);

export const robotsFiles: readonly Situation[] = [
  robots('rules', [kept], 'rules'),
  robots('rules in chunks', [{ ...kept, framing: 'chunks' }], 'rules'),
  robots('rules up to the close', [{ ...kept, framing: 'close' }], 'rules'),
  robots('an empty file', [robotsText('')], 'open'),
  robots('as HTML', [ok({ body: Buffer.from('<!doctype html><title>No such file</title>') })], 'open'),
  robots('a byte order mark', [robotsText(`\ufeff${rules}`)], 'rules'),
  robots('rules behind 500 KiB', [long], 'open'),
  robots('gzip', [coded('gzip', gzipSync(rules))], 'rules'),
  robots('gzip, cut', [coded('gzip', gzipSync(rules).subarray(0, -12))], 'closed'),
  robots('br', [coded('br', brotliCompressSync(Buffer.from(rules)))], 'rules'),
  robots('br, cut', [coded('br', brotliCompressSync(Buffer.from(rules)).subarray(0, -6))], 'closed'),
  ...[204, 400, 401, 403, 404, 405, 408, 410, 418, 425, 451].map((code) => robots(`${code}`, [empty(code)], 'open')),
  ...[206, 304].map((code) =>
    robots(
      `${code} that nobody asked for`,
      [answer(code, code === 206 ? { ...kept, status: 206 } : { body: Buffer.alloc(0) })],
      'closed',
    ),
  ),
  ...[429, 500, 501, 502, 503, 504, 599].map((code) => robots(`${code}`, [empty(code)], 'closed')),
  ...[408, 425].map((code) => robots(`${code}, then rules`, [empty(code), kept], 'rules')),
  robots('moved to rules', [], 'rules', redirected(kept)),
  robots('moved for a while to rules', [], 'rules', redirected(kept, 302)),
  robots('moved to none', [], 'open', redirected(empty(404))),
  robots('moved to an error', [], 'closed', redirected(empty(500))),
  robots('moved to itself', [empty(301, ['Location', '/robots.txt'])], 'open'),
  robots('moved without Location', [empty(301)], 'open'),
  ...(['before the head', 'in the head', 'behind the head', 'in a chunk', 'before the last chunk'] as const).flatMap(
    (at) =>
      (['close', 'reset'] as const).map((by) =>
        robots(`cut ${at}, by a ${by}`, [broken(at, by, { ...kept, framing: 'chunks' })], 'closed'),
      ),
  ),
  robots('silence before the head', [broken('before the head', 'silence', kept)], 'closed', { isSlow: true }),
  robots('silence in the body', [broken('in a chunk', 'silence', kept)], 'closed', { isSlow: true }),
];
