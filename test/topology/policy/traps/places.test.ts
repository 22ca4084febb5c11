/** The places of a URL's values, and URLs that are given another value. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { patternOf, placesOf, withValues } from '../../../../topology/policy/traps/places.ts';

const at = (path: string) => placesOf(`http://a.test${path}`);
const named = (path: string) => at(path).map(({ place, value, isToken }) => [place, value, isToken]);

describe('the places of a URL', () => {
  it('its parameters, and path segments that are numbers or tokens, are places', () => {
    assert.deepEqual(named('/s/8f3ab0c1d2/p3.html?zz=x&t=1764000000'), [
      ['{/s/~}', '8f3ab0c1d2', true],
      ['{zz}', 'x', false],
      ['{t}', '1764000000', true],
      ['{/s/~} {t}', '8f3ab0c1d2 1764000000', true],
    ]);
    assert.deepEqual(named('/list;x=1;y=2?a=1;b=2'), [
      ['{;x}', '1', false],
      ['{;y}', '2', false],
      ['{a}', '1', false],
      ['{b}', '2', false],
    ]);
    assert.deepEqual(named('/7/about/'), [['{/#}', '7', false]]);
    assert.deepEqual(named('/v/123e4567-e89b-12d3-a456-426614174000'), [
      ['{/v/~}', '123e4567-e89b-12d3-a456-426614174000', true],
    ]);
  });

  it('titles, empty values, and a name that comes twice are no places', () => {
    assert.deepEqual(named('/a-long-title-of-words/page?x=&x&=1'), []);
    assert.deepEqual(named('/?a=1&a=2'), [['{a}', '1', false]]);
    assert.deepEqual(at(''), []);
  });

  it('a URL whose path is too long to have a shape of its own has places in its query alone', () => {
    assert.deepEqual(named(`${'/longer'.repeat(20)}/8f3ab0c1d2?a=1`), [['{a}', '1', false]]);
  });

  it('a URL without a value is the same as its variants’ without theirs', () => {
    const [one] = at('/p?a=1&b=2');
    const [other] = at('/p?a=9&b=2');
    assert.equal(one!.base, other!.base);
    assert.notEqual(one!.base, at('/p?a=1&b=3')[0]!.base);
    assert.notEqual(at('/p?a=1')[0]!.base, at('/p?b=1')[0]!.base);
  });
});

describe('a URL with the values of a pattern', () => {
  const given = (path: string, pattern: string) => withValues(`http://a.test${path}`, pattern).slice(13);

  it('a URL gets the value of the pattern in its place, and nothing else is changed', () => {
    assert.equal(given('/p?a=1&zz=2&b=3', '{zz}=9'), '/p?a=1&zz=9&b=3');
    assert.equal(given('/s/8f3ab0c1d2/p3', '{/s/~}=0000aaaa11'), '/s/0000aaaa11/p3');
    assert.equal(
      given('/8f3ab0c1d2/p3/77fb0aa1c2', '{/~}=1a2b3c4d5e {/~/p#/~}=5e4d3c2b1a'),
      '/1a2b3c4d5e/p3/5e4d3c2b1a',
    );
    assert.equal(given('/list;x=1/a', '{;x}=2'), '/list;x=2/a');
  });

  it('a URL is unchanged without the place, or without one of several', () => {
    for (const path of ['/p', '/p?z=1', '/p?b=1', '/s/about']) assert.equal(given(path, '{a}=1 {b}=2'), path);
    assert.equal(given('/s/about', '{/s/~}=0000aaaa11'), '/s/about');
  });

  it('a URL is unchanged by the pattern of its values', () => {
    for (const path of ['/s/8f3ab0c1d2/p?t=1764000000', '/p?a=x=y', '/list;x=1'])
      for (const value of at(path)) assert.equal(given(path, patternOf(value)), path);
  });
});
