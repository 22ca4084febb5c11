import assert from 'node:assert/strict';
import { test } from 'node:test';
import { printRestore } from '../../../../services/hosting/progress/restore-text.ts';
import { createWorkBar } from '../../../../services/hosting/progress/work-bar.ts';

function terminal(isTTY: boolean) {
  const written: string[] = [];
  return { written, isTTY, columns: 60, write: (text: string) => written.push(text) > 0 };
}

test('a bar shows progress and the remaining time, and leaves the terminal clean', () => {
  const out = terminal(true);
  let nowMs = 0;
  const bar = createWorkBar('URLs sent', 2_000, out, () => nowMs);
  bar.add(100);
  assert.equal(out.written.length, 0, 'work of a moment draws nothing');
  nowMs = 10_000;
  bar.add(400);
  assert.match(out.written.at(-1)!, /^\r█{8}░{22} {2}25 % {2}500 of 2,000 URLs/);
  assert.ok(out.written.at(-1)!.length < 60 + '\r\x1b[K'.length);
  bar.end();
  assert.equal(out.written.at(-1), '\r\x1b[K');
  const counted = createWorkBar('lines', 0, { ...out, columns: 80 }, () => (nowMs += 1_000));
  counted.set(12_000);
  assert.match(out.written.at(-1)!, /^\r12,000 lines {2}00:00:0\d/);
});

test('no bar is drawn without a terminal; on a terminal a restore is a bar that ends as a line', () => {
  const out = terminal(false);
  const bar = createWorkBar('URLs sent', 10, out, () => performance.now() * 1e6);
  bar.add(5);
  bar.end();
  assert.equal(out.written.length, 0);
  const progress = { partition: 3, records: 5, recordsTotal: 10, urls: 7, elapsedMs: 2_000, leftMs: 2_000 };
  const seen = terminal(true);
  printRestore(progress, seen);
  printRestore({ ...progress, records: 10 }, seen);
  assert.match(seen.written[0]!, /^\r█{15}░{15} {2}50 % {2}5 of 10 records of partition 3/);
  assert.match(seen.written[1]!, /^\rpartition 3 restored in 2\.0 s.*\n$/);
});
