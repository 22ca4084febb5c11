import assert from 'node:assert/strict';
import { test } from 'node:test';
import { headerDirectives } from '../../../topology/parse/directives.ts';
import { tokenInForce } from '../../../topology/robots/product-token.ts';

const file = Buffer.from(
  'User-agent: beta/2\nDisallow: /b\n\nUser-agent: Gamma\nDisallow: /c\n\nUser-agent: *\nDisallow: /\n',
);

test('the first token with a group in the file is in force; without one, the first token', () => {
  assert.equal(tokenInForce(file, ['alpha', 'gamma', 'beta']), 'gamma');
  assert.equal(tokenInForce(file, ['beta', 'gamma']), 'beta');
  assert.equal(tokenInForce(file, ['alpha', 'delta']), 'alpha');
  assert.equal(tokenInForce(file, 'alpha'), 'alpha');
  assert.equal(tokenInForce(Buffer.from(''), ['alpha', 'beta']), 'alpha');
});

test('a page’s directives for any of the tokens count', () => {
  const values = ['beta: noindex', 'other: nofollow'];
  assert.deepEqual(headerDirectives(values, ['alpha', 'Beta']), { noindex: true, nofollow: false });
  assert.deepEqual(headerDirectives(values, ['alpha', 'gamma']), { noindex: false, nofollow: false });
  assert.deepEqual(headerDirectives(values, null), { noindex: false, nofollow: false });
});
