import assert from 'node:assert/strict';
import { test } from 'node:test';
import { numbers } from '../../../lab/web/random.ts';
import { explainSeenKey, seenKey } from '../../../topology/url/seen-key.ts';

test('the seen key of a URL without a query is the URL', () => {
  assert.equal(seenKey('http://a.org/b/'), 'http://a.org/b/');
});

test('spellings that no server distinguishes share a seen key', () => {
  const key = 'http://a.org/?a&q=x%20y';
  for (const url of ['http://a.org/?a=&q=x+y', 'http://a.org/?a&a=&q=x%20y', 'http://a.org/?a&q=x+y&q=x%20y']) {
    assert.equal(seenKey(url), key, url);
  }
});

test('spellings that may name different pages keep different seen keys', () => {
  const urls = [
    'http://a.org/b',
    'https://a.org/b',
    'http://a.org/b/',
    'http://a.org/B',
    'http://a.org/b+c',
    'http://a.org/b%20c',
    'http://a.org/b?a==',
    'http://a.org/b?a',
    'http://a.org/b?=1',
    'http://a.org/b?x=1&x=2',
    'http://a.org/b?x=2&x=1',
  ];
  assert.equal(new Set(urls.map(seenKey)).size, urls.length);
});

test('the explained steps lead from the URL to its seen key', () => {
  const next = numbers(11);
  for (let round = 0; round < 500; round++) {
    const pieces = Array.from(
      { length: next() % 5 },
      () => ['a', 'a=', 'b=1+2', 'b=1%202', '=', '', 'c=='][next() % 7],
    );
    const url = `http://a.org/${round % 9 === 0 ? '' : '?'}${pieces.join('&')}`;
    const steps = explainSeenKey(url);
    assert.equal(steps.at(-1)?.after ?? url, seenKey(url), url);
    for (const [at, { before }] of steps.entries()) assert.equal(before, at === 0 ? url : steps[at - 1]!.after);
  }
});
