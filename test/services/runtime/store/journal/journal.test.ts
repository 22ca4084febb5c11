/** One journal for several stores: what was acknowledged survives kills and power cuts, and nothing old is written over what is new. */
import assert from 'node:assert/strict';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { SystemClock } from '../../../../../services/runtime/clock.ts';
import { createFaultStore } from '../../../../../services/runtime/store/fault-store.ts';
import { leaveJournal, openJournal } from '../../../../../services/runtime/store/journal/journal.ts';
import { createMemoryStore } from '../../../../../services/runtime/store/memory-store.ts';
import type { StateStore } from '../../../../../services/runtime/store/store.ts';
import { storeContract } from '../../../../contract/store-contract.ts';
import { temporaryFolder } from '../temporary-folder.ts';

const clock = new SystemClock();
const limits = { intervalMs: 1, fileBytes: 1 << 20 };
const row = (key: string, value: string | null) => ({
  key: Buffer.from(key),
  value: value === null ? null : Buffer.from(value),
});
const read = async (store: StateStore, key: string) => (await store.get(Buffer.from(key)))?.toString();
/** A store on a disk whose power is cut: of what was not synced, nothing is left. */
const onDisk = (disk: StateStore) => createFaultStore(disk, { loseUnsynced: 1e6 });

let count = 0;
const root = temporaryFolder();
storeContract('through a journal', false, async () => {
  const journal = await openJournal(join(root, `${count++}`), clock, limits);
  const store = await journal.store(createMemoryStore());
  return {
    store,
    close: async () => {
      await store.close();
      await journal.close();
    },
  };
});

test('after a power cut, stores hold everything acknowledged, in order, from any number of files', async () => {
  const folder = temporaryFolder();
  const disks = Array.from({ length: 5 }, createMemoryStore);
  const journal = await openJournal(folder, clock, { intervalMs: 1, fileBytes: 20_000 });
  const powered = disks.map(onDisk);
  const stores = await Promise.all(powered.map((disk) => journal.store(disk)));
  const acked = new Map<string, string | null>();
  const writer = async (at: number) => {
    for (let n = 0; n < 120; n++) {
      const ops = [row(`k${n % 7}`, n % 5 === 0 ? null : `${n} ${'x'.repeat(300)}`), row(`only${n}`, `${n}`)];
      await stores[at]!.write(ops, { sync: n % 2 === 0 });
      for (const { key, value } of ops) acked.set(`${at} ${key}`, value?.toString() ?? null);
    }
  };
  await Promise.all(stores.map((_, at) => writer(at)));
  // Files whose frames all stores have synced are gone.
  assert.ok(readdirSync(folder).length < 6, readdirSync(folder).join(' '));
  for (const disk of powered) await disk.crash();
  await journal.close();

  const after = await openJournal(folder, clock, limits);
  const again = await Promise.all(disks.map((disk) => after.store(disk)));
  for (const [name, value] of acked) {
    const [at, key] = name.split(' ') as [string, string];
    assert.equal(await read(again[Number(at)]!, key), value ?? undefined, name);
  }
  for (const store of again) await store.close();
  await after.close();
  assert.deepEqual(readdirSync(folder), []);
});

test('a write is acknowledged only when it would survive, and a cut frame counts as never written', async () => {
  const folder = temporaryFolder();
  const disk = createMemoryStore();
  const journal = await openJournal(folder, clock, limits);
  const powered = onDisk(disk);
  const store = await journal.store(powered);
  await store.write([row('a', '1')]);
  await store.write([row('a', '2'), row('b', '2')]);
  await powered.crash();
  await journal.close();
  const path = join(folder, readdirSync(folder)[0]!);
  const whole = readFileSync(path);
  // Cut anywhere: the second write is there whole, or not at all; the first is there wherever it is whole.
  for (let bytes = whole.length; bytes >= 0; bytes -= 3) {
    writeFileSync(path, whole);
    truncateSync(path, bytes);
    const found = createMemoryStore();
    for await (const [key, value] of disk.scan({ gte: Buffer.from(''), lt: Buffer.from('\xff', 'latin1') }))
      await found.write([{ key, value }]);
    const copy = temporaryFolder();
    writeFileSync(join(copy, '1.journal'), readFileSync(path));
    const copied = await openJournal(copy, clock, limits);
    const again = await copied.store(found);
    await copied.close();
    const got = [await read(again, 'a'), await read(again, 'b')].join();
    assert.ok(['2,2', '1,', ','].includes(got), `${bytes} bytes: ${got}`);
    if (bytes === whole.length) assert.equal(got, '2,2');
  }
  // Bytes that rot are no frame.
  const rotten = Buffer.from(whole);
  rotten[whole.length - 1]! ^= 1;
  writeFileSync(path, rotten);
  const last = await openJournal(folder, clock, limits);
  const again = await last.store(disk);
  await last.close();
  assert.deepEqual([await read(again, 'a'), await read(again, 'b')], ['1', undefined]);
});

test('another writer’s data after a power cut is not overwritten from the journal', async () => {
  const folder = temporaryFolder();
  const disk = createMemoryStore();
  const powered = onDisk(disk);
  const journal = await openJournal(folder, clock, limits);
  const store = await journal.store(powered);
  await store.write([row('a', 'old'), row('b', 'old')]);
  await powered.crash();
  await journal.close();
  await leaveJournal(disk);
  await disk.write([row('a', 'new')]);
  const last = await openJournal(folder, clock, limits);
  const again = await last.store(disk);
  await last.close();
  assert.deepEqual([await read(again, 'a'), await read(again, 'b')], ['new', undefined]);
});

test('a store that stays closed for a while keeps its frames, whatever others do meanwhile', async () => {
  const folder = temporaryFolder();
  const lost = createMemoryStore();
  const powered = onDisk(lost);
  const journal = await openJournal(folder, clock, limits);
  const [other, store] = [await journal.store(createMemoryStore()), await journal.store(powered)];
  await Promise.all([other.write([row('a', '1')]), store.write([row('a', '2')])]);
  await other.close();
  await powered.crash();
  await journal.close();
  for (let start = 0; start < 2; start++) {
    const next = await openJournal(folder, clock, { intervalMs: 1, fileBytes: 100 });
    const busy = await next.store(createMemoryStore());
    for (let n = 0; n < 5; n++) await busy.write([row('x', 'y'.repeat(200))]);
    await busy.close();
    await next.close();
    assert.deepEqual(readdirSync(folder), ['1.journal'], 'only what it lacks is kept, not what others write after it');
  }
  const last = await openJournal(folder, clock, limits);
  assert.equal(await read(await last.store(lost), 'a'), '2');
  await last.close();
});

test('frames that a store got back are not kept for it again, through any number of starts', async () => {
  const folder = temporaryFolder();
  const disks = Array.from({ length: 3 }, createMemoryStore);
  const journal = await openJournal(folder, clock, limits);
  const powered = disks.map(onDisk);
  for (const disk of powered) await (await journal.store(disk)).write([row('a', '1')]);
  for (const disk of powered) await disk.crash();
  await journal.close();
  // One is opened at each start; the last start has nothing left to keep.
  for (const disk of disks) {
    const next = await openJournal(folder, clock, limits);
    const store = await next.store(disk);
    assert.equal(await read(store, 'a'), '1');
    await store.close();
    await next.close();
  }
  assert.deepEqual(readdirSync(folder), []);
});

test('nothing is kept of stores that are deleted before they are opened again', async () => {
  const folder = temporaryFolder();
  const disks = Array.from({ length: 3 }, createMemoryStore);
  const journal = await openJournal(folder, clock, limits);
  const powered = disks.map(onDisk);
  for (const disk of powered) await (await journal.store(disk)).write([row('a', '1')]);
  for (const disk of powered) await disk.crash();
  await journal.close();
  const next = await openJournal(folder, clock, limits);
  assert.ok(next.isOwing);
  await next.forget(disks[0]!);
  await next.close();
  const last = await openJournal(folder, clock, limits);
  await last.forget(disks[1]!);
  const store = await last.store(disks[2]!);
  assert.equal(await read(store, 'a'), '1', 'what is not deleted is given back');
  assert.ok(!last.isOwing);
  await store.close();
  await last.close();
  assert.deepEqual(readdirSync(folder), []);
});

test('a kill between a store’s recovery or close and its note keeps no file for ever', async () => {
  const folder = temporaryFolder();
  const disks = [createMemoryStore(), createMemoryStore(), createMemoryStore()];
  const first = await openJournal(folder, clock, limits);
  for (const disk of disks) await (await first.store(disk)).write([row('k', '1')]);
  // Nobody closes them. The next process dies where it would note that the first store has all of it.
  mkdirSync(join(folder, 'settled'));
  const second = await openJournal(folder, clock, limits);
  await assert.rejects(second.store(disks[0]!));
  rmdirSync(join(folder, 'settled'));
  // Another dies where a store that is being closed has synced, and the journal does not say so yet.
  const third = await openJournal(folder, clock, limits);
  let isDying = false;
  const dying: StateStore['write'] = async (ops, options) => {
    await disks[1]!.write(ops, options);
    if (isDying) throw new Error('killed');
  };
  const closing = await third.store({ ...disks[1]!, write: dying, close: async () => {} });
  await closing.write([row('k', '2')]);
  isDying = true;
  await assert.rejects(closing.close(), /killed/);

  const last = await openJournal(folder, clock, limits);
  const stores = await Promise.all(disks.map((disk) => last.store(disk)));
  assert.deepEqual(await Promise.all(stores.map((store) => read(store, 'k'))), ['1', '2', '1']);
  for (const store of stores) await store.close();
  await last.close();
  assert.deepEqual(readdirSync(folder), []);
});

test('writes of many stores share syncs', async () => {
  const folder = temporaryFolder();
  const journal = await openJournal(folder, clock, { intervalMs: 20, fileBytes: 1 << 20 });
  let syncs = 0;
  const counting = () => {
    const inner = createMemoryStore();
    return {
      ...inner,
      write: (ops: Parameters<StateStore['write']>[0], options?: { readonly sync?: boolean }) => {
        if (options?.sync) syncs += 1;
        return inner.write(ops);
      },
    };
  };
  const stores = await Promise.all(Array.from({ length: 50 }, () => journal.store(counting())));
  const marks = syncs;
  await Promise.all(stores.map((store) => store.write([row('a', '1')], { sync: true })));
  assert.equal(syncs, marks, 'no store syncs for itself');
  assert.equal(marks, 50);
  assert.ok(statSync(join(folder, '1.journal')).size > 0);
  await journal.close();
});

test('a full disk fails the writes of all stores; once they are closed and space is free, the journal is written again', {
  skip: !existsSync('/dev/full') && 'no /dev/full here',
}, async () => {
  const folder = temporaryFolder();
  const journal = await openJournal(folder, clock, { intervalMs: 1, fileBytes: 100 });
  const disk = createMemoryStore();
  const stores = [await journal.store(onDisk(createMemoryStore())), await journal.store(onDisk(disk))];
  // The next file has no room.
  symlinkSync('/dev/full', join(folder, '2.journal'));
  await stores[1]!.write([row('a', 'x'.repeat(200))]);
  for (const store of stores) await assert.rejects(store.write([row('b', '1')]), { code: 'DISK_FULL' });
  for (const store of stores) await assert.rejects(store.close(), { code: 'DISK_FULL' });
  rmSync(join(folder, '2.journal'));
  const again = await journal.store(createMemoryStore());
  await again.write([row('c', '1')]);
  assert.equal(await read(again, 'c'), '1');
  await again.close();
  await journal.close();
  assert.deepEqual(readdirSync(folder), []);
});

test('writes continue in the full file if the next one cannot be opened', async () => {
  const folder = temporaryFolder();
  const disk = createMemoryStore();
  const powered = onDisk(disk);
  const journal = await openJournal(folder, clock, { intervalMs: 0, fileBytes: 1_000 });
  const store = await journal.store(powered);
  mkdirSync(join(folder, '2.journal'));
  for (let n = 0; n < 10; n++) await store.write([row(`k${n}`, 'x'.repeat(500))]);
  rmdirSync(join(folder, '2.journal'));
  for (let n = 10; n < 20; n++) await store.write([row(`k${n}`, 'x'.repeat(500))]);
  const names = readdirSync(folder);
  // The newest one: earlier ones may be deleted by now.
  assert.ok(
    names.some((name) => /^\d+\.journal$/.test(name) && name !== '1.journal'),
    `it is opened once it can be: ${names}`,
  );
  await powered.crash();
  await journal.close();
  const after = await openJournal(folder, clock, limits);
  const again = await after.store(disk);
  for (let n = 0; n < 20; n++) assert.ok(await read(again, `k${n}`), `k${n}`);
  await again.close();
  await after.close();
});

for (const how of ['takes long', 'fails'])
  test(`a file stays while the close of a store that wrote to it ${how}`, async () => {
    const folder = temporaryFolder();
    const disk = createMemoryStore();
    const powered = onDisk(disk);
    const journal = await openJournal(folder, clock, { intervalMs: 0, fileBytes: 1_000 });
    let isClosing = false;
    const write: StateStore['write'] = async (ops, options) => {
      if (isClosing && how === 'fails') throw new Error('no space left on device');
      if (isClosing) await new Promise(() => {});
      await powered.write(ops, options);
    };
    const [closing, busy] = [
      await journal.store({ ...powered, write, close: async () => {} }),
      await journal.store(createMemoryStore()),
    ];
    await closing.write([row('a', '1')]);
    isClosing = true;
    const closed = closing.close().catch(() => {});
    for (let n = 0; n < 10; n++) await busy.write([row('b', 'x'.repeat(500))]);
    if (how === 'fails') await closed;
    await powered.crash();
    const after = await openJournal(folder, clock, limits);
    assert.equal(await read(await after.store(disk), 'a'), '1');
    await after.close();
  });

test('a bad byte in acknowledged data is reported at the next start, and later data is not applied', async () => {
  const write = async () => {
    const folder = temporaryFolder();
    const powered = onDisk(createMemoryStore());
    const journal = await openJournal(folder, clock, { intervalMs: 0, fileBytes: 2_000 });
    // What never syncs keeps all files.
    const store = await journal.store({ ...powered, write: (ops) => powered.write(ops) });
    const failing = await journal.store({
      ...createMemoryStore(),
      write: async (_, options) => {
        if (isFull && options?.sync) throw new Error('full');
      },
    });
    isFull = true;
    await failing.write([row('x', '1')]);
    for (let n = 0; n < 14; n++) await store.write([row(`k${n}`, 'x'.repeat(500))]);
    return folder;
  };
  let isFull = false;
  const folder = await write();
  const names = readdirSync(folder).sort();
  assert.ok(names.length >= 3, names.join(' '));
  for (const name of names.slice(0, -1)) {
    const path = join(folder, name);
    const whole = readFileSync(path);
    // The marks at its beginning say no more than that.
    for (const at of [40, whole.length >> 1, whole.length - 1]) {
      const rotten = Buffer.from(whole);
      rotten[at]! ^= 1;
      writeFileSync(path, rotten);
      await assert.rejects(openJournal(folder, clock, limits), { code: 'STORE_FAILED', message: /is damaged/ });
    }
    writeFileSync(path, whole);
  }
  const last = join(folder, names.at(-1)!);
  const whole = readFileSync(last);
  if (whole.length > 1_200) {
    const rotten = Buffer.from(whole);
    rotten[60]! ^= 1;
    writeFileSync(last, rotten);
    await assert.rejects(openJournal(folder, clock, limits), /is damaged/);
  }
});
