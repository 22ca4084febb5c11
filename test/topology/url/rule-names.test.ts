/** Names in rules: what they become, and what no URL can have. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { hostKeyOf } from '../../../topology/url/host-key.ts';
import { compileNormalizer } from '../../../topology/url/normalize.ts';
import { type RuleName, ruleDomain, ruleExtension, ruleHost, rulePrefix } from '../../../topology/url/rule-names.ts';

type Bring = (text: string) => RuleName;

function becomes(bring: Bring, cases: Readonly<Record<string, string>>): void {
  for (const [text, name] of Object.entries(cases)) assert.deepEqual(bring(text), { name }, text);
}

function isRefused(bring: Bring, texts: readonly string[]): void {
  for (const text of texts) assert.ok('wrong' in bring(text), `${text}: ${JSON.stringify(bring(text))}`);
}

it('a host in a rule has the spelling of keys of normal URLs, however it is written', () => {
  becomes(ruleHost, {
    'a.test': 'a.test',
    ' A.Test. ': 'a.test',
    'a.test:8080': 'a.test:8080',
    'a.test.:8080': 'a.test:8080',
    'bücher.example': 'xn--bcher-kva.example',
    'BÜCHER.example': 'xn--bcher-kva.example',
    'xn--bcher-kva.example': 'xn--bcher-kva.example',
    '例え。テスト': 'xn--r8jz45g.xn--zckzah',
    'https://a.test': 'a.test',
    'https://a.test:443/': 'a.test',
    'http://a.test:443': 'a.test:443',
    'a.test/': 'a.test',
    '127.0.0.1:9000': '127.0.0.1:9000',
    '[::1]': '[::1]',
    '[0:0:0:0:0:0:0:1]:8080': '[::1]:8080',
  });
});

it('an impossible host is refused', () => {
  const odd = [
    '*.a.test',
    'a.test:443',
    'a.test:80',
    '[::1]:80',
    'a.test:',
    'a.test/x',
    'https://a.test/x',
    'u@a.test',
  ];
  isRefused(ruleHost, [...odd, 'a.test?x', 'a b.test', '', '.', '..', 'a..test', '::1', 'a.test:99999', 'https://']);
});

it('a domain in a rule loses its wildcard, its dots and its scheme, and has no port', () => {
  becomes(ruleDomain, {
    '*.ads.test': 'ads.test',
    '.ads.test': 'ads.test',
    ' ads.test. ': 'ads.test',
    'https://ads.test/': 'ads.test',
    'https://*.ads.test': 'ads.test',
    'Bücher.example': 'xn--bcher-kva.example',
    test: 'test',
    '127.0.0.1': '127.0.0.1',
  });
  isRefused(ruleDomain, ['ads.test:8080', 'ads.*', '*', '*.', 'a.*.test', 'ads.test/x', '']);
});

it('a prefix begins like normal URLs, and ends its host', () => {
  becomes(rulePrefix, {
    'https://a.test/p': 'https://a.test/p',
    'HTTPS://A.test:443/P': 'https://a.test/P',
    'http://a.test:443/': 'http://a.test:443/',
    'https://a.test': 'https://a.test/',
    'https://a.test?q': 'https://a.test/?q',
    'https://a.test/ä b': 'https://a.test/%C3%A4%20b',
    'https://a.test/%c3%a4': 'https://a.test/%C3%A4',
    'https://a.test/%c3%a': 'https://a.test/%C3%A',
    'https://a.test/%7Eme': 'https://a.test/~me',
    'https://bücher.example/ü': 'https://xn--bcher-kva.example/%C3%BC',
  });
  isRefused(rulePrefix, [
    'a.test/p',
    '/p',
    'ftp://a.test/',
    'https://',
    'https://www.',
    'https://*.a.test/',
    'https://a.test/#x',
  ]);
});

it('an extension is the last one', () => {
  becomes(ruleExtension, { pdf: 'pdf', '.PDF': 'pdf', '*.pdf': 'pdf', ' jpg ': 'jpg' });
  isRefused(ruleExtension, ['tar.gz', '.tar.gz', '', '.', '*', 'pdf?', 'a/b', 'ä']);
});

it('a rule made of a found URL names that URL', () => {
  const normalize = compileNormalizer();
  for (const found of [
    'https://Bücher.example:443/a/ü?q',
    'http://a.test.:8080/%7e',
    'http://[::1]:8080/x',
    'https://例え.テスト/',
  ]) {
    const url = normalize(found)!;
    assert.deepEqual(ruleHost(hostKeyOf(url)), { name: hostKeyOf(url) }, found);
    const prefix = rulePrefix(found);
    assert.ok('name' in prefix, found);
    assert.ok(url.startsWith(prefix.name.replace('a.test.', 'a.test')), `${url} ${prefix.name}`);
  }
});
