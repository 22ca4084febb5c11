import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isAllowed, parseRobots } from '../../../topology/robots/rules.ts';
import { compileUsage, robotsUsage } from '../../../topology/usage/robots-usage.ts';

/** What a robots.txt says of a path to `token`, as `use:preference`. */
function says(robots: string, path: string, token = 'examplebot'): string[] {
  const rules = parseRobots(Buffer.from(robots), token, 'http://a.test/robots.txt');
  return robotsUsage(compileUsage(rules), `http://a.test${path}`).map(({ use, preference }) => `${use}:${preference}`);
}

const draft = `User-Agent: *
Allow: /
Disallow: /never/
Content-Usage: train-ai=n
Content-Usage: /ai-ok/ train-ai=y

User-Agent: ExampleBot
Allow: /
Content-Usage: train-ai=y
`;

test("the draft's example means what the draft says (draft-ietf-aipref-attach-05 §3.4)", () => {
  assert.deepEqual(says(draft, '/test', 'other'), ['ai-train:deny']);
  assert.deepEqual(says(draft, '/ai-ok/test', 'other'), ['ai-train:allow']);
  assert.deepEqual(says(draft, '/never/test', 'ExampleBot'), ['ai-train:allow']);
});

test('the longest matching pattern decides alone, rules of one pattern add up, and order does not matter', () => {
  const robots = `user-agent: *
content-usage: /a/b* train-ai=n
content-usage: /a/ train-ai=y, search=y
content-usage: /a/ search=n
content-usage: /*.pdf$ train-ai=n
content-usage: /caf%c3%a9 search=n
`;
  assert.deepEqual(says(robots, '/a/x'), ['search:allow', 'search:deny', 'ai-train:allow']);
  assert.deepEqual(says(robots, '/a/b/c'), ['ai-train:deny']);
  assert.deepEqual(says(robots, '/x.pdf'), ['ai-train:deny']);
  assert.deepEqual(says(robots, '/x.pdf?y'), []);
  assert.deepEqual(says(robots, '/caf\u00e9'), ['search:deny']);
  assert.deepEqual(says(robots, '/other'), []);
});

test('Content-Signal is read beside Content-Usage, and License for every group', () => {
  const robots = `License: https://a.test/license.xml
License: license.xml
User-agent: *
Content-Signal: search=yes, ai-train=no
Content-Usage: train-ai=y
Disallow: /x
`;
  assert.deepEqual(says(robots, '/'), ['ai-train:allow', 'search:allow', 'ai-train:deny', 'licence:terms']);
});

test('a licence needs no other usage statement, and is an absolute web URL', () => {
  for (const bad of ['https://', 'ftp://a.test/license.xml', '/license.xml'])
    assert.deepEqual(says(`License: ${bad}\nUser-agent: *\nDisallow: /x\n`, '/'), [], bad);
  assert.deepEqual(says('License: http://a.test/l\nUser-agent: *\nDisallow: /x\n', '/'), ['licence:terms']);
});

test('a statement repeats its line of the robots.txt', () => {
  const robots = 'user-agent: *\ncontent-usage: /a train-ai=n\ncontent-signal: /a search=no\n';
  const rules = parseRobots(Buffer.from(robots), 'examplebot', '');
  assert.deepEqual(
    robotsUsage(compileUsage(rules), 'http://a.test/a').map(({ said }) => said),
    ['Content-Usage: /a train-ai=n', 'Content-Signal: /a search=no'],
  );
});

test('an unreadable rule allows nothing that a wider one bars', () => {
  const robots = `user-agent: *
content-usage: train-ai=n
content-usage: /a train-ai=Y, search=y
content-usage: /b/
content-usage: /c train-ai=y, Search=y
content-usage: /d search=y
content-signal: ai-input=no
content-signal: /a ai-input=perhaps
`;
  assert.deepEqual(says(robots, '/a'), ['search:allow', 'ai-train:deny', 'ai-input:deny']);
  assert.deepEqual(says(robots, '/b/'), ['ai-train:deny', 'ai-input:deny'], 'a path alone is no preference');
  assert.deepEqual(says(robots, '/c'), ['ai-train:deny', 'ai-input:deny'], 'a mistake anywhere is one in all of it');
  assert.deepEqual(says(robots, '/d'), ['search:allow', 'ai-input:deny'], 'what can be read says it all');
});

test('a usage line ends no group for fetching, and applies to the user agents right above it', () => {
  const robots = `User-agent: examplebot
Content-Usage: train-ai=n
User-agent: other
Content-Usage: train-ai=y
Crawl-delay: 7
Disallow: /x
`;
  assert.deepEqual(says(robots, '/'), ['ai-train:deny']);
  assert.deepEqual(says(robots, '/', 'other'), ['ai-train:allow']);
  for (const token of ['examplebot', 'other']) {
    const rules = parseRobots(Buffer.from(robots), token, '');
    assert.equal(isAllowed(rules, 'http://a.test/x'), false, token);
    assert.equal(rules.crawlDelayMs, 7_000, token);
  }
});

test('rules beyond the bound bar for every path, and allow nothing', () => {
  const many = Array.from({ length: 1_000 }, (_, i) => `content-usage: /${i} search=y`).join('\n');
  const robots = `user-agent: *\n${many}\ncontent-usage: /late train-ai=n, search=y\n`;
  assert.deepEqual(says(robots, '/late'), ['ai-train:deny']);
  assert.deepEqual(says(robots, '/7'), ['search:allow', 'ai-train:deny']);
});
