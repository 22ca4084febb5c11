import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withinTime } from '../../../../services/runtime/loop/time-box.ts';

const endless: Readonly<Record<string, () => unknown>> = {
  'a loop': () => {
    for (;;);
  },
  'a loop that catches everything': () => {
    for (;;)
      try {
        for (;;);
      } catch {}
  },
  'a regular expression that backtracks': () => /^(a+)+$/.test(`${'a'.repeat(50)}b`),
  'a comparison that never ends a sort': () =>
    Array.from({ length: 100 }, (_, at) => at).sort(() => {
      for (;;);
    }),
};

for (const [what, act] of Object.entries(endless))
  test(`${what} ends when its time is up, and the next call has its own time`, () => {
    assert.deepEqual(withinTime(50, act), { ended: true });
    assert.deepEqual(
      withinTime(1_000, () => 7),
      { ended: false, value: 7 },
    );
  });

test('a time-limited call returns its value, throws its error and may run other calls', () => {
  assert.deepEqual(
    withinTime(1_000, () => withinTime(500, () => 1)),
    { ended: false, value: { ended: false, value: 1 } },
  );
  assert.throws(() => withinTime(1_000, () => JSON.parse('{')), SyntaxError);
  assert.deepEqual(
    withinTime(1_000, () => undefined),
    { ended: false, value: undefined },
  );
});
