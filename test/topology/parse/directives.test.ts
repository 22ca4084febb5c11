import assert from 'node:assert/strict';
import { it } from 'node:test';
import { headerDirectives, metaDirectives } from '../../../topology/parse/directives.ts';

const verdict = (values: string[], token: string | null = 'ExampleBot') => {
  const { noindex, nofollow } = headerDirectives(values, token);
  return `${noindex ? 'noindex ' : ''}${nofollow ? 'nofollow' : ''}`.trim();
};

it('words are separated by commas and blanks, without case; none means both', () => {
  assert.deepEqual(metaDirectives('NOINDEX,Follow'), { noindex: true, nofollow: false });
  assert.deepEqual(metaDirectives(' none '), { noindex: true, nofollow: true });
  assert.deepEqual(metaDirectives('all, noarchive nosnippet'), { noindex: false, nofollow: false });
  assert.deepEqual(metaDirectives('noindexing'), { noindex: false, nofollow: false });
});

it('headers add up', () => {
  assert.equal(verdict(['noindex', 'nofollow']), 'noindex nofollow');
  assert.equal(verdict([]), '');
});

it('directives for another crawler are ignored, up to the next name', () => {
  assert.equal(verdict(['otherbot: noindex, nofollow']), '');
  assert.equal(verdict(['otherbot: noindex', 'nofollow']), 'nofollow');
  assert.equal(verdict(['otherbot: noindex, examplebot: nofollow, noindex']), 'noindex nofollow');
  assert.equal(verdict(['examplebot: none, otherbot: all']), 'noindex nofollow');
  assert.equal(verdict(['ExampleBot: noindex'], null), '');
});

it('a rule with a value is no crawler’s name, and neither is a date', () => {
  assert.equal(verdict(['max-snippet:-1, noindex']), 'noindex');
  assert.equal(verdict(['unavailable_after: 25 Jun 2010 15:00:00 PST']), '');
  assert.equal(verdict(['unavailable_after: Fri, 25 Jun 2010 15:00:00 PST, noindex']), 'noindex');
});
