import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { type Ended, lastJson, runCommand } from '../../../../lab/process/command.ts';
import { defaultPolicy } from '../../../../topology/policy/policy.ts';
import { temporaryFolder } from '../../runtime/store/temporary-folder.ts';

const folder = temporaryFolder();
const asked: string[] = [];
const server = createServer((request, response) => {
  asked.push(request.url ?? '');
  if (request.url === '/robots.txt') {
    response.end('User-agent: crawlstream\nDisallow: /no\nCrawl-delay: 3\nSitemap: /map.xml\n');
  } else if (request.url === '/moved') {
    response.writeHead(301, { Location: '/page' }).end();
  } else {
    response.setHeader('Content-Type', 'text/html; charset=iso-8859-1');
    response.setHeader('X-Robots-Tag', 'noindex');
    response.end(
      '<title>A p\xe4ge</title><link rel=canonical href=/c><p>Some text <a href=b?x>b</a><a href=//c.org>c',
      'latin1',
    );
  }
});
let origin = '';

before(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
after(() => server.close());

function write(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

async function json(...args: string[]): Promise<Record<string, unknown>> {
  const ended = await runCommand(['check', ...args, '--json']);
  assert.equal(ended.code, 0, ended.stderr);
  assert.equal(ended.stdout.trimEnd().split('\n').length, 1);
  return lastJson(ended);
}

function assertRefused({ code, stdout, stderr }: Ended, says: RegExp): void {
  assert.match(stderr, says);
  assert.equal(stderr.trimEnd().split('\n').length, 1, stderr);
  assert.equal(stdout, '');
  assert.equal(code, 2);
}

test('check url prints the normal form, the key and each step', async () => {
  const messy =
    'HTTP://user:pw@WWW.Example.COM.:80//x/../%62//./%7efoo/;jsessionid=AB12?utm_source=x&b=2&&PHPSESSID=1&a=1&gclid=2#!top';
  const { url, key, steps } = await json('url', messy);
  assert.equal(url, 'http://www.example.com/b/~foo/?a=1&b=2');
  assert.equal(key, url);
  const chain = steps as { step: string; before: string; after: string }[];
  assert.equal(chain[0]!.before, messy);
  assert.equal(chain.at(-1)!.after, url);
  for (const [at, { before }] of chain.entries()) if (at > 0) assert.equal(before, chain[at - 1]!.after);
  assert.ok(chain.some(({ step }) => step === 'trackingParameters'));
  const keyed = await json('url', 'example.org/?q=a+b&q=a+b&n=');
  assert.equal(keyed['url'], 'https://example.org/?n=&q=a+b&q=a+b');
  assert.equal(keyed['key'], 'https://example.org/?n&q=a%20b');
  const names = (keyed['steps'] as { step: string }[]).map(({ step }) => step);
  assert.deepEqual(names.slice(-3), ['key.plusSpaces', 'key.emptyValues', 'key.repeatedParameters']);
});

test('check filter names the rule, from options and from a policy with lists', async () => {
  const scoped = await json('filter', 'http://b.org/x', '--seed', 'https://a.org', '--depth', '1');
  assert.deepEqual(scoped, {
    url: 'http://b.org/x',
    admitted: false,
    rule: 'scope',
    detail: 'b.org',
    policyVersion: 1,
  });
  const list = write('bad.txt', '# ours\nevil.example\n\nworse.example\n');
  const { sha256, entries } = await json('list', list, '--kind', 'domains');
  assert.equal(entries, 2);
  const base = defaultPolicy();
  const lists = [{ name: 'ours', kind: 'domains', verdict: 'deny', path: 'bad.txt', sha256 }];
  const metadata = [{ name: 'no far redirects', hopFrom: 2 }];
  const policy = write(
    'policy.json',
    JSON.stringify({ ...base, version: 7, filters: { ...base.filters, lists }, metadata }),
  );
  const denied = await json('filter', 'http://www.evil.example/', '--policy', policy);
  assert.deepEqual([denied['rule'], denied['detail'], denied['policyVersion']], ['ours', 'evil.example', 7]);
  assert.equal((await json('filter', 'http://a.org/', '--policy', policy, '--hop', '2'))['detail'], 'no far redirects');
  assert.deepEqual(await json('filter', 'http://A.org:80/b', '--policy', policy), {
    url: 'http://a.org/b',
    admitted: true,
    hostKey: 'a.org',
    frontQueue: 0,
    overlays: [],
    policyVersion: 7,
  });
  writeFileSync(list, 'other.example\n');
  assertRefused(
    await runCommand(['check', 'filter', 'http://a.org/', '--policy', policy]),
    /filters\.lists "ours": \S*bad\.txt has the SHA-256 .*; restore that file, or set a policy with its new hash/,
  );
});

test('check robots fetches under the address guard and names the deciding line', async () => {
  assertRefused(await runCommand(['check', 'page', `${origin}/page`]), /not public; add --allow-private/);
  const guarded = await json('robots', `${origin}/no/x`);
  assert.equal(guarded['allowed'], false);
  assert.match(String(guarded['because']), /cannot be reached/);
  assert.deepEqual(asked, []);
  const elsewhere = await json('robots', `${origin}/no/x`, '--allow-private=10.0.0.0/8,::1');
  assert.deepEqual([elsewhere['because'], asked], [guarded['because'], []], 'other networks are none of these');
  assert.equal((await json('robots', `${origin}/no/x`, '--allow-private', '127.0.0.0/8'))['status'], 200);
  const answer = await json('robots', `${origin}/no/x`, '--allow-private');
  assert.deepEqual(answer, {
    url: `${origin}/no/x`,
    robotsUrl: `${origin}/robots.txt`,
    status: 200,
    allowed: false,
    because: 'a rule matches',
    line: 2,
    rule: 'Disallow: /no',
    group: 'crawlstream',
    crawlDelaySeconds: 3,
    sitemaps: [`${origin}/map.xml`],
    uses: [],
  });
});

test('check robots reads a file, for any agent', async () => {
  const file = write('robots.txt', 'User-agent: *\nDisallow: /\nUser-agent: crawlstream\nDisallow: /b\n');
  assert.equal((await json('robots', 'http://a.org/c', '--file', file))['allowed'], true);
  const other = await json('robots', 'http://a.org/c', '--file', file, '--agent', 'other');
  assert.deepEqual([other['allowed'], other['line'], other['group']], [false, 2, '*']);
  const { stdout } = await runCommand(['check', 'robots', 'http://a.org/b/c', '--file', file]);
  assert.match(stdout, /verdict +denied: a rule matches\nrule +line 4: Disallow: \/b\n/);
});

test('check page shows a fetched page’s content, unless robots.txt denies it', async () => {
  const page = await json('page', `${origin}/dir/page`, '--allow-private');
  assert.equal(page['title'], 'A päge');
  assert.deepEqual(page['links'], [`${origin}/c`, `${origin}/dir/b?x`, 'http://c.org/']);
  assert.deepEqual([page['noindex'], page['nofollow'], page['canonical']], [true, false, `${origin}/c`]);
  assert.match(String(page['text']), /Some text/);
  const before = asked.length;
  assertRefused(await runCommand(['check', 'page', `${origin}/no`, '--allow-private']), /its robots\.txt disallows it/);
  assert.deepEqual(asked.slice(before), ['/robots.txt']);
  assert.equal((await json('page', `${origin}/moved`, '--allow-private'))['redirectUrl'], `${origin}/page`);
});

test('check page reads a file, with links relative to the given URL', async () => {
  const file = write('page.html', '<meta charset=utf-8><meta name=robots content=nofollow><title>Ünder</title>');
  const { stdout, code } = await runCommand(['check', 'page', '--file', file, '--url', 'example.org/a/']);
  assert.equal(code, 0);
  assert.match(stdout, /^url +https:\/\/example\.org\/a\/\n/);
  assert.match(stdout, /title +Ünder\n/);
  assert.match(stdout, /directives +nofollow\n/);
});

test('check score shows each factor, and by default the front queue of depth and spelling', async () => {
  assert.equal((await json('score', 'http://a.org/b?c=1', '--depth', '2'))['frontQueue'], 3);
  const known = await json(
    'score',
    'http://a.org/b?c=1',
    '--depth',
    '2',
    '--in-links',
    '900',
    '--linking-domains',
    '800',
  );
  assert.ok(Number(known['frontQueue']) < 3);
  const { stdout } = await runCommand(['check', 'score', 'http://a.org/b']);
  assert.match(stdout, /front queue +0 of 0 \(first\) to 7\n {2}domain +unknown +weight 0\.3\n/);
});

test('invalid input of a checker is one line that names it and the remedy', async () => {
  const rows: [string[], RegExp][] = [
    [['url', 'ftp://a.org/'], /url "ftp:\/\/a\.org\/": its scheme is not supported; write an http or https URL/],
    [
      ['filter', 'http://a.org/', '--policy', join(folder, 'none.json')],
      /--policy .*none\.json: there is no such file/,
    ],
    [['robots'], /url "": name a URL, or a robots\.txt with --file/],
    [['robots', 'http://a.org/', '--agent', 'A B'], /--agent "A B": give a product token/],
    [['score', 'http://a.org/', '--changed-share', '2'], /--changed-share "2": give a number from 0 to 1/],
    [['page'], /url "": give a URL to fetch, or a saved page with --file/],
  ];
  const ended = await Promise.all(rows.slice(0, 3).map(([args]) => runCommand(['check', ...args])));
  ended.push(...(await Promise.all(rows.slice(3).map(([args]) => runCommand(['check', ...args])))));
  for (const [at, [, says]] of rows.entries()) assertRefused(ended[at]!, says);
});
