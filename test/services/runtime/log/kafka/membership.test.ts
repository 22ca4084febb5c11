/** A group whose coordinator the test plays. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Cluster } from '../../../../../services/runtime/log/kafka/cluster.ts';
import { transient } from '../../../../../services/runtime/log/kafka/errors.ts';
import { encodeMetadata, shareOut } from '../../../../../services/runtime/log/kafka/member-data.ts';
import { joinGroup } from '../../../../../services/runtime/log/kafka/membership.ts';
import type { GroupOptions } from '../../../../../services/runtime/log/log.ts';
import { until } from '../../../until.ts';

type Answer = (name: string) => unknown;

const never = new Promise<never>(() => {});

function startCluster(answer: Answer) {
  const asked: string[] = [];
  const released: string[] = [];
  const cluster = {
    partitionCount: async () => 4,
    sendCoordinator: async (_group: string, _purpose: string, { request }: { request: { apiName: string } }) => {
      asked.push(request.apiName);
      return answer(request.apiName);
    },
    forgetCoordinator: () => {},
    release: (purpose: string) => void released.push(purpose),
  } as unknown as Cluster;
  return { cluster, asked, released };
}

function joining(cluster: Cluster, closing: AbortSignal, more: Partial<GroupOptions> = {}) {
  const options = {
    sessionTimeoutMs: 20,
    heartbeatMs: 2,
    giveUpMs: 120_000,
    warmUpMsMax: 60_000,
    leaveMs: 20,
    closing,
  };
  const reported: (readonly number[])[] = [];
  const joins = joinGroup(
    cluster,
    { group: 'g', topics: ['t'], onAssigned: (owned) => reported.push(owned), onFailure: assert.ifError, ...more },
    options,
  );
  return { joins, reported };
}

test('a member that waits for a rebalance gives up at once when its log closes', async () => {
  const { cluster, asked } = startCluster((name) => {
    if (name === 'LeaveGroup') return { errorCode: 0 };
    // The first answer gives the id to join by; after it the group waits for its other members.
    return asked.length === 1 ? { errorCode: 79, memberId: 'm-1' } : never;
  });
  const closing = new AbortController();
  const { joins, reported } = joining(cluster, closing.signal);
  await new Promise((resolve) => setImmediate(resolve));
  closing.abort(new Error('closed'));
  await assert.rejects(joins, /closed/);
  assert.deepEqual(asked, ['JoinGroup', 'JoinGroup', 'LeaveGroup']);
  assert.deepEqual(reported, []);
});

test('a member that cannot reach the coordinator stops joining at once', async () => {
  const { cluster, asked } = startCluster(() => {
    throw transient('no broker');
  });
  const closing = new AbortController();
  const { joins } = joining(cluster, closing.signal);
  await new Promise((resolve) => setImmediate(resolve));
  closing.abort(new Error('closed'));
  await assert.rejects(joins, /closed/);
  assert.deepEqual(asked, ['JoinGroup'], 'there is nobody to be missed');
});

test('a leaving member does not wait for a coordinator that is away', async () => {
  const answers: Readonly<Record<string, unknown>> = {
    JoinGroup: { errorCode: 0, generationId: 1, leaderId: 'm-2', memberId: 'm-1', members: [] },
    SyncGroup: { errorCode: 0, memberAssignment: Buffer.alloc(0) },
  };
  const { cluster, asked } = startCluster((name) => answers[name] ?? never);
  const membership = await joining(cluster, new AbortController().signal).joins;
  await membership.leave();
  assert.deepEqual(asked, ['JoinGroup', 'SyncGroup', 'LeaveGroup']);
  assert.deepEqual([membership.isOut, membership.committer(), membership.heldSince(0)], [true, undefined, undefined]);
});

const fenced = { errorCode: 82 };
const metadata = encodeMetadata(
  { group: 'g', topics: ['t'], instanceId: 'a', onAssigned: () => {}, onFailure: () => {} },
  { owned: [], generation: 1, standbys: [], warmingMs: {} },
);
const [share] = shareOut([{ memberId: 'm', memberMetadata: metadata }], ['t'], 4);
const { memberAssignment } = share!;

/** Fences the member at its first heartbeat; `others`: who the group has a session later. */
function startFencing(others: readonly object[]) {
  let beats = 0;
  return startCluster((name) => {
    if (name === 'Heartbeat') return beats++ === 0 ? fenced : { errorCode: 0 };
    if (name === 'DescribeGroups') return { groups: [{ errorCode: 0, state: 'Stable', members: others }] };
    if (name === 'SyncGroup') return { errorCode: 0, memberAssignment };
    return { errorCode: 0, generationId: 1, leaderId: 'x', memberId: 'm', members: [] };
  });
}

test('a member expelled by a late request of a dead process owns nothing for a session, and joins again', async () => {
  const { cluster, asked } = startFencing([]);
  const { joins, reported } = joining(cluster, new AbortController().signal, { instanceId: 'a' });
  const membership = await joins;
  await until(() => reported.length >= 4);
  assert.deepEqual(reported, [[0, 1, 2, 3], [], [], [0, 1, 2, 3]]);
  const since = asked.slice(asked.indexOf('Heartbeat'));
  assert.deepEqual(since.slice(0, 4), ['Heartbeat', 'DescribeGroups', 'JoinGroup', 'SyncGroup']);
  await membership.leave();
});

test('a member replaced by another process of its name is informed', async () => {
  const { cluster } = startFencing([{ memberId: 'n', memberMetadata: metadata, memberAssignment }]);
  let fail: (error: unknown) => void = () => {};
  const failed = new Promise((_, reject) => (fail = reject));
  const { joins, reported } = joining(cluster, new AbortController().signal, { instanceId: 'a', onFailure: fail });
  const membership = await joins;
  await assert.rejects(failed, { code: 'INVALID_ARGUMENT', message: /joined group g as a: give each process/ });
  assert.deepEqual(reported, [[0, 1, 2, 3], []]);
  assert.ok(membership.isOut);
});

test('a member counts as alive for one session after the newest answered heartbeat was sent, and no longer', async () => {
  let isAway = false;
  const { cluster } = startCluster((name) => {
    if (isAway) throw transient('no broker');
    if (name === 'SyncGroup') return { errorCode: 0, memberAssignment };
    return { errorCode: 0, generationId: 1, leaderId: 'x', memberId: 'm', members: [] };
  });
  const beganMs = performance.now();
  const { joins } = joining(cluster, new AbortController().signal);
  const membership = await joins;
  const held = () => membership.heldUntilMs!;
  assert.ok(held() >= beganMs + 20 && held() <= performance.now() + 20);
  const before = held();
  await until(() => held() > before);
  isAway = true;
  const last = held();
  await until(() => performance.now() > last + 50);
  assert.ok(held() <= last + 20, 'requests without an answer keep nobody alive');
  isAway = false;
  await until(() => held() > performance.now());
  await membership.leave();
  assert.equal(held(), Number.NEGATIVE_INFINITY);
});

test('a member that must rejoin stops its work first, and is not asked at its first join', async () => {
  let beats = 0;
  const { cluster, asked } = startCluster((name) => {
    if (name === 'Heartbeat') return { errorCode: beats++ === 0 ? 27 : 0 };
    if (name === 'SyncGroup') return { errorCode: 0, memberAssignment };
    return { errorCode: 0, generationId: 1, leaderId: 'x', memberId: 'm', members: [] };
  });
  let rest = () => {};
  const resting = new Promise<void>((resolve) => (rest = resolve));
  let calls = 0;
  const beforeRejoin = () => {
    calls += 1;
    return resting;
  };
  const { joins, reported } = joining(cluster, new AbortController().signal, { beforeRejoin });
  const membership = await joins;
  assert.equal(calls, 0);
  await until(() => calls === 1);
  assert.deepEqual(asked, ['JoinGroup', 'SyncGroup', 'Heartbeat']);
  rest();
  await until(() => reported.length >= 2);
  assert.deepEqual(asked.slice(3, 5), ['JoinGroup', 'SyncGroup']);
  assert.equal(calls, 1);
  await membership.leave();
});

/** Joins for good, unless `answer` says otherwise. */
const joined = (generationId = 1) => ({ errorCode: 0, generationId, leaderId: 'x', memberId: 'm', members: [] });

for (const [errorCode, what, message] of [
  [23, 'of another kind', /^group g has members with another partition assignor: use another group name/],
  [26, 'whose brokers refuse the session', /^a session of 20 ms is outside what the brokers allow/],
  [30, 'without the right to it', /GROUP_AUTHORIZATION_FAILED/],
] as const)
  test(`a group ${what} cannot be joined, and the error says what to do`, async () => {
    const { cluster, asked } = startCluster(() => ({ errorCode, memberId: '' }));
    const { joins, reported } = joining(cluster, new AbortController().signal);
    await assert.rejects(joins, { code: 'INVALID_ARGUMENT', message });
    assert.deepEqual([asked, reported], [['JoinGroup'], []], 'a member without an id leaves nothing');
  });

test('a member that the group no longer knows joins again under a new id, and its partitions are first taken away', async () => {
  let [beats, joins] = [0, 0];
  const { cluster } = startCluster((name) => {
    if (name === 'Heartbeat') return { errorCode: beats++ === 0 ? 25 : 0 };
    if (name === 'SyncGroup') return { errorCode: 0, memberAssignment };
    if (name === 'JoinGroup') return { ...joined(joins === 0 ? 1 : 5), memberId: `m-${++joins}` };
    return { errorCode: 0 };
  });
  const { joins: first, reported } = joining(cluster, new AbortController().signal);
  const membership = await first;
  assert.deepEqual([membership.name, membership.members, membership.heldSince(3)], ['m-1', 1, 1]);
  await until(() => reported.length >= 3);
  assert.deepEqual(reported, [[0, 1, 2, 3], [], [0, 1, 2, 3]]);
  assert.deepEqual([membership.name, membership.heldSince(3), membership.heldSince(4)], ['m-2', 5, undefined]);
  assert.deepEqual(membership.committer(), { memberId: 'm-2', generation: 5 });
  await membership.leave();
});

test('a partition that stays with a member over a rebalance is held since before it, and is never taken away', async () => {
  let [beats, joins] = [0, 0];
  const shares = [memberAssignment, memberAssignment, Buffer.alloc(0)];
  const { cluster } = startCluster((name) => {
    if (name === 'Heartbeat') return { errorCode: beats++ < 2 ? 27 : 0 };
    if (name === 'SyncGroup') return { errorCode: 0, memberAssignment: shares[joins - 1] };
    return name === 'JoinGroup' ? joined(++joins) : { errorCode: 0 };
  });
  const { joins: first, reported } = joining(cluster, new AbortController().signal);
  const membership = await first;
  await until(() => reported.length >= 2);
  assert.deepEqual([reported[1], membership.heldSince(0)], [[0, 1, 2, 3], 1]);
  await until(() => reported.length >= 3);
  assert.deepEqual([reported[2], membership.heldSince(0)], [[], undefined]);
  await membership.leave();
  assert.equal(reported.length, 3);
});

test('commits wait for the assignment while a member joins again, and for nothing once it is out', async () => {
  let beats = 0;
  let share: (answer: object) => void = () => {};
  const { cluster } = startCluster((name) => {
    if (name === 'Heartbeat') return { errorCode: beats++ === 0 ? 27 : 0 };
    if (name !== 'SyncGroup') return joined(beats + 1);
    return beats === 0 ? { errorCode: 0, memberAssignment } : new Promise((resolve) => (share = resolve));
  });
  const { joins, reported } = joining(cluster, new AbortController().signal);
  const membership = await joins;
  await membership.settled();
  await until(() => membership.committer() === undefined);
  let isSettled = false;
  const settled = membership.settled().then(() => (isSettled = true));
  await new Promise((resolve) => setTimeout(resolve, 10));
  assert.deepEqual([isSettled, reported.length], [false, 1]);
  share({ errorCode: 0, memberAssignment });
  await settled;
  assert.deepEqual(membership.committer(), { memberId: 'm', generation: 2 });
  await membership.leave();
  await membership.leave();
  await membership.settled();
  assert.equal(membership.committer(), undefined);
});

test('a member that is refused for good is out, and its owner gets the error', async () => {
  const { cluster, asked } = startCluster((name) => {
    if (name === 'Heartbeat') return { errorCode: 30 };
    return name === 'SyncGroup' ? { errorCode: 0, memberAssignment } : joined();
  });
  const failures: unknown[] = [];
  const { joins } = joining(cluster, new AbortController().signal, { onFailure: (error) => void failures.push(error) });
  const membership = await joins;
  await until(() => failures.length > 0);
  assert.match(`${failures[0]}`, /joining group g is not allowed for this user/);
  assert.deepEqual([membership.isOut, membership.heldSince(0)], [true, undefined]);
  const before = asked.length;
  await membership.leave();
  assert.equal(asked.length, before, 'it has left already');
});

test('a member whose copies have caught up joins again to get their partitions', async () => {
  const [, warming] = shareOut(
    ['a', 'b'].map((memberId, n) => ({
      memberId,
      memberMetadata: encodeMetadata(
        { group: 'g', topics: ['t'], caughtUp: () => [], onAssigned: () => {}, onFailure: () => {} },
        { owned: n === 0 ? [0, 1, 2, 3] : [], generation: 1, standbys: [], warmingMs: {} },
      ),
    })),
    ['t'],
    4,
  );
  const { cluster, asked } = startCluster((name) => {
    if (name === 'SyncGroup') return { errorCode: 0, memberAssignment: warming!.memberAssignment };
    return name === 'JoinGroup' ? joined() : { errorCode: 0 };
  });
  let copies: readonly number[] = [];
  let caughtUp: readonly number[] = [];
  const { joins } = joining(cluster, new AbortController().signal, {
    caughtUp: () => caughtUp,
    onAssigned: (_, standbys) => (copies = standbys.map(({ partition }) => partition)),
  });
  const membership = await joins;
  assert.equal(membership.members, 2);
  assert.equal(copies.length, 2);
  const beats = () => asked.filter((name) => name === 'Heartbeat').length;
  const joinings = () => asked.filter((name) => name === 'JoinGroup').length;
  await until(() => beats() >= 3);
  assert.equal(joinings(), 1);
  caughtUp = copies;
  await until(() => joinings() >= 2);
  await membership.leave();
});

test('topics of a group have as many partitions as are wanted, or all the same number', async () => {
  const counts: Readonly<Record<string, number>> = { three: 3, four: 4, five: 5 };
  const { cluster } = startCluster((name) => (name === 'SyncGroup' ? { errorCode: 0, memberAssignment } : joined()));
  const counting = { ...cluster, partitionCount: async (topic: string) => counts[topic]! } as Cluster;
  const join = (topics: readonly string[], partitions?: number) =>
    joining(counting, new AbortController().signal, { topics, partitions }).joins;
  await assert.rejects(join(['three', 'four']), {
    code: 'TOPIC_MISMATCH',
    message: 'topics of one group must have equally many partitions, but three has 3, four has 4',
  });
  await assert.rejects(join(['five', 'four'], 5), { code: 'TOPIC_MISMATCH' });
  for (const [topics, partitions] of [
    [['four'], undefined],
    [['five', 'four'], 4],
    [['five', 'four'], 3],
    [[], undefined],
  ] as const)
    await (await join(topics, partitions)).leave();
});

test('a member that has left, or is out, keeps no connection', async () => {
  let isRefused = false;
  const { cluster, released } = startCluster((name) => {
    if (name === 'Heartbeat') return { errorCode: isRefused ? 30 : 0 };
    return name === 'SyncGroup' ? { errorCode: 0, memberAssignment } : joined();
  });
  const leaving = await joining(cluster, new AbortController().signal).joins;
  assert.equal(released.length, 0);
  await leaving.leave();
  assert.deepEqual(
    released.map((purpose) => purpose.replace(/\d+/, 'N')),
    ['group-N-leaving', 'group-N'],
  );
  released.length = 0;
  await joining(cluster, new AbortController().signal, { onFailure: () => {} }).joins;
  isRefused = true;
  await until(() => released.length > 0);
  assert.match(released[0]!, /^group-\d+$/);
});
