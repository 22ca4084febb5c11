import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { startBroker, type TestBroker } from '../../../../../lab/kafka/broker.ts';
import { skipReason } from '../../../../../lab/kafka/components.ts';
import { openKafkaLog } from '../../../../../services/runtime/log/kafka/kafka-log.ts';
import type { Log, Membership, StandbyPlace } from '../../../../../services/runtime/log/log.ts';

const skip = (await skipReason()) ?? false;

describe('a group whose partitions have state', { skip, timeout: 600_000 }, () => {
  let broker: TestBroker;
  const logs: Log[] = [];
  before(async () => {
    broker = await startBroker();
  });
  after(async () => {
    for (const log of logs) await log.close();
    await broker?.stop();
  });

  /** A member that owns and copies what it is told, and has caught up with what the test says. */
  const join = async (group: string, topic: string, warmUpMsMax: number) => {
    const log = await openKafkaLog({
      ...{ brokers: broker.brokers.split(','), clientId: 'member', heartbeatMs: 100, sessionTimeoutMs: 3_000 },
      warmUpMsMax,
    });
    logs.push(log);
    await log.createTopics([{ name: topic, partitions: 4, retention: 'state' }]);
    const member = {
      caughtUp: [] as number[],
      owned: [] as readonly number[],
      copies: [] as readonly StandbyPlace[],
      membership: undefined as Membership | undefined,
    };
    member.membership = await log.join({
      group,
      topics: [topic],
      caughtUp: () => member.caughtUp,
      onAssigned: (owned, copies) => Object.assign(member, { owned, copies }),
      onFailure: assert.ifError,
    });
    return member;
  };
  const until = async (what: string, holds: () => boolean, state: () => unknown) => {
    const deadline = Date.now() + 20_000;
    while (!holds()) {
      assert.ok(Date.now() < deadline, `${what}: ${JSON.stringify(state())}`);
      await sleep(50);
    }
  };
  const numbers = (copies: readonly StandbyPlace[]) => copies.map(({ partition }) => partition);

  it('a group with state gives an empty newcomer copies first, and partitions once they have caught up', async () => {
    const group = `warm-${process.pid}`;
    const first = await join(group, group, 60_000);
    assert.deepEqual(first.owned, [0, 1, 2, 3]);
    const second = await join(group, group, 60_000);
    const state = () => ({ first: first.owned, second: second.owned, copies: second.copies });
    await until('the newcomer warms two up', () => second.copies.length === 2, state);
    await sleep(1_000);
    assert.deepEqual([first.owned, second.owned], [[0, 1, 2, 3], []], 'nothing moves to who has nothing');
    second.caughtUp = numbers(second.copies);
    await until('they move', () => second.owned.length === 2 && first.owned.length === 2, state);
    assert.deepEqual(second.owned, second.caughtUp);
    assert.deepEqual(second.copies, []);
  });

  it('a group with state gives a newcomer its partitions as they are after the bound', async () => {
    const group = `warm-bound-${process.pid}`;
    const first = await join(group, group, 3_000);
    const second = await join(group, group, 3_000);
    const state = () => ({ first: first.owned, second: second.owned, copies: second.copies });
    await until('the newcomer warms two up', () => second.copies.length === 2, state);
    assert.deepEqual(first.owned, [0, 1, 2, 3]);
    await until('they move', () => second.owned.length === 2 && first.owned.length === 2, state);
  });
});
