import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { readForReferee, refereeVerdict } from '../../../../topology/extras/audit/robots-referee.ts';
import { isAllowed, parseRobots } from '../../../../topology/robots/rules.ts';
import { corporaSkip, corpusFile } from '../../../conformance/corpora.ts';

const said = (text: string, path: string, token = 'crawlstream') =>
  refereeVerdict(readForReferee(Buffer.from(text), token), `http://a.test${path}`);

test('the longest rule wins, allow wins a tie, and the default is allow', () => {
  const text =
    'User-agent: *\nDisallow: /private/\nAllow: /private/open/\nDisallow: /*.secret$\nDisallow: /a\nAllow: /a';
  assert.equal(said(text, '/private/x').by?.line, 'Disallow: /private/');
  assert.equal(said(text, '/private/open/x').allowed, true);
  assert.equal(said(text, '/files/b.secret').allowed, false);
  assert.equal(said(text, '/files/b.secret?c').allowed, true);
  assert.equal(said(text, '/a').allowed, true);
  assert.deepEqual(said(text, '/elsewhere'), { allowed: true, by: null });
  assert.equal(said('User-agent: *\nDisallow: /', '/robots.txt').allowed, true);
});

test('groups that name us are merged, and those for all count only without any of them', () => {
  const text =
    'User-agent: *\nDisallow: /\n\nUser-agent: CrawlStream/2\nDisallow: /x\nUser-agent: other\nUser-agent: crawlstream\nDisallow: /y\nCrawl-delay: 2.5';
  assert.deepEqual(
    ['/x', '/y', '/z'].map((path) => said(text, path).allowed),
    [false, false, true],
  );
  assert.equal(readForReferee(Buffer.from(text), 'crawlstream').crawlDelayMs, 2_500);
  assert.equal(said(text, '/z', 'somebody').allowed, false);
});

test('octets compare by meaning, escaped or not', () => {
  const text = 'User-agent: *\nDisallow: /%7euser\nDisallow: /caf%c3%a9\nDisallow: /a%2Fb\nDisallow: /star%2a';
  assert.deepEqual(
    ['/~user/1', '/%7Euser', '/caf\u00e9', '/a/b', '/a%2fb', '/star*'].map((path) => said(text, path).allowed),
    [false, false, false, true, false, false],
  );
});

test('a hostile file takes no noticeable time', () => {
  const body = `User-agent: *\n${`Disallow: /${'*a'.repeat(500)}$\n`.repeat(200)}${' '.repeat(200_000)}x`;
  const rules = readForReferee(Buffer.from(body), 'crawlstream');
  assert.equal(refereeVerdict(rules, `http://a.test/${'a'.repeat(400)}b`).allowed, true);
});

test('two parsers of the same files agree', { skip: corporaSkip }, () => {
  let compared = 0;
  for (const line of readFileSync(corpusFile('robots.jsonl'), 'utf8').trim().split('\n')) {
    const { kind, robots, robots_b64, ua, url, expected, ...about } = JSON.parse(line);
    if (kind !== 'allowed' || about.class !== 'core' || (robots ?? robots_b64) === undefined) continue;
    const body = robots === undefined ? Buffer.from(robots_b64, 'base64') : Buffer.from(robots);
    const { allowed } = refereeVerdict(readForReferee(body, ua), url);
    assert.equal(allowed, isAllowed(parseRobots(body, ua, 'http://a.test/robots.txt'), url), about.id);
    assert.equal(allowed, expected, about.id);
    compared += 1;
  }
  assert.ok(compared > 500, `${compared} compared`);
});

test('the audit reads as much of a long file as crawls do: 500 KiB, without a line that may be cut', () => {
  const bytesMax = 500 * 1024;
  const head = 'User-agent: *\nDisallow: /first\n';
  for (const end of ['Disallow: /', 'Disallow: /last\r']) {
    for (const more of [-1, 0, 1]) {
      const filling = `#${'x'.repeat(bytesMax + more - head.length - end.length - 2)}\n`;
      const body = Buffer.from(`${head}${filling}${end}`);
      const [ours, referee] = [parseRobots(body, 'bot', 'http://a.test/robots.txt'), readForReferee(body, 'bot')];
      for (const url of ['http://a.test/first', 'http://a.test/last', 'http://a.test/other'])
        assert.equal(refereeVerdict(referee, url).allowed, isAllowed(ours, url), `${more} bytes beyond: ${url}`);
    }
  }
});
