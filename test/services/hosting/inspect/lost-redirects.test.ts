/** Redirects that lead nowhere, out of what URLs answered. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { RedirectsReported } from '../../../../services/hosting/inspect/lost-redirects.ts';

function lost(answers: readonly (readonly [url: string, target: string | null])[], answered: readonly string[] = []) {
  const reported = new RedirectsReported();
  for (const [url, target] of answers) {
    if (target === null) reported.answered(url);
    else reported.redirected(url, target);
  }
  const ends = reported.ends(3);
  return reported.lost(3, (url) => ends.has(url) && answered.includes(url)).map(({ url, why }) => `${url}: ${why}`);
}

it('a redirect loop is reported once, by the URL that leads into it or was requested first', () => {
  assert.deepEqual(lost([['s', 's']]), ['s: redirects in a circle: s → s']);
  assert.deepEqual(
    lost([
      ['a', 'b'],
      ['b', 'a'],
    ]),
    ['a: redirects in a circle: a → b → a'],
  );
  assert.deepEqual(
    lost([
      ['x', 'a'],
      ['a', 'b'],
      ['b', 'a'],
    ]),
    ['x: redirects in a circle: x → a → b → a'],
  );
});

it('a chain longer than the redirect limit is reported, unless its end was fetched', () => {
  const chain = ['0', '1', '2', '3'].map((n) => [n, `${Number(n) + 1}`] as const);
  assert.deepEqual(lost(chain), ['0: more than 3 redirects: 0 → 1 → 2 → … → 4']);
  assert.deepEqual(lost(chain, ['4']), []);
});

it('a chain that arrives is not reported, nor one that is unfinished', () => {
  assert.deepEqual(lost([['a', 'b']]), []);
  assert.deepEqual(
    lost([
      ['a', 'b'],
      ['b', 'a'],
      ['a', null],
    ]),
    [],
  );
  assert.deepEqual(
    lost([
      ['a', 'b'],
      ['b', 'c'],
      ['c', null],
    ]),
    [],
  );
});
