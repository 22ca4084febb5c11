import assert from 'node:assert/strict';
import { test } from 'node:test';
import { logShare, passed, saturation, share } from '../../../../topology/policy/score/curves.ts';

test('each curve is 0 up to 0, and has its known points', () => {
  for (const value of [-1e9, -1, -1e-9, 0])
    assert.deepEqual(
      [saturation(value, 5), logShare(value, 5), passed(value, 5), share(value)].map((one) => one + 0),
      [0, 0, 0, 0],
      `${value}`,
    );
  assert.deepEqual([saturation(5, 5), saturation(15, 5)], [0.5, 0.75]);
  assert.deepEqual([logShare(99, 99), logShare(1e9, 99)], [1, 1]);
  assert.ok(Math.abs(logShare(9, 99) - 0.5) < 1e-12, 'equal steps for equal ratios');
  assert.equal(passed(5, 5), 1 - 1 / Math.E);
  assert.deepEqual([share(0.5), share(1), share(1.5), share(Number.NaN)], [0.5, 1, 1, 0]);
});

test('each curve rises, and stays within 0 and 1', () => {
  for (const curve of [saturation, logShare, passed]) {
    let before = 0;
    for (let value = 1e-6; value < 1e12; value *= 3) {
      const now = curve(value, 7);
      assert.ok(now >= before && now <= 1, `${curve.name}(${value}): ${now} behind ${before}`);
      before = now;
    }
    assert.ok(before > 0.999);
  }
});
