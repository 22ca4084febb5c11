import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { openPartition } from '../../../../services/frontier/open/open-partition.ts';
import { rebuild } from '../../../../services/frontier/open/rebuild.ts';
import { crawlIdOf, type SnapshotManifest } from '../../../../services/frontier/snapshots/manifest.ts';
import { restoreSnapshot } from '../../../../services/frontier/snapshots/restore-snapshot.ts';
import { snapshotLimits } from '../../../../services/frontier/snapshots/snapshot-limits.ts';
import {
  createSnapshotRepository,
  type SnapshotRepository,
  sha256Of,
} from '../../../../services/frontier/snapshots/snapshot-repository.ts';
import { takeSnapshot } from '../../../../services/frontier/snapshots/take.ts';
import { createFaultObjects } from '../../../../services/runtime/objects/fault-objects.ts';
import { createMemoryObjects } from '../../../../services/runtime/objects/memory-objects.ts';
import { createFaultStore } from '../../../../services/runtime/store/fault-store.ts';
import { createMemoryStore } from '../../../../services/runtime/store/memory-store.ts';
import { digest } from '../../../../topology/frontier/check/digest.ts';
import { metaKey } from '../../../../topology/frontier/checkpoint/checkpoint.ts';
import { changelog, clock, type Harness, identity, key, startHarness, until } from '../owner-harness.ts';

const crawlId = crawlIdOf(key);
const shelfOver = (objects: Map<string, Buffer>) => createSnapshotRepository(createMemoryObjects(objects), crawlId);

/** Of the state at a position, in small files. */
async function take(harness: Harness, repository: SnapshotRepository, to?: number): Promise<SnapshotManifest> {
  const store = createMemoryStore();
  const state = await rebuild({ log: harness.log, identity, key, store, clock, ...(to === undefined ? {} : { to }) });
  return takeSnapshot({ identity, state, store, repository, clock, takenBy: 'test', fileBytes: 4_096 });
}

/** A crawl that has leases out, with snapshots of three positions; the newest is before the changelog's end. */
async function crawlWithSnapshots() {
  const harness = await startHarness();
  const objects = new Map<string, Buffer>();
  const manifests: SnapshotManifest[] = [];
  const owner = harness.owner({ leasesMax: 20 });
  const run = owner.run();
  for (let round = 1; round <= 4; round++) {
    await harness.discover(100, 40);
    const counters = () => owner.committed?.counters;
    await until(() => counters()?.admitted === 100 * round && counters()?.leased === 20);
    if (round < 4) manifests.push(await take(harness, shelfOver(objects)));
  }
  owner.stop();
  await run;
  const live = digest((await harness.replayed()).state);
  return { harness, objects, manifests, live };
}

const shared = crawlWithSnapshots();

/** Opens the partition with these snapshots and this folder; tells what it was told. */
async function opened(harness: Harness, repository: SnapshotRepository, store = createMemoryStore()) {
  const notices: string[] = [];
  const onNotice = (text: string) => notices.push(text);
  const { log } = harness;
  const { state } = await openPartition({ log, store, identity, key, clock, endsLeases: false, repository, onNotice });
  return { digest: digest(state), notices, state };
}

describe('a snapshot', { timeout: 60_000 }, () => {
  it('a snapshot belongs to one position, and restores the state of that position', async () => {
    const { harness, objects, manifests } = await shared;
    const [, second] = manifests;
    const there = await rebuild({
      ...{ log: harness.log, identity, key, clock },
      ...{ store: createMemoryStore(), to: second!.position },
    });
    assert.equal(second!.digest, digest(there));
    assert.deepEqual(second!.inputs, there.positions);
    assert.ok(second!.files.length > 3, `${second!.files.length} files`);
    // Not by the time of now: files that were run before in this process may have taken longer than a lease.
    const deadlines = [...there.leases.values()].map(({ deadlineMs }) => deadlineMs);
    assert.ok(deadlines.length > 0, 'its leases are out');
    assert.equal(second!.leasesEndMs, Math.max(...deadlines));
    const state = await restoreSnapshot(shelfOver(objects), second!, createMemoryStore(), key);
    assert.equal(digest(state), second!.digest);
  });

  it('a snapshot and the changelog’s tail restore the state of an owner without a folder', async () => {
    const { harness, objects, manifests, live } = await shared;
    const found = await opened(harness, shelfOver(objects));
    assert.equal(found.digest, live);
    assert.match(found.notices.join(), new RegExp(`restored from snapshot ${manifests[2]!.folder}`));
  });

  it('a snapshot is not needed if the folder is there', async () => {
    const { harness, objects, live } = await shared;
    const store = createMemoryStore();
    await rebuild({ log: harness.log, identity, key, store, clock });
    const found = await opened(harness, shelfOver(objects), store);
    assert.deepEqual([found.digest, found.notices], [live, []]);
  });

  for (const damage of ['a byte is changed', 'a file is cut', 'a file is gone', 'the manifest is changed'] as const) {
    it(`a snapshot of which ${damage} is refused by name, and the previous one is used`, async () => {
      const { harness, objects, manifests, live } = await shared;
      const there = new Map(objects);
      const [, before, newest] = manifests;
      const { folder, files } = newest!;
      const name = damage === 'the manifest is changed' ? `${folder}manifest.json` : folder + files.at(-1)!.name;
      const bytes = Buffer.from(there.get(name)!);
      bytes[bytes.length - 20]! ^= 1;
      if (damage === 'a file is gone') there.delete(name);
      else there.set(name, damage === 'a file is cut' ? bytes.subarray(0, -1) : bytes);
      const found = await opened(harness, shelfOver(there));
      assert.equal(found.digest, live);
      assert.match(found.notices[0]!, new RegExp(`snapshot ${folder} is damaged: .*: trying an earlier one`));
      assert.match(found.notices[1]!, new RegExp(`restored from snapshot ${before!.folder}`));
    });
  }

  it('a snapshot that does not match its digest is refused, and leaves no checkpoint', async () => {
    const { objects, manifests } = await shared;
    const store = createMemoryStore();
    const wrong = { ...manifests[1]!, digest: '0'.repeat(32) };
    await assert.rejects(restoreSnapshot(shelfOver(objects), wrong, store, key), {
      code: 'SNAPSHOT_DAMAGED',
      message: /has digest [0-9a-f]{32}, not 0{32}/,
    });
    assert.equal(await store.get(Buffer.from('m')), undefined);
  });

  it('a snapshot of another crawl of the same name is ignored', async () => {
    const { objects } = await shared;
    const other = createSnapshotRepository(createMemoryObjects(objects), crawlIdOf({ hi: 1, lo: 2 }));
    assert.deepEqual(await other.list(identity), []);
  });

  it('a snapshot whose restore is killed at any write leaves a folder that the next start restores', async () => {
    const { objects, manifests } = await shared;
    const [, , newest] = manifests;
    const counting = createFaultStore(createMemoryStore());
    await restoreSnapshot(shelfOver(objects), newest!, counting, key);
    const writes = counting.writes();
    assert.ok(writes > 2, `${writes} writes`);
    const metaAt = writes;
    for (let crashAt = 1; crashAt <= writes; crashAt++) {
      for (const when of ['before', 'after'] as const) {
        const store = createMemoryStore();
        const killed = createFaultStore(store, { crashAt, when, loseUnsynced: 2 });
        await assert.rejects(restoreSnapshot(shelfOver(objects), newest!, killed, key));
        // The row that makes a checkpoint of the others comes last: part of a checkpoint is never taken for one.
        const isView = (await store.get(metaKey)) !== undefined;
        assert.equal(isView, crashAt >= metaAt && (crashAt > metaAt || when === 'after'), `write ${crashAt}, ${when}`);
        const again = await restoreSnapshot(shelfOver(objects), newest!, store, key);
        assert.equal(digest(again), newest!.digest);
      }
    }
  });

  it('a snapshot that is cut off at any write or removal does not count, and the others do', async () => {
    const { harness, objects, manifests } = await shared;
    const attempt = async (crashAt: number | undefined, when: 'before' | 'after') => {
      const there = new Map(objects);
      const failing = createFaultObjects(createMemoryObjects(there), crashAt === undefined ? {} : { crashAt, when });
      const repository = createSnapshotRepository(failing, crawlId);
      const work = (async () => {
        await take(harness, repository);
        await repository.prune(identity, 2, clock.nowMs());
      })();
      if (crashAt === undefined) await work;
      else await assert.rejects(work, { message: /planned crash/ });
      return { there, changes: failing.changes() };
    };
    const { changes } = await attempt(undefined, 'before');
    assert.ok(changes > 10, `${changes} changes`);
    for (let crashAt = 1; crashAt <= changes; crashAt++) {
      for (const when of ['before', 'after'] as const) {
        const { there } = await attempt(crashAt, when);
        const left = await shelfOver(there).list(identity);
        assert.ok(left.length >= 2 && left.every(({ manifest }) => manifest !== undefined));
        for (const { manifest } of left) await shelfOver(there).verify(manifest!);
        assert.ok(left.some(({ folder }) => folder === manifests[2]!.folder));
      }
    }
  });

  it('an absent snapshot store is not needed while the changelog is complete', async () => {
    const { harness, live } = await shared;
    const away = createFaultObjects(createMemoryObjects(), { failAt: 1 });
    const found = await opened(harness, createSnapshotRepository(away, crawlId));
    assert.equal(found.digest, live);
    assert.match(found.notices.join(), /continuing without snapshots/);
  });

  it('a snapshot is kept while it is among the newest, and remains of a dead process are swept in time', async () => {
    const { objects, manifests } = await shared;
    const there = new Map(objects);
    const [, , newest] = manifests;
    const left = newest!.folder.replace(/[0-9a-f]{8}\/$/, 'deadbeef/');
    there.set(`${left}rows-0.gz`, Buffer.from('half'));
    const repository = shelfOver(there);
    await repository.prune(identity, 2, clock.nowMs());
    assert.ok(there.has(`${left}rows-0.gz`), 'its taker may be at work');
    const kept = await repository.prune(identity, 2, clock.nowMs() + 24 * 3_600_000);
    assert.deepEqual(
      kept.map(({ position }) => position),
      [manifests[2]!.position, manifests[1]!.position],
    );
    assert.ok(![...there.keys()].some((name) => name.startsWith(left) || name.startsWith(manifests[0]!.folder)));
    for (const manifest of kept) await repository.verify(manifest);
  });
});

describe('files of a snapshot', { timeout: 60_000 }, () => {
  it('unfinished snapshots stay while somebody writes them, also with a clock that is ahead', async () => {
    const { objects, manifests } = await shared;
    const there = new Map(objects);
    const newest = manifests[2]!;
    const position = `${newest.position + 10}`.padStart(15, '0');
    const inTheMaking = newest.folder.replace(/\d{15}-/, `${position}-`);
    there.set(`${inTheMaking}rows-0.gz`, Buffer.from('half'));
    const repository = shelfOver(there);
    await repository.prune(identity, 2, clock.nowMs() + 24 * 3_600_000);
    assert.ok(there.has(`${inTheMaking}rows-0.gz`));
    await repository.seal({
      ...newest,
      folder: inTheMaking.replace(position, `${newest.position + 20}`.padStart(15, '0')),
    });
    await repository.prune(identity, 2, clock.nowMs() + 24 * 3_600_000);
    assert.ok(!there.has(`${inTheMaking}rows-0.gz`), 'there is one that is further');
  });

  it('snapshot files that inflate to more than their bound are damaged, and fill no memory', async () => {
    const { objects, manifests } = await shared;
    const there = new Map(objects);
    const [file, ...others] = manifests[2]!.files;
    const bomb = gzipSync(Buffer.alloc(snapshotLimits.inflatedBytesMax + 1), { level: 1 });
    there.set(`${manifests[2]!.folder}${file!.name}`, bomb);
    const sha256 = sha256Of(bomb);
    const manifest = { ...manifests[2]!, files: [{ ...file!, bytes: bomb.length, sha256 }, ...others] };
    await assert.rejects(shelfOver(there).rows(manifest).next(), { code: 'SNAPSHOT_DAMAGED' });
  });
});

describe('a changelog that was trimmed', { timeout: 60_000 }, () => {
  it('a trimmed changelog is continued from a snapshot, if the folder is lost or older', async () => {
    const { harness, objects, manifests, live } = await crawlWithSnapshots();
    const [first, second, newest] = manifests;
    await harness.log.trim(changelog, 0, second!.position);
    assert.equal((await opened(harness, shelfOver(objects))).digest, live);
    const old = createMemoryStore();
    await restoreSnapshot(shelfOver(objects), first!, old, key);
    const found = await opened(harness, shelfOver(objects), old);
    assert.equal(found.digest, live);
    assert.match(found.notices.join(), new RegExp(`restored from snapshot ${newest!.folder}`));
  });

  it('a trimmed changelog stops a partition that nothing reaches any more, before it is claimed', async () => {
    const { harness, objects, manifests } = await crawlWithSnapshots();
    const { log } = harness;
    const trimmed = manifests[2]!.position + 1;
    await log.trim(changelog, 0, trimmed);
    const { end } = await log.offsets(changelog, 0);
    await assert.rejects(opened(harness, shelfOver(objects)), {
      code: 'OFFSET_OUT_OF_RANGE',
      message: new RegExp(`begins at ${trimmed}: no usable snapshot reaches that offset`),
    });
    await assert.rejects(
      openPartition({ log, store: createMemoryStore(), identity, key, clock, endsLeases: false }),
      /give the place of the snapshots/,
    );
    assert.equal((await log.offsets(changelog, 0)).end, end);
  });
});
