import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compileWindows } from '../../../topology/policy/windows.ts';

const hour = 3_600_000;
/** Monday, 5 January 2026, 00:00 UTC. */
const monday = Date.UTC(2026, 0, 5);
const at = (hours: number) => monday + hours * hour;
const nightly = { hosts: ['a.org'], fromHour: 22, toHour: 6, utcOffsetMinutes: 0 };

test('a host without a window is always open', () => {
  assert.equal(compileWindows([])('a.org', at(3)), at(3));
  assert.equal(compileWindows([nightly])('b.org', at(12)), at(12));
});

test('inside its window a host is open now, outside at the next opening, over midnight too', () => {
  const openAt = compileWindows([nightly]);
  for (const [now, opens] of [
    [22, 22],
    [23.5, 23.5],
    [24 + 5.99, 24 + 5.99],
    [6, 22],
    [12, 22],
    [0, 0],
  ] as const) {
    assert.equal(openAt('www.a.org', at(now)), at(opens), `${now}`);
  }
});

test('hours are in the window’s offset, days those on which a window begins', () => {
  const weekend = { hosts: ['*'], fromHour: 8, toHour: 20, utcOffsetMinutes: 120, days: [6, 0] };
  const openAt = compileWindows([{ ...weekend, hosts: ['x.org'], fromHour: 0, toHour: 0, days: undefined }, weekend]);
  assert.equal(openAt('a.org', at(0)), at(5 * 24 + 6), 'Saturday, 8 o’clock two hours east of Greenwich');
  assert.equal(openAt('a.org', at(6 * 24 + 7)), at(6 * 24 + 7));
  assert.equal(openAt('a.org', at(6 * 24 + 18)), at(12 * 24 + 6));
  assert.equal(openAt('x.org', at(1)), at(1), 'equal hours never close, and the first window counts');
  const sundayNight = compileWindows([{ ...nightly, days: [0] }]);
  assert.equal(sundayNight('a.org', at(3)), at(3), 'Monday at 3 is in the window that began on Sunday');
  assert.equal(sundayNight('a.org', at(7)), at(6 * 24 + 22));
});

test('any window opens as counting the hours says', () => {
  const quarter = hour / 4;
  const windows = [
    { fromHour: 22, toHour: 6, utcOffsetMinutes: 0 },
    { fromHour: 0, toHour: 24, utcOffsetMinutes: 0, days: [3] },
    { fromHour: 23, toHour: 24, utcOffsetMinutes: -90 },
    { fromHour: 5, toHour: 5, utcOffsetMinutes: 60, days: [0, 6] },
    { fromHour: 0, toHour: 1, utcOffsetMinutes: 840, days: [1] },
    { fromHour: 12, toHour: 3, utcOffsetMinutes: -840, days: [5] },
    { fromHour: 1, toHour: 0, utcOffsetMinutes: 330 },
  ];
  for (const { days = [0, 1, 2, 3, 4, 5, 6], ...window } of windows) {
    const { fromHour, toHour, utcOffsetMinutes } = window;
    const length = toHour - fromHour + (toHour <= fromHour ? 24 : 0);
    /** By the calendar: is there a day, this one or the one before, whose window holds the time? */
    const isOpen = (ms: number) =>
      [0, 1].some((before) => {
        const local = new Date(ms + utcOffsetMinutes * 60_000 - before * 24 * hour);
        const hours = local.getUTCHours() + local.getUTCMinutes() / 60 + before * 24;
        return days.includes(local.getUTCDay()) && hours >= fromHour && hours < fromHour + length;
      });
    const openAt = compileWindows([{ hosts: ['*'], ...window, days }]);
    for (let ms = monday; ms < monday + 8 * 24 * hour; ms += quarter) {
      let wanted = ms;
      while (!isOpen(wanted)) wanted += quarter;
      assert.equal(
        openAt('a.org', ms),
        wanted,
        `${JSON.stringify({ ...window, days })} at ${new Date(ms).toISOString()}`,
      );
      assert.equal(openAt('a.org', ms + 1), isOpen(ms) ? ms + 1 : wanted);
      if (!isOpen(ms - quarter) && isOpen(ms)) assert.equal(openAt('a.org', ms - 1), ms, 'the millisecond before');
    }
  }
});
