import assert from 'node:assert/strict';
import { test } from 'node:test';
import { numbers } from '../../../../lab/web/random.ts';
import { decidingLine, groupOf } from '../../../../services/hosting/inspect/robots-line.ts';
import { isAllowed, parseRobots } from '../../../../topology/robots/rules.ts';

const bytes = (text: string) => Buffer.from(text, 'utf8');
const site = 'http://a.org';

test('the deciding line is the most specific one of our group, wherever it stands', () => {
  const body = bytes(
    '\ufeffUser-agent: *\r\nDisallow: /\r\n\r\nUser-agent: other\nUser-agent: crawlstream # us\nDisallow: /p\nAllow: /p/ok\nDisallow: /*.pdf$\n\nUser-agent: crawlstream\nDisallow: /late\n',
  );
  const rows: [string, number | null, boolean][] = [
    ['/', null, true],
    ['/p/x', 6, false],
    ['/p/ok/x', 7, true],
    ['/a.pdf', 8, false],
    ['/later', 11, false],
    ['/robots.txt', null, true],
  ];
  for (const [path, line, allow] of rows) {
    const found = decidingLine(body, 'crawlstream', site + path);
    assert.equal(found?.line ?? null, line, path);
    assert.equal(found?.allow ?? true, allow, path);
  }
  assert.equal(decidingLine(body, 'crawlstream', `${site}/p/ok`)?.text, 'Allow: /p/ok');
  assert.equal(decidingLine(body, 'unknown', `${site}/p/ok`)?.line, 2);
});

test('the group is our own, everyone’s, or none', () => {
  assert.equal(groupOf(bytes('user-agent: *\ndisallow: /x'), 'crawlstream'), '*');
  assert.equal(groupOf(bytes('user-agent: *\nuser-agent: crawlstream\ndisallow: /x'), 'crawlstream'), 'crawlstream');
  assert.equal(groupOf(bytes('user-agent: crawlstream'), 'crawlstream'), 'crawlstream');
  assert.equal(groupOf(bytes('user-agent: other\ndisallow: /x'), 'crawlstream'), null);
  assert.equal(groupOf(bytes('<html>'), 'crawlstream'), null);
});

test('the line’s verdict equals the crawler’s verdict on any file', () => {
  const next = numbers(7);
  const pick = <T>(from: readonly T[]): T => from[next() % from.length]!;
  const lines = ['User-agent: *', 'User-agent: crawlstream', 'User-agent: x', '', 'Crawl-delay: 2', '# no', 'Allow:'];
  const rules = [
    'Disallow: /a',
    'Allow: /a/b',
    'disallow: /*b',
    'Allow: /a*c$',
    'Disallow /ab',
    'Disallow: /',
    'allow: /b$',
  ];
  for (let round = 0; round < 300; round++) {
    const text = Array.from({ length: next() % 14 }, () => pick(next() % 2 === 0 ? lines : rules)).join('\n');
    for (const path of ['/', '/a', '/a/b', '/ab', '/a/b/c', '/b']) {
      const allowed = isAllowed(parseRobots(bytes(text), 'crawlstream', site), site + path);
      const line = decidingLine(bytes(text), 'crawlstream', site + path);
      assert.equal(line?.allow ?? true, allowed, `${path} in\n${text}`);
      if (line !== null) assert.equal(/^allow/i.test(line.text), line.allow, `${path} in\n${text}`);
    }
  }
});
