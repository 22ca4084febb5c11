import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import { type BlockedAppend, watchAppends } from '../../../../../services/runtime/log/kafka/append-watch.ts';
import { createBrokerWatch } from '../../../../../services/runtime/log/kafka/broker-watch.ts';

const lookMs = 2_000;

/** Both watches as a log has them, with their lines in one list, on a clock that the test moves. */
function watched(t: { after(act: () => void): void }) {
  let nowMs = 1_000;
  mock.timers.enable({ apis: ['setTimeout', 'setInterval'] });
  mock.method(performance, 'now', () => nowMs);
  t.after(() => {
    mock.timers.reset();
    mock.restoreAll();
  });
  const lines: string[] = [];
  const brokers = createBrokerWatch((text) => lines.push(text));
  let blocked: BlockedAppend[] = [];
  const appends = watchAppends(
    () => blocked,
    brokers.lastAwayMs,
    (text) => lines.push(text),
    lookMs,
  );
  return {
    ...{ brokers, appends, lines },
    wait(ms: number) {
      for (let left = ms; left > 0; left -= 1_000) {
        nowMs += 1_000;
        mock.timers.tick(1_000);
      }
    },
    block(...partitions: Partial<BlockedAppend>[]) {
      const fresh = { topic: 't', partition: 0, sinceMs: nowMs, why: 'no answer', broker: 'b:1', isGivenUp: false };
      blocked = partitions.map((one) => ({ ...fresh, ...one }));
    },
  };
}

test('partitions of a broker that is away have no line beside the line of their broker', (t) => {
  const { brokers, appends, block, lines, wait } = watched(t);
  brokers.answered('b:1');
  brokers.answered('b:2');
  brokers.failed('b:1', 'refused');
  block({ partition: 0 }, { partition: 1 });
  wait(60_000);
  assert.equal(appends.blocked, null);
  brokers.answered('b:1');
  wait(8_000);
  block();
  wait(20_000);
  assert.equal(lines.length, 2, lines.join('\n'));
  assert.match(lines[0]!, /^broker b:1 does not answer/);
  assert.match(lines[1]!, /^broker b:1 answers again/);
});

test('while no broker answers, a partition whose leader is not known has no line either', (t) => {
  const { brokers, block, lines, wait } = watched(t);
  brokers.failed('b:1', 'refused');
  block({ broker: undefined });
  wait(60_000);
  assert.equal(lines.length, 1, lines.join('\n'));
});

test('a partition is reported that takes no appends for 10 s after its broker is back', (t) => {
  const { brokers, appends, block, lines, wait } = watched(t);
  brokers.answered('b:1');
  brokers.failed('b:1', 'refused');
  block({ why: 'NOT_ENOUGH_REPLICAS' });
  wait(30_000);
  brokers.answered('b:1');
  wait(8_000);
  const early = appends.blocked;
  wait(6_000);
  assert.deepEqual([early, appends.blocked?.count], [null, 1]);
  assert.match(lines.at(-1)!, /^no append to t\/0 for 4\d s \(NOT_ENOUGH_REPLICAS\)/);
});

test('a partition of a broker that answers is reported while another broker is away', (t) => {
  const { brokers, block, lines, wait } = watched(t);
  brokers.answered('b:1');
  brokers.failed('b:2', 'refused');
  block({ why: 'NOT_ENOUGH_REPLICAS' });
  wait(20_000);
  assert.equal(lines.length, 2, lines.join('\n'));
  assert.match(lines[1]!, /^no append to t\/0/);
});

test('a broker that is known as away a second after its partitions are blocked has one line', (t) => {
  const { brokers, block, lines, wait } = watched(t);
  brokers.answered('b:1');
  block({});
  wait(3_000);
  brokers.failed('b:1', 'timed out');
  wait(20_000);
  assert.equal(lines.length, 1, lines.join('\n'));
});

test('a broker that answers logins and no appends does not hide its partitions', (t) => {
  const { brokers, block, lines, wait } = watched(t);
  brokers.answered('b:1');
  block({});
  for (let n = 0; n < 3; n++) {
    wait(10_000);
    brokers.failed('b:1', 'timed out');
    brokers.answered('b:1');
  }
  assert.match(lines.join('\n'), /^no append to t\/0 [^\n]*$/);
});

test('appends that were given up are reported as given up, not as taken', (t) => {
  const { block, lines, wait } = watched(t);
  const blocked = { sinceMs: 1_000, why: 'NOT_ENOUGH_REPLICAS' };
  block(blocked);
  wait(120_000);
  block({ ...blocked, isGivenUp: true });
  wait(60_000);
  assert.equal(lines.length, 2, lines.join('\n'));
  assert.match(lines[1]!, /^t\/0: all waiting appends were given up after 12\d s$/);
});

test('a blocked partition has one line at its beginning and one when it takes appends again', (t) => {
  const { block, lines, wait } = watched(t);
  block({});
  wait(30_000);
  block();
  wait(10_000);
  assert.equal(lines.length, 2, lines.join('\n'));
  assert.match(lines[1]!, /^all partitions take appends again, after \d+ s$/);
});

test('a partition that blocks after the line and whose appends are given up is not reported as taking appends', (t) => {
  const { block, lines, wait } = watched(t);
  const late = { partition: 2, sinceMs: 21_000, why: 'NOT_ENOUGH_REPLICAS' };
  block({ partition: 1 });
  wait(30_000);
  block({ partition: 1 }, late);
  wait(10_000);
  block(late);
  wait(80_000);
  block({ ...late, isGivenUp: true });
  wait(20_000);
  assert.equal(lines.length, 2, lines.join('\n'));
  assert.match(
    lines[1]!,
    /^t\/2: all waiting appends were given up after 10\d s; the other reported partitions take appends again$/,
  );
});

test('partitions that take appends again are named while those of a broker that is away do not', (t) => {
  const { brokers, block, lines, wait } = watched(t);
  brokers.answered('b:1');
  brokers.answered('b:2');
  block({ partition: 1 });
  wait(30_000);
  brokers.failed('b:2', 'refused');
  const away = { partition: 2, broker: 'b:2' };
  block({ partition: 1 }, away);
  wait(20_000);
  block(away);
  wait(20_000);
  assert.match(lines.at(-1)!, /^t\/1 takes appends again, after 5\d s$/);
  assert.doesNotMatch(lines.join('\n'), /all partitions/);
});
