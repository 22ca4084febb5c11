import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseTagDate } from '../../../topology/usage/tag-date.ts';

const iso = (text: string) => {
  const atMs = parseTagDate(text);
  return atMs === null ? null : new Date(atMs).toISOString().replace(':00.000Z', 'Z');
};

const dates = {
  // ISO 8601.
  '2025-09-01': '2025-09-01T00:00Z',
  ' 2025-09-01 ': '2025-09-01T00:00Z',
  '2025-09-01T13:05': '2025-09-01T13:05Z',
  '2025-09-01 13:05:06.789': '2025-09-01T13:05:06.000Z',
  '2025-09-01t23:59:60Z': '2025-09-02T00:00Z',
  '2025-09-01T13:05+02:00': '2025-09-01T11:05Z',
  '2025-09-01T13:05-0230': '2025-09-01T15:35Z',
  '2024-02-29': '2024-02-29T00:00Z',
  // RFC 822 and RFC 850.
  '25 Jun 2010 15:00:00 PST': '2010-06-25T23:00Z',
  'Friday, 25-Jun-10 15:00:00 PDT': '2010-06-25T22:00Z',
  'Fri 25 june 2010 15:00 est': '2010-06-25T20:00Z',
  '25 Jun 2010 15:00:00 EDT': '2010-06-25T19:00Z',
  '25 Jun 2010 15:00:00 CST': '2010-06-25T21:00Z',
  '25 Jun 2010 15:00:00 CDT': '2010-06-25T20:00Z',
  '25 Jun 2010 15:00:00 MST': '2010-06-25T22:00Z',
  '25 Jun 2010 15:00:00 MDT': '2010-06-25T21:00Z',
  '25 Jun 2010 15:00:00 CET': '2010-06-25T15:00Z',
  '25 Jun 2010 15:00:00 +0100': '2010-06-25T14:00Z',
  '1 Jan 49': '2049-01-01T00:00Z',
  '1 Jan 50': '1950-01-01T00:00Z',
  '31 Dec 99 23:59': '1999-12-31T23:59Z',
};

for (const [text, expected] of Object.entries(dates))
  test(`the date in ${text} is ${expected}`, () => {
    assert.equal(iso(text), expected);
  });

test('a malformed date is none', () => {
  for (const text of [
    ...[
      '',
      'never',
      '2025',
      '2025-09',
      '2025-9-1',
      '2025-13-01',
      '2025-00-01',
      '2025-02-29',
      '2025-09-31',
      '2025-09-00',
    ],
    ...['2025-09-01T24:00', '2025-09-01T23:60', '2025-09-01T23:59:61', '2025-09-01T1', '2025-09-01 noon o clock'],
    ...['32 Jan 2020', '0 Jan 2020', '1 Foo 2020', '1 Jan 202', '30 Feb 2020', 'x2025-09-01', '2025-09-01x9'],
  ])
    assert.equal(parseTagDate(text), null, text);
});

test('a date has at most 60 characters', () => {
  const date = 'Wednesday, 25 September 2010 15:00:00.';
  const padded = (length: number) => `${date}${'0'.repeat(length - date.length)}`;
  assert.equal(iso(padded(60)), '2010-09-25T15:00Z');
  assert.equal(iso(padded(61)), null);
  assert.equal(iso(` ${padded(60)} `), '2010-09-25T15:00Z');
});
