import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { numbers } from '../../../lab/web/random.ts';
import { foldedBy } from '../../../topology/policy/equivalences.ts';
import { inOrder, oppositeOf, rewritingsBetween, rewritten } from '../../../topology/url/rewriting.ts';

const steps: readonly (readonly [from: string, to: string, by: readonly string[]])[] = [
  ['http://a.test/x', 'https://a.test/x', ['https']],
  ['https://a.test/x', 'https://www.a.test/x', ['www']],
  ['https://www.a.test/x', 'https://a.test/x', ['bare']],
  ['https://a.test/x', 'https://a.test/x/', ['slash']],
  ['https://a.test/x/', 'https://a.test/x', ['noSlash']],
  ['https://a.test/x/index.html', 'https://a.test/x/', ['index']],
  ['https://a.test/default.aspx', 'https://a.test/', ['index']],
  ['https://a.test/x?sid=1&b=2', 'https://a.test/x?b=2', ['query:sid']],
  ['https://a.test/x?sid=1&sid=2', 'https://a.test/x', ['query:sid']],
  ['http://a.test/x?sid&u=1', 'https://www.a.test/x/', ['query:sid', 'query:u', 'slash', 'www', 'https']],
];

const others: readonly (readonly [from: string, to: string])[] = [
  ['https://a.test/x', 'http://a.test/x'],
  ['http://a.test:8080/x', 'https://a.test:8443/x'],
  ['https://a.test/x', 'https://b.test/x'],
  ['https://a.test/x', 'https://m.a.test/x'],
  ['https://a.test/x', 'https://www.b.test/x'],
  ['https://a.test/x', 'https://a.test/'],
  ['https://a.test/x', 'https://a.test/y'],
  ['https://a.test/x.html', 'https://a.test/x.html/'],
  ['https://a.test/x?b=2', 'https://a.test/x?b=3'],
  ['https://a.test/x', 'https://a.test/x?b=3'],
  ['https://a.test/x?a=1&b=2', 'https://a.test/x?b=2&a=1'],
  ['https://a.test/x?a=1&a=2', 'https://a.test/x?a=2'],
  [`https://a.test/x?${'n'.repeat(65)}=1`, 'https://a.test/x'],
  ['https://a.test/x', 'https://a.test/x'],
  ['ftp://a.test/x', 'https://a.test/x'],
];

describe('URL rewritings', () => {
  it('URL rewritings are the differences of two spellings, and lead from one to the other', () => {
    for (const [from, to, by] of steps) {
      assert.deepEqual(rewritingsBetween(from, to), by, `${from} to ${to}`);
      assert.equal(by.reduce(rewritten, from), to);
    }
  });

  it('URL rewritings are empty if anything else differs', () => {
    for (const [from, to] of others) assert.equal(rewritingsBetween(from, to), null, `${from} to ${to}`);
  });

  it('URL rewritings keep the host except www., the path except its end, and every parameter they do not name', () => {
    const next = numbers(5);
    const one = <T>(list: readonly T[]): T => list[next() % list.length]!;
    for (let turn = 0; turn < 3_000; turn++) {
      const scheme = one(['http', 'https']);
      const host = one(['a.test', 'www.a.test', 'a.test:81', 'www.b.test']);
      const path = one(['/', '/x', '/x/', '/x/y.html', '/x/index.php', '//', '/index.html']);
      const query = one(['', '?a=1', '?a=1&b=2', '?b', '?a&a']);
      const url = `${scheme}://${host}${path}${query}`;
      const all = ['https', 'www', 'bare', 'slash', 'noSlash', 'index', 'query:a'];
      const learnt = all.filter(() => next() % 2 === 0).filter((by, _, list) => !list.includes(oppositeOf(by) ?? ''));
      const folded = foldedBy(url, learnt);
      const [before, after] = [new URL(url), new URL(folded)];
      assert.equal(after.host.replace(/^www\./, ''), before.host.replace(/^www\./, ''), url);
      assert.equal(after.searchParams.get('b'), before.searchParams.get('b'), url);
      const stem = (text: string) => text.replace(/\/*(?:index\.(?:html|php))?\/*$/, '');
      assert.equal(stem(after.pathname), stem(before.pathname), url);
      if (learnt.includes('index')) continue;
      assert.equal(foldedBy(folded, learnt), folded, `${url} by ${learnt}: once is enough`);
      if (folded !== url) assert.ok(rewritingsBetween(url, folded) !== null, `${url} to ${folded}`);
    }
    assert.deepEqual(inOrder(['https', 'query:b', 'www', 'query:a']), ['query:a', 'query:b', 'www', 'https']);
  });
});
