/** Consumer groups on a real broker: shared out, handed over, taken away. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { startBroker, type TestBroker } from '../../../../../lab/kafka/broker.ts';
import { skipReason } from '../../../../../lab/kafka/components.ts';
import { type KafkaLogOptions, openKafkaLog } from '../../../../../services/runtime/log/kafka/kafka-log.ts';
import type { GroupOptions, Log, Membership, StandbyPlace } from '../../../../../services/runtime/log/log.ts';

const skip = (await skipReason()) ?? false;
const partitions = 8;

interface Member {
  readonly log: Log;
  readonly membership: Membership;
  readonly reported: (readonly number[])[];
  /** With each assignment. */
  readonly copies: (readonly StandbyPlace[])[];
  readonly failures: unknown[];
}

describe('a group on Kafka', { skip }, () => {
  let broker: TestBroker;
  let topics: string[];
  let count = 0;
  const open: Log[] = [];
  before(async () => {
    broker = await startBroker();
  });
  after(async () => {
    await Promise.all(open.map((log) => log.close()));
    await broker?.stop();
  });

  const newLog = async (more: Partial<KafkaLogOptions> = {}) => {
    const brokers = broker.brokers.split(',');
    const log = await openKafkaLog({ brokers, clientId: 'groups', heartbeatMs: 200, ...more });
    open.push(log);
    return log;
  };
  const newGroup = async () => {
    const name = `groups-${process.pid}-${count++}`;
    topics = [`${name}.discovered`, `${name}.results`];
    const log = await newLog();
    await log.createTopics(topics.map((each) => ({ name: each, partitions, retention: 'state' as const })));
    return name;
  };
  const join1 = async (group: string, more: Partial<GroupOptions> = {}, sessionTimeoutMs = 10_000): Promise<Member> => {
    const log = await newLog({ sessionTimeoutMs });
    const reported: (readonly number[])[] = [];
    const copies: (readonly StandbyPlace[])[] = [];
    const failures: unknown[] = [];
    const membership = await log.join({
      group,
      topics,
      onAssigned: (owned, standbys) => {
        reported.push(owned);
        copies.push(standbys);
      },
      onFailure: (error) => failures.push(error),
      ...more,
    });
    return { log, membership, reported, copies, failures };
  };
  /** Until the members' newest assignments share out everything, evenly. */
  const settled = async (members: readonly Member[]): Promise<void> => {
    const shares = () => members.map(({ reported }) => reported.at(-1) ?? []);
    for (let tries = 0; ; tries++) {
      const all = shares()
        .flat()
        .sort((a, b) => a - b);
      const isWhole = all.length === partitions && all.every((each, i) => each === i);
      if (isWhole && members.every(({ membership }) => membership.members === members.length)) break;
      assert.ok(tries < 100, `not settled: ${JSON.stringify(shares())}`);
      await sleep(50);
    }
    const counts = shares().map((owned) => owned.length);
    assert.ok(Math.max(...counts) - Math.min(...counts) <= 1, `balanced: ${counts}`);
  };
  const moved = (before: readonly (readonly number[])[], members: readonly Member[]) =>
    before.flatMap((owned, i) => owned.filter((each) => !members[i]?.reported.at(-1)?.includes(each))).length;

  it('a group shares out partitions among members that come and go, moving few', { timeout: 300_000 }, async () => {
    const group = await newGroup();
    const a = await join1(group);
    assert.deepEqual(a.reported, [[0, 1, 2, 3, 4, 5, 6, 7]]);
    const b = await join1(group);
    await settled([a, b]);
    const two = [a, b].map(({ reported }) => reported.at(-1) as readonly number[]);
    const c = await join1(group);
    await settled([a, b, c]);
    assert.equal(moved(two, [a, b]), 2);
    const three = [a, c].map(({ reported }) => reported.at(-1) as readonly number[]);
    await b.membership.leave();
    const startMs = Date.now();
    await settled([a, c]);
    assert.ok(Date.now() - startMs < 2000, 'at once, not after a session');
    assert.equal(moved(three, [a, c]), 0);
    assert.deepEqual([...a.failures, ...b.failures, ...c.failures], []);
    await Promise.all([a, c].map(({ membership }) => membership.leave()));
  });

  it('a group keeps a member whose handlers take longer than its session', { timeout: 300_000 }, async () => {
    const group = await newGroup();
    const log = await openKafkaLog({
      brokers: broker.brokers.split(','),
      clientId: 'slow',
      sessionTimeoutMs: 1000,
      heartbeatMs: 200,
    });
    open.push(log);
    const reported: unknown[] = [];
    await log.join({
      group,
      topics,
      onAssigned: (owned) => reported.push(owned),
      onFailure: (error) => reported.push(error),
    });
    await sleep(2500);
    assert.equal(reported.length, 1);
    await log.commit(group, [{ topic: topics[0] as string, partition: 0, offset: 3 }]);
    assert.equal(await log.committed(group, topics[0] as string, 0), 3);
  });

  it('a group lets only a partition’s owner commit its position', { timeout: 300_000 }, async () => {
    const group = await newGroup();
    const topic = topics[0] as string;
    const [a, b] = [await join1(group), await join1(group)];
    await settled([a, b]);
    const mine = a.reported.at(-1)?.[0] as number;
    await a.log.commit(group, [{ topic, partition: mine, offset: 7 }]);
    assert.equal(await b.log.committed(group, topic, mine), 7);
    await assert.rejects(b.log.commit(group, [{ topic, partition: mine, offset: 1 }]), { code: 'OWNERSHIP_LOST' });
    const outsider = await newLog();
    await assert.rejects(outsider.commit(group, [{ topic, partition: mine, offset: 1 }]), { code: 'GROUP_ACTIVE' });
    await Promise.all([a.membership.leave(), b.membership.leave()]);
    const late = [{ topic, partition: mine, offset: 1 }];
    await assert.rejects(
      a.log.commit(group, late),
      { code: 'OWNERSHIP_LOST' },
      'who was a member is none from outside',
    );
    assert.equal(await outsider.committed(group, topic, mine), 7);
  });

  it('a group places warm copies beside the owners, and hands over to them', { timeout: 300_000 }, async () => {
    const group = await newGroup();
    const more = { standbys: 1, address: '127.0.0.1:1' };
    const a = await join1(group, { ...more, instanceId: 'a' });
    assert.deepEqual(a.copies.at(-1), []);
    const b = await join1(group, { ...more, instanceId: 'b' });
    await settled([a, b]);
    const others = (member: Member) => member.copies.at(-1)!.map(({ partition }) => partition);
    assert.deepEqual(others(a), b.reported.at(-1));
    assert.deepEqual(others(b), a.reported.at(-1));
    assert.deepEqual(
      (await a.log.membersOf(group)).map(({ name, address, owned, standbys }) => [
        name,
        address,
        owned,
        standbys.length,
      ]),
      [
        ['a', '127.0.0.1:1', a.reported.at(-1), 4],
        ['b', '127.0.0.1:1', b.reported.at(-1), 4],
      ],
    );
    const had = a.reported.at(-1)!;
    await a.membership.leave();
    await settled([b]);
    assert.deepEqual(b.copies.at(-1), [], 'nobody keeps a copy of its own partitions');
    // Back with what it kept on disk: it gets that again.
    const again = await join1(group, { ...more, instanceId: 'a', holds: () => had });
    await settled([b, again]);
    assert.deepEqual(again.reported.at(-1), had);
    await Promise.all([b, again].map(({ membership }) => membership.leave()));
    assert.deepEqual(await b.log.membersOf(group), []);
  });

  it('a group returns its partitions to a member that comes back, and moves nothing', {
    timeout: 300_000,
  }, async () => {
    const group = await newGroup();
    const a = await join1(group, { instanceId: 'a' });
    const b = await join1(group, { instanceId: 'b' }, 1_500);
    await settled([a, b]);
    const [had, rounds] = [b.reported.at(-1), a.reported.length];
    // The same name in another process: as after a kill -9, before the session has run out.
    const again = await join1(group, { instanceId: 'b' });
    assert.deepEqual(again.reported, [had]);
    while (b.failures.length === 0) await sleep(100);
    assert.deepEqual(b.reported.at(-1), [], 'the older one has nothing any more');
    assert.equal(a.reported.length, rounds, 'nobody else hears of it');
    assert.match(
      String(b.failures[0]),
      /another process has joined group .* as b: give each process a different --instance-id/,
    );
    assert.deepEqual([...a.failures, ...again.failures], []);
    await Promise.all([a, again].map(({ membership }) => membership.leave()));
  });

  it('a group refuses members with another assignment protocol', { timeout: 300_000 }, async () => {
    const { Kafka, logLevel } = await import('kafkajs');
    const group = await newGroup();
    const foreign = new Kafka({ brokers: broker.brokers.split(','), logLevel: logLevel.NOTHING }).consumer({
      groupId: group,
    });
    await foreign.connect();
    await foreign.subscribe({ topics });
    const joined = new Promise((resolve) => foreign.on(foreign.events.GROUP_JOIN, resolve));
    await foreign.run({ eachMessage: async () => {} });
    await joined;
    await assert.rejects(join1(group), {
      code: 'INVALID_ARGUMENT',
      message: new RegExp(`${group} .*another partition assignor`),
    });
    await foreign.disconnect();
  });

  it('a group replaces a member that is stopped past its session, and informs it when it wakes', {
    timeout: 300_000,
  }, async () => {
    const group = await newGroup();
    const topic = topics[0] as string;
    topics = [topic];
    const sleeper = startMember(broker.brokers, group, topic);
    assert.deepEqual(await sleeper.next('assigned'), [0, 1, 2, 3, 4, 5, 6, 7]);
    const heir = await join1(group);
    const shared = (await sleeper.next('assigned')) as number[];
    await settledWith(heir, shared);
    sleeper.child.kill('SIGSTOP');
    for (let tries = 0; heir.reported.at(-1)?.length !== partitions; tries++) {
      assert.ok(tries < 100, 'the stopped member was not replaced');
      await sleep(100);
    }
    sleeper.child.kill('SIGCONT');
    sleeper.child.stdin?.write(`${JSON.stringify({ commit: shared[0] })}\n`);
    assert.deepEqual(await sleeper.next('assigned'), [], 'what it had was another’s in between, whatever it gets now');
    const again = (await sleeper.next('assigned')) as number[];
    assert.equal(again.length, partitions / 2);
    assert.equal(await sleeper.next('commit'), 'OWNERSHIP_LOST');
    await settledWith(heir, again);
    sleeper.child.stdin?.write('leave\n');
    await sleeper.ended;
    await heir.membership.leave();
  });

  const settledWith = async (member: Member, other: readonly number[]) => {
    for (let tries = 0; ; tries++) {
      const all = [...(member.reported.at(-1) ?? []), ...other].sort((a, b) => a - b);
      if (all.length === partitions && all.every((each, i) => each === i)) return;
      assert.ok(tries < 100, `not shared out: ${all}`);
      await sleep(50);
    }
  };
});

interface MemberProcess {
  readonly child: ChildProcess;
  readonly ended: Promise<unknown>;
  /** The next line that tells this. */
  next(what: 'assigned' | 'commit'): Promise<unknown>;
}

function startMember(brokers: string, group: string, topic: string): MemberProcess {
  const script = join(import.meta.dirname, 'member.ts');
  const child = spawn(process.execPath, ['--import', 'tsx', script, brokers, group, topic], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  process.once('exit', () => child.kill('SIGKILL'));
  const lines = createInterface({ input: child.stdout as NonNullable<typeof child.stdout> })[Symbol.asyncIterator]();
  const waiting: Record<string, unknown>[] = [];
  return {
    child,
    ended: new Promise((resolve) => child.once('exit', resolve)),
    next: async (what) => {
      for (;;) {
        const at = waiting.findIndex((each) => what in each);
        if (at >= 0) return waiting.splice(at, 1)[0]?.[what];
        const { value, done } = await lines.next();
        assert.ok(!done, 'the member ended');
        waiting.push(JSON.parse(value as string) as Record<string, unknown>);
      }
    },
  };
}
