import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createBrokerTurns, enoughOf, firstOf } from '../../../../../services/runtime/log/kafka/broker-turns.ts';
import { kafkaLimits } from '../../../../../services/runtime/log/kafka/kafka-limits.ts';

test('the broker that was asked longest ago comes first, and one that failed last', () => {
  const turns = createBrokerTurns();
  assert.deepEqual(turns.order(['1', '2', '3']), ['1', '2', '3']);
  turns.asked('1');
  turns.asked('2');
  assert.deepEqual(turns.order(['1', '2', '3']), ['3', '1', '2']);
  turns.failed('3');
  assert.deepEqual(turns.order(['1', '2', '3']), ['1', '2', '3']);
  turns.answered('3');
  assert.deepEqual(turns.order(['1', '2', '3']), ['3', '1', '2']);
});

test('a broker that failed has its turn again after a while, though nobody has asked it since', () => {
  let nowMs = 0;
  const turns = createBrokerTurns(() => nowMs);
  turns.asked('1');
  turns.asked('2');
  turns.failed('1');
  turns.failed('2');
  turns.asked('3');
  assert.deepEqual(turns.order(['1', '2', '3']), ['3', '1', '2']);
  nowMs = kafkaLimits.failedBrokerMs;
  assert.deepEqual(turns.order(['1', '2', '3']), ['1', '2', '3']);
});

const later = (_: unknown, error: unknown) => error;

test('the next broker is asked when the one before fails, and when it is silent', async () => {
  const begun: number[] = [];
  const tries = [
    () => {
      begun.push(1);
      return Promise.reject(new Error('away'));
    },
    () => {
      begun.push(2);
      return new Promise<string>(() => {});
    },
    async () => {
      begun.push(3);
      return 'third';
    },
    async () => {
      begun.push(4);
      return 'fourth';
    },
  ];
  assert.equal(await firstOf(tries, 20, later), 'third');
  await sleep(50);
  assert.deepEqual(begun, [1, 2, 3]);
});

test('when all fail, the failure that says most is thrown', async () => {
  const tries = ['a', 'b', 'c'].map((name) => () => Promise.reject(new Error(name)));
  await assert.rejects(
    firstOf(tries, 1_000, (one, other) => ((other as Error).message === 'b' ? other : one)),
    /b/,
  );
});

test('a majority is there with the answers it needs, and fails once so many cannot come', async () => {
  const never = new Promise<number>(() => {});
  const fails = () => Promise.reject(new Error('away'));
  assert.deepEqual(await enoughOf([Promise.resolve(1), never, Promise.resolve(3)], 2), [1, 3]);
  await assert.rejects(enoughOf([Promise.resolve(1), fails(), fails()], 2), /away/);
});
