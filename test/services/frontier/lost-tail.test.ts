/**
 * A changelog that has lost acknowledged records at its end, and grew again under another owner: whoever comes back with
 * what was built from the lost ones has another history than the log.
 */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { openPartition } from '../../../services/frontier/open/open-partition.ts';
import { rebuild } from '../../../services/frontier/open/rebuild.ts';
import { loadCheckpoint } from '../../../services/frontier/restore/load-checkpoint.ts';
import { crawlIdOf } from '../../../services/frontier/snapshots/manifest.ts';
import { createSnapshotRepository } from '../../../services/frontier/snapshots/snapshot-repository.ts';
import { takeSnapshot } from '../../../services/frontier/snapshots/take.ts';
import { Standby } from '../../../services/frontier/standby/standby.ts';
import type { Log, LogReader } from '../../../services/runtime/log/log.ts';
import { createMemoryObjects } from '../../../services/runtime/objects/memory-objects.ts';
import { createMemoryStore } from '../../../services/runtime/store/memory-store.ts';
import type { StateStore } from '../../../services/runtime/store/store.ts';
import { digest } from '../../../topology/frontier/check/digest.ts';
import { metaKey, metaValue } from '../../../topology/frontier/checkpoint/checkpoint.ts';
import type { FrontierState } from '../../../topology/frontier/state/state.ts';
import { changelog, clock, type Harness, identity, key, startHarness, until } from './owner-harness.ts';

const limit = { timeout: 60_000 };
const topicsKept = ['t.control', 't.discovered', 't.results'];

/** Everything appended so far, with the changelog up to `length`, in a log of its own. */
async function cutAt(harness: Harness, length: number): Promise<Harness> {
  const cut = await startHarness();
  for (const topic of [...topicsKept, changelog]) {
    const { start } = await cut.log.offsets(topic, 0);
    const there = (await cut.log.offsets(topic, 0)).end;
    const reader = harness.log.reader();
    reader.seek(topic, 0, Math.max(start, there));
    const { end } = await harness.log.offsets(topic, 0);
    const to = topic === changelog ? Math.min(length, end) : end;
    for (let at = there; at < to; ) {
      const records = await reader.poll({ maxBytes: 1 << 20, waitMs: 100 });
      const wanted = records.filter(({ offset }) => offset < to);
      await cut.log.append(
        wanted.map(({ partition, value, headers }) => ({ topic, partition, key: null, value, headers })),
      );
      at += records.length;
    }
    await reader.close();
  }
  return cut;
}

/** An owner works until so many URLs were admitted. */
async function crawlOn(harness: Harness, store: StateStore, admitted: number): Promise<void> {
  const owner = harness.owner({ store, leasesMax: 20 });
  const run = owner.run();
  await until(() => (owner.committed?.counters.admitted ?? 0) >= admitted);
  owner.stop();
  await run;
}

const endOf = async ({ log }: Harness) => (await log.offsets(changelog, 0)).end;

/** The old owner's folder and log, and the log as it is after it was cut and has grown past the folder's position. */
async function forked() {
  const before = await startHarness();
  const folder = createMemoryStore();
  await before.discover(50);
  await crawlOn(before, createMemoryStore(), 50);
  const kept = await endOf(before);
  await before.discover(100);
  await crawlOn(before, folder, 150);
  const reached = await endOf(before);
  const after = await cutAt(before, kept);
  const others = createMemoryStore();
  while ((await endOf(after)) <= reached) await crawlOn(after, others, 150);
  return { before, after, folder, reached };
}

async function open(harness: Harness, store: StateStore, more: { warm?: FrontierState; repository?: object } = {}) {
  const notices: string[] = [];
  const onNotice = (text: string) => notices.push(text);
  const options = { log: harness.log, store, identity, key, clock, endsLeases: false, onNotice };
  const { state } = await openPartition({ ...options, ...(more as object) });
  return { state, notices, live: digest((await harness.replayed()).state) };
}

describe('a changelog that has lost its tail and grew again', limit, () => {
  it('after a lost changelog tail, the old owner’s folder is discarded by name and rebuilt from the log', async () => {
    const { after, folder } = await forked();
    const { state, notices, live } = await open(after, folder);
    assert.equal(digest(state), live);
    assert.match(
      notices.join(),
      /partition 0: the state in its folder .* no longer exist \(it has a different record at \d+\)/,
    );
  });

  it('after a lost changelog tail, a folder of an older release without record hashes is discarded', async () => {
    const { after, folder } = await forked();
    const old = (await loadCheckpoint(folder, key))!;
    old.changelog = { ...old.changelog, read: null, counted: null };
    // It ended before the two flags that say so.
    await folder.write([{ key: metaKey, value: metaValue(old).subarray(0, -2) }]);
    const { state, live } = await open(after, folder);
    assert.equal(digest(state), live);
  });

  it('after a lost changelog tail, a state kept in memory is discarded', async () => {
    const { before, after } = await forked();
    const store = createMemoryStore();
    const warm = await rebuild({ log: before.log, identity, key, store, clock });
    const { state, notices, live } = await open(after, store, { warm });
    assert.equal(digest(state), live);
    assert.match(notices.join(), /lost/);
  });

  it('after a lost changelog tail, a snapshot of lost records is skipped, and that is reported', async () => {
    const { before, after } = await forked();
    const repository = createSnapshotRepository(createMemoryObjects(new Map()), crawlIdOf(key));
    const store = createMemoryStore();
    const gone = await rebuild({ log: before.log, identity, key, store, clock });
    await takeSnapshot({ identity, state: gone, store, repository, clock, takenBy: 'test' });
    const { state, notices, live } = await open(after, createMemoryStore(), { repository });
    assert.equal(digest(state), live);
    assert.match(notices.join(), /snapshot .* was taken from changelog records that no longer exist/);
  });

  it('after a lost changelog tail, a standby continues with the log as it is now', async () => {
    const { before, after } = await forked();
    let behind: Log = before.log;
    const log: Log = {
      ...before.log,
      offsets: (...of) => behind.offsets(...of),
      reader: () => switching(() => behind),
    };
    const store = createMemoryStore();
    const troubles: string[] = [];
    const onTrouble = ({ code }: { readonly code: string }) => void troubles.push(code);
    const standby = new Standby({ log, store, identity, key, clock, rank: 1, onTrouble });
    const following = standby.run();
    const there = await endOf(before);
    await until(() => standby.state?.changelog.offset === there);
    behind = after.log;
    const end = await endOf(after);
    await until(() => troubles.length > 0 && standby.state?.changelog.offset === end);
    standby.stop();
    const state = await following;
    assert.deepEqual([troubles, digest(state!)], [['STATE_DIVERGED'], digest((await after.replayed()).state)]);
  });

  it('an owner’s claim names the record that it follows', async () => {
    const { after } = await forked();
    const end = await endOf(after);
    await open(after, createMemoryStore());
    const claim = (await after.records()).at(-1)![1];
    assert.ok(claim.kind === 'claim' && claim.after?.counted?.offset === end - 1);
  });
});

/** Reads where the log leads now, from the position it has. */
function switching(log: () => Log): LogReader {
  let [inner, of] = [log().reader(), log()];
  const at: { topic: string; partition: number; next: number }[] = [];
  return {
    ...inner,
    seek(topic, partition, offset) {
      at.push({ topic, partition, next: offset });
      inner.seek(topic, partition, offset);
    },
    async poll(options) {
      if (of !== log()) {
        [inner, of] = [log().reader(), log()];
        for (const { topic, partition, next } of at) inner.seek(topic, partition, next);
      }
      const records = await inner.poll(options);
      for (const { topic, offset } of records) for (const one of at) if (one.topic === topic) one.next = offset + 1;
      return records;
    },
    wake: () => inner.wake(),
    close: () => inner.close(),
  };
}
