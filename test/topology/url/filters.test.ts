import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CrawlstreamError } from '../../../topology/errors.ts';
import { compileFilters, type FilterConfig } from '../../../topology/url/filters.ts';

/** The verdict as `rule detail`, or '' for none. */
function verdict(config: Partial<FilterConfig>, url: string, depth = 0, maxDepth: number | null = null): string {
  const found = compileFilters(config, maxDepth)(url, depth);
  return found === null ? '' : `${found.rule} ${found.detail}`;
}

test('by default pages pass and files do not', () => {
  for (const url of [
    'http://a.org/',
    'http://a.org/b.html',
    'https://a.org/b.php?f=x.jpg',
    'http://a.org/v1.2/',
    'http://zip/',
  ]) {
    assert.equal(verdict({}, url), '', url);
  }
  assert.equal(verdict({}, 'http://a.org/b.JPG?x=1'), 'extension .jpg');
  assert.equal(verdict({}, 'http://a.org/c/b.tar.gz'), 'extension .gz');
  assert.equal(verdict({ extensionsDenied: [] }, 'http://a.org/b.jpg'), '');
  assert.equal(verdict({}, 'http://a.org/whois/example.com'), '', 'a host name at the end of a path is no program');
});

test('the filters of scheme, length and depth name themselves', () => {
  assert.equal(verdict({ schemes: ['https'] }, 'http://a.org/'), 'scheme http');
  assert.equal(verdict({ schemes: ['http'] }, 'https://a.org/'), 'scheme https');
  assert.equal(verdict({}, 'ftp://a.org/'), 'scheme ftp');
  assert.equal(verdict({ urlCharsMax: 14 }, 'http://a.org/bc'), 'length 15 > 14');
  assert.equal(verdict({}, 'http://a.org/', 3, 2), 'depth 3 > 2');
  assert.equal(verdict({}, 'http://a.org/', 2, 2), '');
});

test('deny lists name the entry, allow lists the host', () => {
  const config = {
    hostsDenied: ['x.org', 'y.org:81'],
    domainsDenied: ['Z.org'],
    domainsAllowed: ['org'],
    hostsAllowed: ['a.com'],
  };
  assert.equal(verdict(config, 'http://x.org:8080/'), 'hostsDenied x.org');
  assert.equal(verdict(config, 'http://y.org:81/'), 'hostsDenied y.org:81');
  assert.equal(verdict(config, 'http://y.org/'), '');
  assert.equal(verdict(config, 'http://www.z.org/'), 'domainsDenied z.org');
  assert.equal(verdict(config, 'http://az.org/'), '');
  assert.equal(verdict(config, 'http://a.com/'), '');
  assert.equal(verdict(config, 'http://b.com/'), 'hostsAllowed b.com');
});

test('of prefixes and patterns one allowed must match, and no denied one', () => {
  const prefixes = {
    prefixesAllowed: ['http://a.org/b/', 'http://a.org/docs'],
    prefixesDenied: ['http://a.org/b/private'],
  };
  assert.equal(verdict(prefixes, 'http://a.org/b/c'), '');
  assert.equal(verdict(prefixes, 'http://a.org/b/private/c'), 'prefixesDenied http://a.org/b/private');
  assert.equal(verdict(prefixes, 'http://a.org/c'), 'prefixesAllowed no prefix matches');
  const patterns = { include: ['^http://a\\.org/', '/blog/'], exclude: ['[?&]page=\\d{3,}'] };
  assert.equal(verdict(patterns, 'http://b.org/blog/?page=12'), '');
  assert.equal(verdict(patterns, 'http://b.org/blog/?page=123'), 'exclude [?&]page=\\d{3,}');
  assert.equal(verdict(patterns, 'http://b.org/'), 'include no pattern matches');
});

test('ports of other protocols are refused, and a policy may allow them', () => {
  for (const port of [25, 22, 6667, 10080]) assert.equal(verdict({}, `http://a.org:${port}/x:80/`), `port ${port}`);
  for (const url of ['http://a.org/', 'https://a.org:8443/', 'http://[2600::25]/', 'http://1.2.3.25/', 'http://a25/']) {
    assert.equal(verdict({}, url), '', url);
  }
  assert.equal(verdict({ portsAllowed: [80, 443, 25] }, 'http://a.org:8080/'), 'port 8080');
  assert.equal(verdict({ portsAllowed: [80, 443, 25] }, 'https://a.org/'), '');
  assert.equal(verdict({ portsAllowed: [80, 443, 25] }, 'http://a.org:25/'), 'port 25', 'some never');
});

test('an invalid regular expression is refused with its place and a remedy', () => {
  assert.throws(
    () => compileFilters({ exclude: ['ok', '(oops'] }),
    (error) =>
      error instanceof CrawlstreamError &&
      error.code === 'INVALID_ARGUMENT' &&
      /^filters\.exclude\[1\]: .*oops.*; write a JavaScript regular expression/.test(error.message),
  );
});

test('lists of a hundred thousand entries cost a look-up per label', () => {
  const domainsDenied = Array.from({ length: 100_000 }, (_, i) => `d${i}.example`);
  const filter = compileFilters({ domainsDenied, hostsDenied: domainsDenied.map((domain) => `www.${domain}`) });
  assert.equal(filter('http://a.b.d99999.example/', 0)?.rule, 'domainsDenied');
  assert.equal(filter('http://www.d5.example/', 0)?.rule, 'hostsDenied');
  assert.equal(filter('http://other.example/', 0), null);
});
