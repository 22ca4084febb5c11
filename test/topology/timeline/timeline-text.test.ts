import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TimelineEvent } from '../../../topology/timeline/timeline-event.ts';
import { sinceText, timelineText } from '../../../topology/timeline/timeline-text.ts';

test('the time since the first event is given in its two largest units', () => {
  const [second, minute, hour, day] = [1_000, 60_000, 3_600_000, 86_400_000];
  const reported = [0, 350, second - 1, second, 1_500, minute - 10, minute, 2 * minute + 5_900, hour - 1, hour];
  assert.deepEqual(reported.map(sinceText), [
    ...['+0 ms', '+350 ms', '+999 ms', '+1.00 s', '+1.50 s', '+59.99 s', '+1 min 0 s', '+2 min 5 s', '+59 min 59 s'],
    '+1 h 0 min',
  ]);
  assert.deepEqual([3 * hour + 4 * minute, day - 1, day, 12 * day + 8 * hour - 1, -350].map(sinceText), [
    ...['+3 h 4 min', '+23 h 59 min', '+1 d 0 h', '+12 d 7 h', '-350 ms'],
  ]);
});

test('each event is a line: when, what, its record, and the policy if it differs', () => {
  const event = (atMs: number, text: string, policyVersion: number, offset: number) =>
    ({ atMs, topic: 'results', partition: 2, offset, text, policyVersion }) as unknown as TimelineEvent;
  const events = [
    event(1_000, 'found', 0, 5),
    event(1_001, 'a\u001b[2J\u2028\u202eb', 3, 6),
    event(3_500, 'c', 3, 7),
    event(3_500, 'd', 4, 8),
  ];
  assert.equal(
    timelineText(events),
    [
      '  +0 ms  found  [results 2@5]',
      '  +1 ms  a [2J b  [results 2@6, policy 3]',
      '+2.50 s  c  [results 2@7]',
      '+2.50 s  d  [results 2@8, policy 4]',
    ].join('\n'),
  );
  assert.equal(timelineText([]), '');
});
