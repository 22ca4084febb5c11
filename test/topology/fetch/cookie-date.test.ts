/** Dates of cookies, in the forms that servers send. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { parseCookieDate } from '../../../topology/fetch/cookie-date.ts';

const at = Date.UTC(1994, 10, 6, 8, 49, 37);

it('a cookie’s date is read by its parts, in any order and form', () => {
  for (const text of [
    ...['Sun, 06 Nov 1994 08:49:37 GMT', 'Sunday, 06-Nov-94 08:49:37 GMT', 'Sun Nov  6 08:49:37 1994'],
    ...['Sun, 06-Nov-1994 08:49:37 GMT', 'Sun Nov 06 1994 08:49:37 GMT+0000 (UTC)', '6 november 1994 8:49:37'],
    ...['1994 08:49:37 6 Nov', '08:49:37 6-NOV-94', 'Sun, 06 Nov 1994 08:49:37 PST', '06 Nov 1994 08:49:37Z'],
  ])
    assert.equal(parseCookieDate(text), at, text);
});

it('two digits of a year mean 1970 to 2069', () => {
  for (const [digits, year] of [
    ['70', 1970],
    ['99', 1999],
    ['00', 2000],
    ['69', 2069],
  ] as const)
    assert.equal(new Date(parseCookieDate(`1 Jan ${digits} 00:00:00`)!).getUTCFullYear(), year);
});

it('a date with a missing or invalid part is ignored', () => {
  for (const text of [
    '',
    '0',
    'Nov 1994 08:49:37',
    '06 1994 08:49:37',
    '06 Nov 08:49:37',
    '06 Nov 1994',
    '32 Jan 1994 00:00:00',
  ])
    assert.equal(parseCookieDate(text), null, text);
  for (const text of ['31 Feb 1994 00:00:00', '1 Jan 1600 00:00:00', '1 Jan 1994 24:00:00', '1 Jan 1994 00:60:00'])
    assert.equal(parseCookieDate(text), null, text);
});
