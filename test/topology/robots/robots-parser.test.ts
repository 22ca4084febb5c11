/**
 * Our rules beside `robots-parser`, the package usually taken on Node (docs/decisions/0001-own-robots-rules.md).
 *
 * Where the two differ, a third reading decides: the cases of other projects where they are beside the checkout. On files
 * made at random the audit's referee decides (test/topology/extras/audit/random-robots.test.ts).
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { corpusFile, corporaSkip as skip } from '../../conformance/corpora.ts';
import { byOurs, byPackage } from './two-parsers.ts';

interface Case {
  readonly kind: string;
  readonly class: string;
  readonly robots?: string;
  readonly robots_b64?: string;
  readonly ua: string;
  readonly url: string;
  readonly expected: boolean;
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
