import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createBrokerWatch } from '../../../../../services/runtime/log/kafka/broker-watch.ts';

const long = 10_000;

test('an outage has one line at its beginning and one at its end, also if the log is reopened meanwhile', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const lines: string[] = [];
  const said = new Map<string, number>();
  const open = () => createBrokerWatch((text) => lines.push(text), said);
  const first = open();
  first.answered('b:1');
  first.failed('b:1', 'refused');
  assert.deepEqual([first.away?.count, first.away?.isCutOff], [1, true]);
  t.mock.timers.tick(long);
  first.close();
  for (let attempt = 0; attempt < 3; attempt++) {
    const again = open();
    again.failed('b:1', 'timed out');
    t.mock.timers.tick(long);
    again.close();
  }
  const last = open();
  last.failed('b:1', 'refused');
  last.answered('b:1');
  last.answered('b:1');
  t.mock.timers.tick(long);
  assert.equal(last.away, null);
  assert.equal(lines.length, 2, lines.join('\n'));
  assert.match(lines[0]!, /^broker b:1 does not answer: refused/);
  assert.match(lines[1]!, /^broker b:1 answers again, after \d+ s$/);
});

test('a connection that is soon reopened is not reported', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const watch = createBrokerWatch(() => assert.fail());
  watch.failed('b:1', 'reset');
  t.mock.timers.tick(100);
  watch.answered('b:1');
  t.mock.timers.tick(long);
  watch.failed('b:1', 'reset');
  watch.answered('b:1');
});

test('one of several brokers that is away cuts nobody off', () => {
  const watch = createBrokerWatch(() => {});
  watch.answered('b:1');
  watch.failed('b:2', 'refused');
  const { count, isCutOff, text } = watch.away!;
  assert.deepEqual([count, isCutOff], [1, false]);
  assert.match(text, /broker b:2 does not answer \(refused\), since \d+ s/);
  watch.close();
});
