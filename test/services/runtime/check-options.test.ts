/** Mistakes of callers without types. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkOptions, isCount, isFunction, isObject, isStrings } from '../../../services/runtime/check-options.ts';

const fields = {
  contact: { wants: 'an address', fits: (value: unknown) => typeof value === 'string', needed: true },
  seeds: { wants: 'URLs', fits: isStrings, needed: true },
  maxPages: { wants: 'a number', fits: isCount },
};
const optional = { maxPages: fields.maxPages };

const messageOf = (given: unknown, known: Parameters<typeof checkOptions>[2] = fields) => {
  try {
    checkOptions('crawl()', given, known);
    return null;
  } catch (error) {
    assert.equal((error as { code?: string }).code, 'INVALID_ARGUMENT');
    return (error as Error).message;
  }
};

test('options are one object, and the needed ones are named', () => {
  for (const given of [undefined, null, 'text', [], () => {}])
    assert.equal(messageOf(given), 'crawl(): give one object of options, with contact and seeds');
  assert.equal(messageOf(7, optional), 'crawl(): give one object of options');
});

test('an unknown option is refused with the nearest name, or with all names', () => {
  assert.equal(messageOf({ maxPage: 1 }), 'crawl(): there is no option maxPage; did you mean maxPages?');
  assert.equal(messageOf({ maxPaXXX: 1 }), 'crawl(): there is no option maxPaXXX; did you mean maxPages?');
  const names = 'there are contact, seeds, maxPages';
  assert.equal(messageOf({ maxPXXXX: 1 }), `crawl(): there is no option maxPXXXX; ${names}`);
});

test('a value that does not fit is refused by its name, and so is a needed one that is missing', () => {
  const good = { contact: 'me', seeds: [] };
  assert.equal(messageOf(good), null);
  assert.equal(messageOf({ ...good, maxPages: undefined }), null);
  assert.equal(messageOf({}, optional), null);
  assert.equal(messageOf({ ...good, maxPages: 0 }), 'crawl(): maxPages: give a number');
  assert.equal(messageOf({ contact: 'me' }), 'crawl(): seeds is missing: give URLs');
  assert.equal(messageOf({ ...good, seeds: undefined }), 'crawl(): seeds is missing: give URLs');
});

test('counts, lists of texts, functions and objects are recognised', () => {
  assert.deepEqual([1, 2 ** 40, 0, 1.5, -1, '1', Number.NaN].map(isCount), [true, true, ...Array(5).fill(false)]);
  assert.deepEqual([[], ['a'], ['a', 1], 'a'].map(isStrings), [true, true, false, false]);
  assert.deepEqual([() => {}, class {}, {}].map(isFunction), [true, true, false]);
  assert.deepEqual([{}, new Map(), [], null, 'a', () => {}].map(isObject), [true, true, false, false, false, false]);
});
