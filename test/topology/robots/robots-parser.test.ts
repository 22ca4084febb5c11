/**
 * Our rules beside `robots-parser`, the package usually taken on Node (docs/decisions/0001-own-robots-rules.md).
 *
 * Where the two differ, a third reading decides: the cases of other projects where they are beside the checkout, and
 * `topology/extras/audit/robots-referee.ts`, which shares no code with either, on files made at random.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import robotsParser from 'robots-parser';
import { numbers } from '../../../lab/web/random.ts';
import { readForReferee, refereeVerdict } from '../../../topology/extras/audit/robots-referee.ts';
import { isAllowed, parseRobots } from '../../../topology/robots/rules.ts';
import { corpusFile, corporaSkip as skip } from '../../conformance/corpora.ts';

interface Case {
  readonly kind: string;
  readonly class: string;
  readonly robots?: string;
  readonly robots_b64?: string;
  readonly ua: string;
  readonly url: string;
  readonly expected: boolean;
}

function byOurs(body: Uint8Array, agent: string, url: string): boolean {
  return isAllowed(parseRobots(body, agent, new URL('/robots.txt', url).href), url);
}

/** It has no word for a host that its file is not of: no rule is a yes. */
function byPackage(body: Uint8Array, agent: string, url: string): boolean {
  const read = robotsParser as unknown as (at: string, text: string) => { isAllowed(url: string, ua: string): boolean };
  return read(new URL('/robots.txt', url).href, Buffer.from(body).toString()).isAllowed(url, agent) ?? true;
}

it('on other projects’ cases of RFC 9309 ours is always right, and the package robots-parser sometimes not', {
  skip,
}, (t) => {
  const cases = readFileSync(corpusFile('robots.jsonl'), 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Case)
    .filter(({ kind, class: of, url }) => kind === 'allowed' && of === 'core' && URL.canParse(url))
    .filter(({ robots, robots_b64 }) => robots !== undefined || robots_b64 !== undefined);
  assert.ok(cases.length > 500, `${cases.length} cases`);
  const wrong = { ours: 0, package: 0 };
  for (const { robots, robots_b64: base64, ua, url, expected } of cases) {
    const body = base64 === undefined ? Buffer.from(robots!) : Buffer.from(base64, 'base64');
    if (byOurs(body, ua, url) !== expected) wrong.ours += 1;
    if (byPackage(body, ua, url) !== expected) wrong.package += 1;
  }
  t.diagnostic(`robots-parser is wrong in ${wrong.package} of ${cases.length} cases, ours in ${wrong.ours}`);
  assert.equal(wrong.ours, 0);
  assert.ok(wrong.package > 0, 'the package has been mended: look at the decision again');
});

describe('our parser follows the RFC where the package departs from it', () => {
  const cases: readonly (readonly [section: string, file: string, path: string, allowed: boolean])[] = [
    ['§2.2.2, an escape that need not be one is the character', 'User-agent: *\nDisallow: /%61', '/a', false],
    ['§2.2.2, and so it is in the path', 'User-agent: *\nDisallow: /a', '/%61', false],
    [
      '§2.2.1, another record does not end a run of user-agents',
      'User-agent: a\nSitemap: /s\nUser-agent: b\nDisallow: /',
      '/x',
      false,
    ],
  ];
  for (const [section, file, path, allowed] of cases) {
    it(section, () => {
      const agent = file.includes('b') ? 'a' : 'bot';
      const url = `http://a.test${path}`;
      assert.equal(byOurs(Buffer.from(file), agent, url), allowed);
      assert.notEqual(byPackage(Buffer.from(file), agent, url), allowed, 'the package has been mended');
    });
  }
});

/** Small files of few words, so that groups, rules and paths meet. */
function randomFile(next: () => number): { readonly file: string; readonly paths: readonly string[] } {
  const pick = <T>(list: readonly T[]) => list[next() % list.length]!;
  const part = () => pick(['a', 'b', 'ab', '*', 'a*b', '%41', '%2F', 'ä', '$', 'a$', '?q=', '.html']);
  const path = () => `/${Array.from({ length: next() % 3 }, part).join(pick(['', '/']))}`;
  const line = () =>
    pick([
      () => `User-agent: ${pick(['*', 'bot', 'other', 'Bot/1.0'])}`,
      () => `${pick(['Disallow', 'Allow', 'disallow', 'ALLOW'])}: ${path()}`,
      () => `Disallow: ${path()} # why`,
      () => `Disallow:`,
      () => `Crawl-delay: ${next() % 9}`,
      () => '',
      () => '# nothing',
    ])();
  const file = Array.from({ length: 2 + (next() % 9) }, line).join(pick(['\n', '\r\n']));
  const paths = Array.from({ length: 5 }, () => path().replaceAll('*', 'x').replaceAll('$', ''));
  return { file, paths };
}

it('on random files our parser and the referee agree, even if the package robots-parser disagrees', (t) => {
  const next = numbers(9309);
  const asked = { questions: 0, differing: 0 };
  for (let file = 0; file < 3_000; file++) {
    const made = randomFile(next);
    const body = Buffer.from(made.file);
    for (const path of made.paths) {
      const url = new URL(`http://a.test${path}`).href;
      const ours = byOurs(body, 'bot', url);
      const { allowed } = refereeVerdict(readForReferee(body, 'bot'), url);
      assert.equal(ours, allowed, `${JSON.stringify(made.file)} for ${url}`);
      asked.questions += 1;
      if (byPackage(body, 'bot', url) !== ours) asked.differing += 1;
    }
  }
  t.diagnostic(`robots-parser says otherwise in ${asked.differing} of ${asked.questions} questions`);
  assert.ok(asked.differing < asked.questions / 5, 'far apart: a reading of the file is at fault');
});
