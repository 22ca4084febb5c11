import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compileSitemaps, sitemapsSchema } from '../../../topology/policy/sitemaps.ts';
import { compileNormalizer } from '../../../topology/url/normalize.ts';

const day = 86_400_000;
const normalize = compileNormalizer();

test('a host has its own sitemaps, and the paths of its matching rules', () => {
  const { of, origins } = compileSitemaps(
    {
      everyMs: day,
      rules: [
        { urls: ['https://A.test/s.xml', 'http://b.test:81/s.xml', '/all.xml'] },
        { hosts: ['a.test'], urls: ['/own.xml', '/all.xml'] },
      ],
    },
    normalize,
  );
  assert.deepEqual(origins, ['https://a.test', 'http://b.test:81']);
  const on = (hostKey: string, origin: string) => of(hostKey, origin).map((url) => url.slice(origin.length));
  assert.deepEqual(on('a.test', 'https://a.test'), ['/s.xml', '/all.xml', '/own.xml']);
  assert.deepEqual(on('www.a.test', 'http://www.a.test'), ['/all.xml', '/own.xml']);
  assert.deepEqual(on('b.test:81', 'http://b.test:81'), ['/s.xml', '/all.xml']);
  assert.deepEqual(on('b.test', 'http://b.test'), ['/all.xml']);
});

test('a rule names absolute URLs or paths, and is read at most once a minute', () => {
  const isRight = (everyMs: number, ...urls: string[]) =>
    sitemapsSchema.safeParse({ everyMs, rules: [{ urls }] }).success;
  assert.equal(isRight(day, 'https://a.test/s.xml', '/s.xml'), true);
  assert.equal(isRight(1_000, '/s.xml'), false);
  for (const url of ['s.xml', 'ftp://a.test/s.xml', '']) assert.equal(isRight(day, url), false, url);
  assert.equal(isRight(day), false);
});
