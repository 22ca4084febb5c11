import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createGroupPeers } from '../../../../services/extras/urlfrontier/group-peers.ts';
import type { Peer } from '../../../../services/extras/urlfrontier/grpc-peer.ts';
import { partitionNumber } from '../../../../services/extras/urlfrontier/router.ts';
import type { ServedCrawl, ServedCrawls } from '../../../../services/extras/urlfrontier/served-crawl.ts';
import type { Clock } from '../../../../services/runtime/clock.ts';
import type { GroupMember } from '../../../../services/runtime/log/log.ts';

const here = 'here:7071';

/** A crawl of three partitions, of which this process has the first; keys by their partition. */
const crawl = { id: 'x', name: 'served-4', partitions: [{}, undefined, undefined] } as unknown as ServedCrawl;
const keyOf = (partition: number) =>
  Array.from({ length: 99 }, (_, n) => `host-${n}.com`).find((key) => partitionNumber(crawl, key) === partition)!;

function rig(members: Readonly<Record<string, readonly GroupMember[]>>) {
  let nowMs = 0;
  let failing = false;
  const asked: string[] = [];
  const connected: string[] = [];
  const closed: string[] = [];
  const peers = createGroupPeers({
    log: {
      membersOf: async (group) => {
        asked.push(group);
        if (failing) throw new Error('the broker is away');
        return members[group] ?? [];
      },
    },
    clock: { nowMs: () => nowMs } as Clock,
    crawls: {
      open: async () => crawl,
      find: async (id: string) => (id === 'x' ? crawl : undefined),
    } as Partial<ServedCrawls> as ServedCrawls,
    address: here,
    firstCrawl: 'served',
    connect: (address) => {
      connected.push(address);
      return { address, close: () => closed.push(address) } as unknown as Peer;
    },
  });
  const place = async (peer: Promise<Peer | undefined>) => ((await peer) as { address?: string } | undefined)?.address;
  const places = async (some: Promise<readonly Peer[]>) =>
    (await some).map((peer) => (peer as unknown as { address: string }).address);
  return {
    peers,
    place,
    places,
    asked,
    connected,
    closed,
    at: (ms: number) => (nowMs = ms),
    fails: (does: boolean) => (failing = does),
  };
}

const member = (address: string | null, ...owned: number[]) => ({ address, owned }) as unknown as GroupMember;

test('a queue belongs to this process, to another, or for the moment to nobody', async () => {
  const group = { 'served-4.frontier': [member(here, 0), member('one:1', 1), member(null, 2)] };
  const { peers, place, asked, connected } = rig(group);
  assert.equal(await place(peers.ownerOf('x', keyOf(0))), undefined);
  assert.deepEqual(asked, [], 'what is here needs no question');
  assert.equal(await place(peers.ownerOf('x', keyOf(1))), 'one:1');
  assert.equal(await place(peers.ownerOf('x', keyOf(1))), 'one:1');
  assert.deepEqual(connected, ['one:1'], 'one connection for each');
  const takenOver = { code: 'UNAVAILABLE', message: /^partition 2 is moving to another process/ };
  await assert.rejects(peers.ownerOf('x', keyOf(2)), takenOver, 'a member without an address');
  const none = rig({ 'served-4.frontier': [member('one:1', 1)] });
  await assert.rejects(none.peers.ownerOf('x', keyOf(2)), takenOver, 'no member');
  const moving = rig({ 'served-4.frontier': [member(here, 0, 2)] });
  await assert.rejects(moving.peers.ownerOf('x', keyOf(2)), takenOver, 'it is to come here, and is not here yet');
});

test('other members are named once each, without this process and those without an address', async () => {
  const { peers, places, asked } = rig({
    'served.frontier': [member('two:2', 0), member(here, 1), member('one:1', 2), member('two:2', 3), member(null, 4)],
    'served-4.frontier': [member('three:3', 0)],
  });
  assert.deepEqual(await places(peers.others()), ['two:2', 'one:1']);
  assert.deepEqual(await places(peers.others('x')), ['three:3']);
  assert.deepEqual(await places(peers.others('unknown')), []);
  assert.deepEqual(asked, ['served.frontier', 'served-4.frontier']);
  assert.deepEqual(await peers.nodes(), [here, 'one:1', 'two:2']);
});

test('a process without other members is a node alone', async () => {
  assert.deepEqual(await rig({}).peers.nodes(), [here]);
});

test('members are looked up at most every half second, and at once after a failure', async () => {
  const { peers, places, asked, at, fails } = rig({ 'served.frontier': [member('one:1', 0)] });
  await peers.others();
  at(499);
  await peers.others();
  assert.equal(asked.length, 1);
  at(500);
  await peers.others();
  assert.equal(asked.length, 2);
  at(1_000);
  fails(true);
  await assert.rejects(peers.others(), /the broker is away/);
  fails(false);
  assert.deepEqual(await places(peers.others()), ['one:1']);
  assert.equal(asked.length, 4);
});

test('closing closes every connection', async () => {
  const { peers, closed } = rig({ 'served.frontier': [member('one:1', 0), member('two:2', 1)] });
  await peers.others();
  peers.close();
  assert.deepEqual(closed.sort(), ['one:1', 'two:2']);
});
