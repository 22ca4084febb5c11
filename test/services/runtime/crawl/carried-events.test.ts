/** What a process that opens a crawl reads of `control` is the same before and after a trim, wherever it cuts. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { numbers } from '../../../../lab/web/random.ts';
import { blankControl } from '../../../../schemas/blank.ts';
import type { Control } from '../../../../schemas/types.ts';
import { createMemoryRegistry } from '../../../../services/runtime/avro/memory-registry.ts';
import { openCodec } from '../../../../services/runtime/avro/record-codec.ts';
import { SystemClock } from '../../../../services/runtime/clock.ts';
import { carryOver } from '../../../../services/runtime/crawl/carry-over.ts';
import { askedBy, controlEvents, followControl } from '../../../../services/runtime/crawl/control-log.ts';
import { Purges, readPurges } from '../../../../services/runtime/crawl/purges.ts';
import { openEmbeddedLog } from '../../../../services/runtime/log/embedded-log.ts';
import { createMemoryStore } from '../../../../services/runtime/store/memory-store.ts';
import { liftedPurge, ofWebmaster } from '../../../../topology/frontier/decide/control-payloads.ts';

const crawl = 'c';
const topic = 'c.control';
const hosts = ['a.test', 'b.test', 'c.test'];
const urls = hosts.flatMap((host) => [`http://${host}/`, `http://${host}/x`]);
const times = [...Array(30).keys(), Number.MAX_SAFE_INTEGER];
const codec = await openCodec(createMemoryRegistry(), crawl);

type Event = Partial<Control> & Pick<Control, 'kind'>;

async function logOf(partition: number, events: readonly Event[]) {
  const log = await openEmbeddedLog(createMemoryStore(), new SystemClock());
  await log.createTopics([{ name: topic, partitions: 2, retention: 'state' }]);
  await log.append(
    events.map((event) => ({
      ...{ topic, partition, key: null },
      value:
        event.kind === 'unknown' ? Buffer.from('no record') : codec.encode('control', { ...blankControl, ...event }),
    })),
  );
  return log;
}

type Log = Awaited<ReturnType<typeof logOf>>;

/** What counts of it: manifest, policies, key, notes, and pages that are purged, by the time of their fetch. */
async function readBy(log: Log, partition: number) {
  const purges = await readPurges(log, codec, { crawl, partitions: 2 });
  const { start, end } = await log.offsets(topic, partition);
  let key = '';
  const notes = new Set<string>();
  for await (const { event } of controlEvents(log, codec, crawl, partition, start, end)) {
    if (event.kind === 'signingKey') key = event.payload;
    if (event.kind === 'schema') notes.add(event.payload);
  }
  return {
    summary: await followControl(log, codec, crawl)(),
    ...(partition === 0 && { key, notes: [...notes].sort() }),
    // Pages from before the purge of a host stay purged when the host is released.
    purged: urls.flatMap((url) => times.filter((atMs) => purges.refuses(url, atMs)).map((atMs) => `${url} ${atMs}`)),
  };
}

function events(seed: number): readonly Event[] {
  const next = numbers(seed);
  const below = (n: number) => next() % n;
  const hostKey = () => hosts[below(hosts.length)]!;
  const kinds: readonly ((n: number) => Event)[] = [
    () => ({
      kind: 'policy',
      version: 1 + below(6),
      by: below(2) === 0 ? askedBy : 'ada',
      payload: `{"p":${below(2)}}`,
    }),
    (n) => ({ kind: 'signingKey', payload: `key ${n}` }),
    () => ({ kind: 'schema', payload: `note ${below(4)}` }),
    (n) => ({ kind: 'purge', atMs: n, hostKey: hostKey() }),
    (n) => {
      const url = urls[below(urls.length)]!;
      return { kind: 'purge', atMs: n, hostKey: new URL(url).host, payload: JSON.stringify({ url }) };
    },
    (n) => ({ kind: 'releaseHost', atMs: n, hostKey: hostKey() }),
    (n) => ({ kind: 'releaseHost', atMs: n, hostKey: hostKey(), payload: ofWebmaster }),
    () => ({ kind: 'blockHost', hostKey: hostKey() }),
    () => ({ kind: 'unknown' }),
  ];
  return Array.from({ length: 30 }, (_, n) => kinds[below(kinds.length)]!(n));
}

for (const partition of [0, 1])
  test(`what counts of partition ${partition} of control is the same after trims, wherever they cut`, async () => {
    for (let seed = 1; seed <= 5; seed++) {
      const manifest: Event = { kind: 'manifest', payload: 'the manifest' };
      const all = [...(partition === 0 ? [manifest] : []), ...events(seed)];
      for (let cut = 0; cut <= all.length; cut += 2 + (seed % 3)) {
        const log = await logOf(partition, all);
        const before = await readBy(log, partition);
        const until = await carryOver(log, codec, { crawl, partition }, cut);
        // Not yet, if a policy that lost the race would become the first of its version.
        assert.ok(until === cut || (partition === 0 && until === 0), `${until}`);
        assert.deepEqual(await readBy(log, partition), before, `seed ${seed}, appended, and not trimmed below ${cut}`);
        await log.trim(topic, partition, until);
        assert.deepEqual(await readBy(log, partition), before, `seed ${seed}, trimmed below ${cut}`);
        // Once more, behind what was carried.
        const { end } = await log.offsets(topic, partition);
        await log.trim(topic, partition, await carryOver(log, codec, { crawl, partition }, end));
        assert.deepEqual(await readBy(log, partition), before, `seed ${seed}, trimmed twice, first below ${cut}`);
        await log.close();
      }
    }
  });

test('a second manifest, which lost the race, is not trimmed before it could become the first', async () => {
  const [own, other]: readonly Event[] = [
    { kind: 'manifest', payload: 'own' },
    { kind: 'manifest', payload: 'other' },
  ];
  const manifestOf = async (log: Log) => (await followControl(log, codec, crawl)()).manifest;
  for (const [cut, until] of [
    [1, 0],
    [2, 0],
    [3, 3],
  ] as const) {
    const log = await logOf(0, [own!, { kind: 'blockHost' }, other!, { kind: 'blockHost' }]);
    assert.equal(await carryOver(log, codec, { crawl, partition: 0 }, cut), until, `${cut}`);
    await log.trim(topic, 0, until);
    assert.equal(await manifestOf(log), 'own');
    await log.close();
  }
  const twice = await logOf(0, [own!, own!, { kind: 'blockHost' }]);
  assert.equal(await carryOver(twice, codec, { crawl, partition: 0 }, 1), 1);
  assert.equal((await twice.offsets(topic, 0)).end, 3, 'the second of two equal ones stays, and none is appended');
});

test('a second policy of one version is not trimmed before it could become the first', async () => {
  const policy = (payload: string, by: string): Event => ({ kind: 'policy', version: 5, by, payload });
  const other: Event = { kind: 'blockHost' };
  for (const [first, second] of [
    ['ada', 'bob'],
    [askedBy, 'ada'],
    ['ada', askedBy],
    [askedBy, askedBy],
  ] as const)
    for (const [cut, until] of [
      [1, 0],
      [2, 0],
      [3, 3],
    ] as const) {
      const log = await logOf(0, [policy('first', first), other, policy('second', second), other]);
      const before = await readBy(log, 0);
      assert.equal(before.summary.policy?.json, 'first');
      assert.equal(await carryOver(log, codec, { crawl, partition: 0 }, cut), until, `${first}, ${second}, ${cut}`);
      await log.trim(topic, 0, until);
      assert.deepEqual(await readBy(log, 0), before, `${first}, ${second}, ${cut}`);
      await log.close();
    }
});

test('a purge that was lifted is carried once a host, and neither removes pages again nor holds the host', async () => {
  const hostKey = 'a.test';
  const log = await logOf(1, [
    { kind: 'purge', atMs: 3, hostKey },
    { kind: 'releaseHost', atMs: 4, hostKey },
    { kind: 'purge', atMs: 5, hostKey },
    { kind: 'releaseHost', atMs: 6, hostKey },
    { kind: 'blockHost', atMs: 7, hostKey },
  ]);
  for (let trims = 1; trims <= 2; trims++) {
    const { end } = await log.offsets(topic, 1);
    await log.trim(topic, 1, await carryOver(log, codec, { crawl, partition: 1 }, end));
    const left = await log.offsets(topic, 1);
    const events = [];
    for await (const { event } of controlEvents(log, codec, crawl, 1, left.start, left.end)) events.push(event);
    assert.deepEqual(events, [{ ...blankControl, kind: 'purge', atMs: 5, hostKey, payload: liftedPurge }]);
    const purges = new Purges();
    assert.equal(purges.take(events[0]!), null);
    assert.deepEqual(
      [4, 5, 6].map((atMs) => purges.refuses(`http://${hostKey}/`, atMs)),
      [true, true, false],
    );
  }
  await log.close();
});

test('nothing is carried if nothing is trimmed', async () => {
  const log = await logOf(0, [{ kind: 'manifest', payload: 'own' }, { kind: 'blockHost' }]);
  await log.trim(topic, 0, 1);
  for (const cut of [0, 1]) assert.equal(await carryOver(log, codec, { crawl, partition: 0 }, cut), 1);
  assert.equal((await log.offsets(topic, 0)).end, 2);
});
