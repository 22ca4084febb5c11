import assert from 'node:assert/strict';
import { test } from 'node:test';
import { lineLimits } from '../../../../services/runtime/logging/line-limits.ts';
import type { LogLine } from '../../../../services/runtime/logging/log-line.ts';
import { RepeatedLines } from '../../../../services/runtime/logging/repeated-lines.ts';

function repeating() {
  let now = 0;
  const written: LogLine[] = [];
  const due: { readonly atMs: number; readonly act: () => void }[] = [];
  const lines = new RepeatedLines({
    nowMs: () => now,
    write: (line) => written.push(line),
    later: (ms, act) => void due.push({ atMs: now + ms, act }),
  });
  const pass = (ms: number) => {
    now += ms;
    for (const one of due.splice(0)) {
      if (one.atMs <= now) one.act();
      else due.push(one);
    }
  };
  const say = (text: string, component: LogLine['component'] = 'brokers') =>
    lines.take({ text, level: 'warn', component, fields: {} });
  return { written, lines, pass, say };
}

test('an error that occurs ten thousand times is a few lines and a count, and no other line is dropped', () => {
  const { written, pass, say } = repeating();
  for (let n = 0; n < 10_000; n++) say(`request ${n} of 10000 has no answer`);
  say('a broker is back');
  assert.equal(written.length, lineLimits.repeatsWritten + 1);
  assert.equal(written.at(-1)!.text, 'a broker is back');
  pass(lineLimits.windowMs);
  const counted = written.at(-1)!;
  const left = 10_000 - lineLimits.repeatsWritten;
  assert.equal(counted.text, `repeated ${left} more times in 60 s: request 0 of 10000 has no answer`);
  assert.deepEqual(counted.fields, { repeated: left });
  assert.deepEqual([counted.level, counted.component], ['warn', 'brokers']);
});

test('the same line an hour later is written again, and one that came twice has no count', () => {
  const { written, pass, say } = repeating();
  say('no answer');
  say('no answer');
  pass(3_600_000);
  say('no answer');
  assert.deepEqual(
    written.map(({ text }) => text),
    ['no answer', 'no answer', 'no answer'],
  );
});

test('a process that ends says what it left out so far', () => {
  const { written, lines, pass, say } = repeating();
  for (let n = 0; n < 9; n++) say('no answer');
  pass(1_000);
  lines.flush();
  assert.equal(written.at(-1)!.text, `repeated ${9 - lineLimits.repeatsWritten} more times in 1 s: no answer`);
});

test('lines of traced URLs and progress are all written', () => {
  const { written, say } = repeating();
  for (let n = 0; n < 50; n++) say('fetch', n % 2 === 0 ? 'trace' : 'progress');
  assert.equal(written.length, 50);
});

test('ever new kinds of lines take bounded space, and evicted ones are reported', () => {
  const { written, say } = repeating();
  for (let n = 0; n < lineLimits.repeatsWritten + 3; n++) say('the first');
  const kinds = 'x'.repeat(lineLimits.kindsMax);
  for (let n = 1; n <= kinds.length; n++) say(kinds.slice(0, n));
  assert.ok(written.some(({ text }) => text.startsWith('repeated 3 more times')));
});

test('a line that was written each time has no count at the end', () => {
  const { written, lines, say } = repeating();
  for (let n = 0; n < lineLimits.repeatsWritten; n++) say('no answer');
  lines.flush();
  assert.equal(written.length, lineLimits.repeatsWritten);
  say('no answer');
  lines.flush();
  assert.equal(written.length, lineLimits.repeatsWritten + 1, 'its count begins again');
});
