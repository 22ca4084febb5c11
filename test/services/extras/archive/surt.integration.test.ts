/** Search keys of an archive's index, beside those of the package that pywb computes them with. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { pythonEnvironment } from '../../../../lab/bench/content/python-environment.ts';
import { numbers } from '../../../../lab/web/random.ts';
import { surtOf } from '../../../../services/extras/archive/surt.ts';

const hex32 = '0123456789abcdef0123456789ABCDEF';
const deadLetters24 = 'abcdefghijklmnopqrstuvwx';
const hosts = [
  ...['www.example.org', 'www2.Example.org', 'www.', 'wwwx.example.org', 'www12.www.example.com', 'example.org.'],
  ...['a.b.c.example.co.uk', '127.0.0.1', '0x7f.1', '[::1]', '[::1]:81', 'münchen.de', 'xn--bcher-kva.example'],
  ...['my_host.example', '1.example', 'example.org:8080', 'example.org:443', 'example.org:80', 'user:word@example.org'],
];
const segments = [
  ...['a', 'B', '', '.', '..', '%2e', '%2E%2e', 'x y', 'ü', '%C3%BC', '%c3', 'index.php', 'x.aspx', 'x.ASPX?y'],
  ...[
    `(s(${deadLetters24}))`,
    `(S(${deadLetters24})F(${deadLetters24}))`,
    `(${deadLetters24})`,
    `;jsessionid=${hex32}`,
  ],
  ...['~', '%7e', '|', '"', "'", '[', ']', '^', '`', '{', '}', '*', '+', '%', '%zz', '%25', '%2541', '%25252e'],
  ...['%00', '%0a', '%23', '%3f', '%26', '%7f', '%ff', '\u{1f600}'],
];
const terms = [
  ...['a=1', 'B=2', 'a', 'a=', '', '=', '=1', 'a=2', 'a=10', 'q=?', 'z=%41', 'z=%26', 'é=1', 'x y=1', '%3d=1', 'a=b=c'],
  ...[`phpsessid=${hex32}`, `PHPSESSID=${hex32}`, `sid=${hex32}`, `mysid=${hex32}`, `jsessionid=${hex32}`, 'sid=1'],
  ...[`ASPSESSIONIDABCDEFGH=${deadLetters24}`, 'cfid=1&cftoken=2', 'cfid=1', 'cftoken=2', 'u=http://www.x.org/'],
];

const reference = `
import json, sys, surt
print(json.dumps([surt.surt(url) for url in json.load(sys.stdin)]))
`;

test('20,000 URLs get the same keys as from the package surt', () => {
  const { pick, below } = drawn(36);
  const urls = new Set<string>();
  for (let n = 0; n < 20_000; n++) {
    const path = Array.from({ length: below(6) }, () => `/${pick(segments)}`).join('');
    const query = below(3) === 0 ? '' : `?${Array.from({ length: below(5) }, () => pick(terms)).join('&')}`;
    const url = `${pick(['http', 'https'])}://${pick(hosts)}${path}${query}`;
    if (URL.canParse(url)) urls.add(new URL(url).href);
  }
  assert.ok(urls.size > 10_000, `${urls.size}`);
  const all = [...urls];
  const environment = pythonEnvironment('surt', ['surt==0.3.1']);
  const options = { input: JSON.stringify(all), maxBuffer: 1 << 28 };
  const printed = execFileSync(join(environment, 'bin/python'), ['-c', reference], options).toString();
  const theirs = JSON.parse(printed) as readonly string[];
  for (const [at, url] of all.entries()) assert.equal(surtOf(url), theirs[at], url);
});

function drawn(seed: number) {
  const next = numbers(seed);
  const below = (n: number) => next() % n;
  return { below, pick: <T>(list: readonly T[]): T => list[below(list.length)]! };
}
