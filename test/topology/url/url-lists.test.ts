import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CrawlstreamError } from '../../../topology/errors.ts';
import { compileFilters } from '../../../topology/url/filters.ts';
import { compileList, type ListKind, type ListReference } from '../../../topology/url/url-lists.ts';

const sha256 = '0'.repeat(64);

function match(kind: ListKind, text: string, url: string): string | null {
  return compileList(kind, text, 'l').match(url);
}

test('a list of domains includes their subdomains and no other host', () => {
  const text = '# c\n Example.org\n*.b.de\n.c.de.\n\na.b.de\n';
  assert.equal(match('domains', text, 'http://example.org/'), 'example.org');
  assert.equal(match('domains', text, 'http://www.example.org:81/'), 'example.org');
  assert.equal(match('domains', text, 'http://anexample.org/'), null);
  assert.equal(match('domains', text, 'http://x.a.b.de/'), 'b.de');
  assert.equal(match('domains', text, 'http://c.de/'), 'c.de');
  assert.equal(match('domains', text, 'http://de/'), null);
});

test('a list of hosts holds host names on every port, and host keys on theirs', () => {
  const text = 'A.org\nb.org:81\n[::1]\n';
  assert.equal(match('hosts', text, 'http://a.org:8080/'), 'a.org');
  assert.equal(match('hosts', text, 'http://www.a.org/'), null);
  assert.equal(match('hosts', text, 'http://b.org:81/'), 'b.org:81');
  assert.equal(match('hosts', text, 'http://b.org/'), null);
  assert.equal(match('hosts', text, 'http://b.org:811/'), null);
  assert.equal(match('hosts', text, 'http://[::1]/'), '[::1]');
});

test('lists of prefixes and of patterns match their URLs', () => {
  assert.equal(match('prefixes', 'http://a.org/x\nhttp://a.org/x/y\n', 'http://a.org/x/y/z'), 'http://a.org/x');
  assert.equal(match('prefixes', 'http://a.org/x\n', 'http://a.org/'), null);
  assert.equal(match('patterns', '/print/\n\\?id=\\d+$\n', 'http://a.org/?id=12'), '\\?id=\\d+$');
});

test('an invalid entry is refused with its place and a remedy', () => {
  for (const [kind, text, says] of [
    ['hosts', 'a.org\nb .org', /^list "l", entry 2: an entry cannot contain spaces/],
    ['patterns', 'a\n(', /^list "l", entry 2: .*; write a JavaScript regular expression/],
    ['patterns', 'a\n'.repeat(1_001), /1001 patterns are too many, .* at most 1000/],
  ] as const) {
    assert.throws(
      () => compileList(kind, text, 'l'),
      (error) => error instanceof CrawlstreamError && says.test(error.message),
    );
  }
});

test('each deny list answers under its own name, allow lists of a kind together', () => {
  const texts: Record<string, string> = { bad: 'x.org', one: 'a.org', two: 'b.org', paths: 'http://a.org/docs/' };
  const list = (name: string, kind: ListKind, verdict: 'allow' | 'deny'): ListReference => ({
    name,
    kind,
    verdict,
    path: name,
    sha256,
  });
  const lists = [
    list('bad', 'domains', 'deny'),
    list('one', 'domains', 'allow'),
    list('two', 'domains', 'allow'),
    list('paths', 'prefixes', 'allow'),
  ];
  const filter = compileFilters({ lists }, null, ({ name, kind }) => compileList(kind, texts[name]!, name));
  assert.deepEqual(filter('http://www.x.org/', 0), { rule: 'bad', detail: 'x.org' });
  assert.deepEqual(filter('http://c.org/', 0), { rule: 'one, two', detail: 'not in the list' });
  assert.deepEqual(filter('http://b.org/', 0), { rule: 'paths', detail: 'not in the list' });
  assert.equal(filter('http://a.org/docs/x', 0), null);
  assert.throws(() => compileFilters({ lists }), /filters\.lists "bad": the list bad is not loaded/);
});

test('a hundred thousand entries take little more memory than their letters and a look-up table', () => {
  const text = Array.from({ length: 100_000 }, (_, n) => `host${n}.example.org`).join('\n');
  const list = compileList('hosts', text, 'l');
  assert.equal(list.size, 100_000);
  assert.ok(list.bytes < text.length + 17 * list.size);
  assert.equal(list.match('http://host99999.example.org/'), 'host99999.example.org');
  assert.equal(list.match('http://host100000.example.org/'), null);
});
