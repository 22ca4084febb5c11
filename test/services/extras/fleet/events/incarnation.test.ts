import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cursorIn, cursorText, eventId, positionIn } from '../../../../../services/extras/fleet/events/incarnation.ts';

const [former, now, ofBefore] = [{ incarnation: 'k3' }, { incarnation: 'k4' }, {}];
const place = { pages: 6, changes: 1 };
const start = { pages: 0, changes: 0 };

test('an event id leads to its place in its own crawl, and to the beginning of another crawl of its name', () => {
  assert.equal(eventId(now, place), '6-1-k4');
  assert.deepEqual(positionIn(now, '6-1-k4'), place);
  assert.deepEqual(positionIn(now, eventId(former, place)), start);
  assert.deepEqual(positionIn(now, '6-1'), start, 'of a crawl that an earlier release made');
  assert.deepEqual(positionIn(ofBefore, eventId(ofBefore, place)), place);
  assert.deepEqual(positionIn(ofBefore, '6-1-k4'), start);
  for (const text of ['', '6', '6-', 'x-1', '6-1-', '6-1-K', '6-1-k4-k4', '1234567890123456-1'])
    assert.equal(positionIn(now, text), undefined, text);
});

test('a cursor continues in its own crawl, and starts at the first page of another crawl of its name', () => {
  assert.equal(cursorIn(now, cursorText(now, 120)), 120);
  assert.equal(cursorIn(now, cursorText(former, 120)), 0);
  assert.equal(cursorIn(now, '120'), 0);
  assert.equal(cursorIn(ofBefore, cursorText(ofBefore, 120)), 120);
  assert.equal(cursorIn(now, '0'), 0);
});
