import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compileNormalizer, explainNormalize, refusalOf } from '../../../topology/url/normalize.ts';

const normalize = compileNormalizer();

/** Rows of [given, wanted]. */
function check(rows: readonly (readonly [string, string | null])[], apply = normalize): void {
  for (const [given, wanted] of rows) assert.equal(apply(given), wanted, given);
}

test('the messiest spelling of a URL comes out as its plainest', () => {
  const messy =
    ' HTTP://user:pw@WWW.Example.COM.:80//x/../%62//./%7efoo/;jsessionid=AB12?utm_source=x&b=2&&PHPSESSID=1&a=1&gclid=2#!top';
  assert.equal(normalize(messy), 'http://www.example.com/b/~foo/?a=1&b=2');
});

test('scheme and host lose their case, the path keeps it', () => {
  check([['HTTPS://Example.ORG/Path', 'https://example.org/Path']]);
});

test('a host name in any script becomes its ASCII form', () => {
  check([
    ['http://bücher.de/', 'http://xn--bcher-kva.de/'],
    ['http://B%C3%BCcher.de', 'http://xn--bcher-kva.de/'],
  ]);
});

test('default ports are removed, others stay', () => {
  check([
    ['http://a.org:80/', 'http://a.org/'],
    ['https://a.org:443/', 'https://a.org/'],
    ['https://a.org:80/', 'https://a.org:80/'],
    ['http://a.org:443/', 'http://a.org:443/'],
    ['http://a.org:/', 'http://a.org/'],
    ['http://a.org:08080/', 'http://a.org:8080/'],
    ['http://a.org:65536/', null],
  ]);
});

test('dots at the end of a host are removed, even if they hid another spelling of an address', () => {
  check([
    ['http://a.org.:8080/', 'http://a.org:8080/'],
    ['http://a.org.../', 'http://a.org/'],
    ['http://0x7f.1../', 'http://127.0.0.1/'],
    ['http://./', null],
  ]);
});

test('user and password are removed', () => {
  check([['http://me:secret@a.org/x', 'http://a.org/x']]);
});

test('escapes take one form: unreserved decoded, the rest upper-case, a lone percent sign escaped', () => {
  check([
    ['http://a.org/%7e%62%2d', 'http://a.org/~b-'],
    ['http://a.org/%c3%a9%2f', 'http://a.org/%C3%A9%2F'],
    ['http://a.org/%zz%', 'http://a.org/%25zz%25'],
    ['http://a.org/%%341', 'http://a.org/%2541'],
    ['http://a.org/[x]|?y[]=1|2', 'http://a.org/%5Bx%5D%7C?y%5B%5D=1%7C2'],
    ['http://a.org/é?é', 'http://a.org/%C3%A9?%C3%A9'],
  ]);
});

test('dot segments are removed, wherever the parser left them', () => {
  check([
    ['http://a.org/b/./c/../d', 'http://a.org/b/d'],
    ['http://a.org/b/%2E%2e/c/%2e', 'http://a.org/c/'],
    ['http://a.org/../..', 'http://a.org/'],
    ['http://a.org/a..a/.b', 'http://a.org/a..a/.b'],
    ['http://a.org//.;x/.', 'http://a.org/.;x/'],
  ]);
});

test('several slashes become one, except those of an embedded URL', () => {
  check([
    ['http://a.org//b///c/', 'http://a.org/b/c/'],
    ['http://a.org/web/http://b.org//c', 'http://a.org/web/http://b.org/c'],
    ['http://a.org/web/https://b.org//c', 'http://a.org/web/https://b.org/c'],
    ['http://a.org/web/https:///b.org/', 'http://a.org/web/https://b.org/'],
    ['http://a.org/web/xhttps://b.org/', 'http://a.org/web/xhttps:/b.org/'],
  ]);
});

test('tracking parameters are removed in any case, and so are empty parameters', () => {
  check([
    ['http://a.org/?utm_source=x&id=1', 'http://a.org/?id=1'],
    ['http://a.org/?UTM%5FCampaign=x', 'http://a.org/'],
    ['http://a.org/?gclid=1&fbclid=2&msclkid=3', 'http://a.org/'],
    ['http://a.org/?&&id=1&', 'http://a.org/?id=1'],
    ['http://a.org/?', 'http://a.org/'],
    ['http://a.org/?utm=1&futm_x=2', 'http://a.org/?futm_x=2&utm=1'],
  ]);
});

test('session ids are removed from query and path, other path parameters stay', () => {
  check([
    ['http://a.org/?PHPSESSID=abc&sid=8f14e45fceea167a5a36dedd4bea2543&x=2', 'http://a.org/?x=2'],
    ['http://a.org/?ASPSESSIONIDQABC=1', 'http://a.org/'],
    ['http://a.org/b;jsessionid=AB?x=2', 'http://a.org/b?x=2'],
    ['http://a.org/b;v=1;JSESSIONID=AB/c', 'http://a.org/b;v=1/c'],
    ['http://a.org/(S(lit3py55t21z5v55vlm25s55))/b.aspx', 'http://a.org/b.aspx'],
    ['http://a.org/(S(abc));sid=8f14e45fceea167a5a36/b', 'http://a.org/b'],
    ['http://a.org/b/..;jsid=1/c', 'http://a.org/c'],
  ]);
});

test('a short sid is a story’s id, in query and path', () => {
  check([
    ['http://a.org/article.php?sid=1342', 'http://a.org/article.php?sid=1342'],
    ['http://a.org/?sid=8f14e45fceea167a5a3', 'http://a.org/?sid=8f14e45fceea167a5a3'],
    ['http://a.org/?SID=8f14e45fceea167a5a36', 'http://a.org/'],
    ['http://a.org/b;sid=12/c', 'http://a.org/b;sid=12/c'],
  ]);
});

test('an article number under pk_ stays, and Matomo’s documented names are removed', () => {
  check([
    ['http://a.org/?pk_4711', 'http://a.org/?pk_4711'],
    ['http://a.org/?pk_id=4711', 'http://a.org/?pk_id=4711'],
    ['http://a.org/?pk_campaign=x&pk_kwd=y&PK_Source=z', 'http://a.org/'],
  ]);
});

test('publishers’ tracking parameters are removed, also behind an ampersand that was escaped twice', () => {
  check([
    ['http://a.org/?itm_source=a&intcmp=b&iref=c&cmpid=d&icid=e&ncid=f&ocid=g&n_cid=h&at_medium=i', 'http://a.org/'],
    ['http://a.org/?id=1&amp;utm_source=x&amp;phpsessid=y', 'http://a.org/?id=1'],
    ['http://a.org/?id=1&amp;page=2', 'http://a.org/?amp;page=2&id=1'],
  ]);
});

test('parameters are sorted by name, and those of one name keep their order', () => {
  check([
    ['http://a.org/?b=2&a=1', 'http://a.org/?a=1&b=2'],
    ['http://a.org/?b=2&a=9&b=1', 'http://a.org/?a=9&b=2&b=1'],
    ['http://a.org/?b&a-b=1&a=1', 'http://a.org/?a=1&a-b=1&b'],
  ]);
});

test('empty values and spaces as written are left alone', () => {
  check([['http://a.org/?a=&b&q=x+y%20z', 'http://a.org/?a=&b&q=x+y%20z']]);
});

test('fragments are removed, also hash-bang ones unless the AJAX scheme is on', () => {
  check([
    ['http://a.org/#x', 'http://a.org/'],
    ['http://a.org/b#!k=v', 'http://a.org/b'],
  ]);
  const ajax = compileNormalizer({ fragment: 'escape' });
  check(
    [
      ['http://a.org/b?z=1#!k=v&l', 'http://a.org/b?_escaped_fragment_=k=v%26l&z=1'],
      ['http://a.org/b#x', 'http://a.org/b'],
    ],
    ajax,
  );
});

test('index pages, www and hashes change only if asked', () => {
  const url = 'http://www.a.org/b/index.html?h=0123456789abcdef0123456789ABCDEF';
  assert.equal(normalize(url), url);
  assert.equal(compileNormalizer({ indexPages: true, www: true, hashes: true })(url), 'http://a.org/b/');
  check([['http://www.org/default.asp', 'http://www.org/']], compileNormalizer({ indexPages: true, www: true }));
});

test('a rule for a host holds for its subdomains, and the nearest wins', () => {
  const ruled = compileNormalizer({
    hosts: {
      'a.org': { keep: ['jsid'], drop: ['page'] },
      'only.a.org': { only: ['ID'] },
      'none.org': { only: [] },
    },
  });
  check(
    [
      ['http://a.org/?jsid=1&page=2&x=3', 'http://a.org/?jsid=1&x=3'],
      ['http://www.a.org:8080/?jsid=1&page=2', 'http://www.a.org:8080/?jsid=1'],
      ['http://only.a.org/?jsid=1&id=2', 'http://only.a.org/?id=2'],
      ['http://none.org/b?x=1', 'http://none.org/b'],
      ['http://ba.org/?jsid=1', 'http://ba.org/'],
    ],
    ruled,
  );
});

test('a URL that is not http, or is too long, is refused with its reason', () => {
  const long = `http://a.org/${'x'.repeat(3000)}`;
  const rows = [
    ['not a url', 'malformed'],
    ['http://', 'malformed'],
    ['http://./', 'malformed'],
    ['mailto:a@b.org', 'scheme'],
    ['ftp://a.org/', 'scheme'],
    [long, 'length'],
    [`http://a.org/?utm_x=${'x'.repeat(100_000)}`, 'length'],
  ] as const;
  for (const [url, reason] of rows) {
    assert.equal(normalize(url), null, url.slice(0, 40));
    assert.equal(refusalOf(url), reason, url.slice(0, 40));
  }
  assert.equal(normalize(`http://a.org/?utm_x=${'x'.repeat(3000)}`), 'http://a.org/', 'the length is the result’s');
});

test('the explanation is a chain from the given URL to the fetched one, naming each step that changed it', () => {
  const given = 'HTTP://A.org.//b;jsid=1?utm_a=1&z=%7e&a=1#f';
  const steps = explainNormalize(given);
  assert.deepEqual(
    steps.map(({ step }) => step),
    [
      'parse',
      'fragment',
      'trailingDot',
      'escapes',
      'pathSessions',
      'duplicateSlashes',
      'trackingParameters',
      'sortParameters',
    ],
  );
  assert.equal(steps[0]?.before, given);
  for (let i = 1; i < steps.length; i++) assert.equal(steps[i]?.before, steps[i - 1]?.after);
  assert.equal(steps.at(-1)?.after, normalize(given));
  assert.deepEqual(explainNormalize('http://a.org/b?x=1'), []);
});

test('a trailing slash, the scheme and empty values do not distinguish URLs if the policy says so', () => {
  check(
    [
      ['http://a.org/', 'http://a.org/'],
      ['http://a.org/b/', 'http://a.org/b'],
      ['http://a.org/b/?c=/', 'http://a.org/b?c=/'],
      ['http://a.org/b/index.html', 'http://a.org/b'],
      ['http://a.org/b/index.php/index.html/', 'http://a.org/b'],
      ['http://a.org/index.html/', 'http://a.org/'],
    ],
    compileNormalizer({ trailingSlash: 'drop', indexPages: true }),
  );
  check([['http://a.org/b/index.html', 'http://a.org/b/index.html']], compileNormalizer({ trailingSlash: 'drop' }));
  check(
    [
      ['http://a.org/b', 'https://a.org/b'],
      ['http://a.org:80/b', 'https://a.org/b'],
      ['http://a.org:8080/b', 'http://a.org:8080/b'],
      ['http://a.org:443/b', 'http://a.org:443/b'],
    ],
    compileNormalizer({ scheme: 'https' }),
  );
  check([['https://a.org/b', 'http://a.org/b']], compileNormalizer({ scheme: 'http' }));
  check(
    [
      ['http://a.org/?a=&b=1&c', 'http://a.org/?b=1&c'],
      ['http://a.org/?a=', 'http://a.org/'],
      ['http://a.org/?a', 'http://a.org/?a'],
    ],
    compileNormalizer({ emptyValues: 'drop' }),
  );
});
