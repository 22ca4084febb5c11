import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseSitemapDate } from '../../../topology/parse/sitemap-date.ts';

const iso = (text: string) => {
  const ms = parseSitemapDate(text);
  return ms === null ? null : new Date(ms).toISOString();
};
const monthNames = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ');

describe('a date of a sitemap or feed', () => {
  it('a date of a sitemap or feed is that of the calendar, for every day and its neighbours, in both spellings', () => {
    for (const year of [1999, 2000, 2100, 2024, 2026])
      for (let month = 0; month <= 13; month++)
        for (let day = 0; day <= 32; day++) {
          const two = (n: number) => String(n).padStart(2, '0');
          const at = new Date(Date.UTC(year, month - 1, day));
          const isThere = at.getUTCMonth() === month - 1 && at.getUTCDate() === day;
          const expected = isThere ? at.toISOString() : null;
          assert.equal(iso(`${year}-${two(month)}-${two(day)}`), expected, `${year}-${month}-${day}`);
          const name = monthNames[month - 1];
          if (name !== undefined) assert.equal(iso(`${day} ${name} ${year}`), expected, `${day} ${name} ${year}`);
        }
  });

  it('a date of a sitemap or feed has a time up to 24:00 and the leap second', () => {
    for (let hour = 0; hour <= 25; hour++)
      for (const rest of ['00:00', '59:59', '60:00', '00:60', '00:61']) {
        const [minute, second] = rest.split(':').map(Number) as [number, number];
        const isThere = minute <= 59 && second <= 60 && (hour < 24 || (hour === 24 && minute === 0 && second === 0));
        const expected = isThere ? new Date(Date.UTC(2026, 10, 26, hour, minute, second)).toISOString() : null;
        const clock = `${String(hour).padStart(2, '0')}:${rest}`;
        assert.equal(iso(`2026-11-26T${clock}Z`), expected, clock);
        assert.equal(iso(`Thu, 26 Nov 2026 ${clock} GMT`), expected, clock);
      }
  });

  it('a date of a sitemap or feed is in UTC unless it names a zone', () => {
    const zones: readonly (readonly [zone: string, hoursEast: number])[] = [
      ['', 0],
      ['Z', 0],
      ['UT', 0],
      ['utc', 0],
      ['GMT', 0],
      ['EST', -5],
      ['EDT', -4],
      ['CST', -6],
      ['CDT', -5],
      ['MST', -7],
      ['MDT', -6],
      ['PST', -8],
      ['pdt', -7],
      ['+0530', 5.5],
      ['+05:30', 5.5],
      ['-0330', -3.5],
      ['+2400', 24],
      ['-24:00', -24],
      ['CET', 1],
      ['cest', 2],
      ['NST', -3.5],
      ['GMT+1', 1],
      ['UTC+05:30', 5.5],
      ['+1', 1],
      ['-0500 (EST)', -5],
      ['(local)', 0],
      ['Etc/UTC', 0],
      ['XYZ', 0],
    ];
    for (const [zone, hours] of zones) {
      const ms = Date.UTC(2026, 10, 26, 12) - hours * 3_600_000;
      assert.equal(parseSitemapDate(`26 Nov 2026 12:00:00 ${zone}`), ms, zone);
      assert.equal(parseSitemapDate(`2026-11-26T12:00:00${zone}`), ms, zone);
    }
    for (const zone of ['+2401', '-24:01', 'six words of text', '12'])
      assert.equal(iso(`26 Nov 2026 12:00:00 ${zone}`), null, zone);
  });

  it('a date of a sitemap or feed is read if its meaning is plain', () => {
    const cases: readonly (readonly [text: string, date: string | null])[] = [
      ['2026', '2026-01-01T00:00:00.000Z'],
      ['2026-11', '2026-11-01T00:00:00.000Z'],
      ['  2026-11-26\n', '2026-11-26T00:00:00.000Z'],
      ['2026-11-26 10:20', '2026-11-26T10:20:00.000Z'],
      ['2026-11-26t10:20z', '2026-11-26T10:20:00.000Z'],
      ['2026-11-26T10:20:30.5', '2026-11-26T10:20:30.500Z'],
      ['2026-11-26T10:20:30,1239Z', '2026-11-26T10:20:30.123Z'],
      ['2026-11-26T10:20:30.123456789123Z', '2026-11-26T10:20:30.123Z'],
      ['2026-11-26T10:20:30 +01:00', '2026-11-26T09:20:30.000Z'],
      ['Thursday, 26-Nov-26 10:20:30 GMT', '2026-11-26T10:20:30.000Z'],
      ['26 November 2026', '2026-11-26T00:00:00.000Z'],
      ['26 Nov 49', '2049-11-26T00:00:00.000Z'],
      ['26 Nov 50', '1950-11-26T00:00:00.000Z'],
      ['26 Nov 99', '1999-11-26T00:00:00.000Z'],
      ['26 Nov 00', '2000-11-26T00:00:00.000Z'],
      ['0026-11-26', '0026-11-26T00:00:00.000Z'],
      ['26 Nov 2026 1:02', '2026-11-26T01:02:00.000Z'],
      ['26 Nop 2026', null],
      ['26 Nov 026', null],
      ['26.11.2026', null],
      ['11/26/2026', null],
      ['2026-11-26T', null],
      ['2026-11-26T10', '2026-11-26T10:00:00.000Z'],
      ['2026-1-2', '2026-01-02T00:00:00.000Z'],
      ['2026-1-2T3:04:05Z', '2026-01-02T03:04:05.000Z'],
      ['2026/11/26 10:20:30', '2026-11-26T10:20:30.000Z'],
      ['2026-11/26', null],
      ['20261126', '2026-11-26T00:00:00.000Z'],
      ['20261126T102030Z', '2026-11-26T10:20:30.000Z'],
      ['2026-11-26T10:20:30\u221201:00', '2026-11-26T11:20:30.000Z'],
      ['Thu, 2026-11-26 10:20:30 GMT', '2026-11-26T10:20:30.000Z'],
      ['Thu Nov 26 10:20:30 2026', '2026-11-26T10:20:30.000Z'],
      ['Thu Nov  6 10:20:30 PST 2026', '2026-11-06T18:20:30.000Z'],
      ['Thu Nov 26 10:20:30 +0100 2026', '2026-11-26T09:20:30.000Z'],
      ['Thu, Nov 26, 2026 10:20:30 GMT', '2026-11-26T10:20:30.000Z'],
      ['November 26, 2026', '2026-11-26T00:00:00.000Z'],
      ['Nov 1st, 2026 at 9:05 pm', '2026-11-01T21:05:00.000Z'],
      ['Thu, 26 Nov 2026 12:00:05 AM', '2026-11-26T00:00:05.000Z'],
      ['Thu, 26 Nov 2026 12:00:05 PM', '2026-11-26T12:00:05.000Z'],
      ['Thu, 26 Nov 2026 13:00:05 PM', null],
      ['Thu, 26 Nov 2026 1:2:3.25 GMT', '2026-11-26T01:02:03.250Z'],
      ['lun., 26 novembre 2026 10:20:30 GMT', '2026-11-26T10:20:30.000Z'],
      ['1795000000', null],
      ['yesterday', null],
      ['', null],
    ];
    for (const [text, date] of cases) assert.equal(iso(text), date, JSON.stringify(text));
  });
});
