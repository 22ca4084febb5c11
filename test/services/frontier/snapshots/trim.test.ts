import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Control } from '../../../../schemas/types.ts';
import { openPartition } from '../../../../services/frontier/open/open-partition.ts';
import { rebuild } from '../../../../services/frontier/open/rebuild.ts';
import { rebuildFromInputs } from '../../../../services/frontier/open/rebuild-from-inputs.ts';
import { crawlIdOf, type SnapshotManifest } from '../../../../services/frontier/snapshots/manifest.ts';
import {
  createSnapshotRepository,
  type SnapshotRepository,
} from '../../../../services/frontier/snapshots/snapshot-repository.ts';
import { takeSnapshot } from '../../../../services/frontier/snapshots/take.ts';
import { type TrimBelowSnapshots, trimBelowSnapshots } from '../../../../services/frontier/snapshots/trim.ts';
import { controlEvent, readControl } from '../../../../services/runtime/crawl/control-log.ts';
import { readPurges } from '../../../../services/runtime/crawl/purges.ts';
import { policyRecords } from '../../../../services/runtime/crawl/requests.ts';
import type { Log } from '../../../../services/runtime/log/log.ts';
import { createMemoryObjects } from '../../../../services/runtime/objects/memory-objects.ts';
import { createMemoryStore } from '../../../../services/runtime/store/memory-store.ts';
import { digest } from '../../../../topology/frontier/check/digest.ts';
import { ofWebmaster } from '../../../../topology/frontier/decide/control-payloads.ts';
import { defaultPolicy } from '../../../../topology/policy/policy.ts';
import { changelog, clock, type Harness, identity, key, startHarness, until } from '../owner-harness.ts';

const crawlTopics = { crawl: 't', partitions: 1, keyMode: 'host' } as const;

interface Crawl {
  readonly harness: Harness;
  readonly objects: Map<string, Buffer>;
  readonly repository: SnapshotRepository;
  /** Oldest first. */
  readonly manifests: SnapshotManifest[];
  readonly live: string;
  starts(): Promise<Record<string, number>>;
  trim(options?: Partial<TrimBelowSnapshots>): ReturnType<typeof trimBelowSnapshots>;
}

/** No lease is out; the manifest, a policy of options and an operator's lie in `control`. Two snapshots, and a tail. */
async function trimmableCrawl(more: readonly Control[] = []): Promise<Crawl> {
  const harness = await startHarness();
  const { log, codec } = harness;
  const say = (payload: string) => controlEvent({ kind: 'manifest', atMs: 1, by: 'test', payload });
  const events = [...['the crawl', 'one that came too late'].map(say), ...more];
  await log.append(
    events.map((event) => ({ topic: 't.control', partition: 0, key: null, value: codec.encode('control', event) })),
  );
  await log.append(policyRecords(codec, crawlTopics, { ...defaultPolicy(), version: 7 }, 'crawlstream', 2));
  await log.append(policyRecords(codec, crawlTopics, { ...defaultPolicy(), version: 9 }, 'operator', 3));
  const objects = new Map<string, Buffer>();
  const repository = createSnapshotRepository(createMemoryObjects(objects), crawlIdOf(key));
  const manifests: SnapshotManifest[] = [];
  const owner = harness.owner({ leasesMax: 0 });
  const run = owner.run();
  for (let round = 1; round <= 3; round++) {
    await harness.discover(50);
    await until(() => owner.committed?.counters.admitted === 50 * round);
    if (round === 3) break;
    const store = createMemoryStore();
    const state = await rebuild({ log, identity, key, store, clock });
    manifests.push(await takeSnapshot({ identity, state, store, repository, clock, takenBy: 'test' }));
  }
  owner.stop();
  await run;
  const live = digest((await harness.replayed()).state);
  return {
    ...{ harness, objects, repository, manifests, live },
    async starts() {
      const starts: Record<string, number> = {};
      for (const name of ['frontier-changelog', 'discovered', 'results', 'control']) {
        starts[name] = (await log.offsets(`t.${name}`, 0)).start;
      }
      return starts;
    },
    trim: (options = {}) =>
      trimBelowSnapshots({ log, codec, identity, repository, kept: 2, clock: afterLeases(manifests), ...options }),
  };
}

/** When every lease that was out has ended. */
function afterLeases(manifests: readonly SnapshotManifest[]) {
  return { nowMs: () => Math.max(...manifests.map(({ leasesEndMs }) => leasesEndMs)) + 60_000 };
}

async function restored({ harness, repository }: Crawl): Promise<string> {
  const options = { log: harness.log, store: createMemoryStore(), identity, key, clock, endsLeases: false, repository };
  return digest((await openPartition(options)).state);
}

describe('the topics of a partition', { timeout: 60_000 }, () => {
  it('the topics of a partition are trimmed to what the oldest kept snapshot covers, and the state can still be restored', async () => {
    const crawl = await trimmableCrawl();
    const [oldest] = crawl.manifests;
    const trimmed = await crawl.trim();
    const { position, inputs } = oldest!;
    const { discovered, control } = inputs;
    assert.ok(position > 0 && discovered.offset > 0 && control.offset > 4);
    assert.deepEqual(await crawl.starts(), {
      'frontier-changelog': position,
      discovered: discovered.offset,
      results: 0,
      control: control.offset,
    });
    assert.deepEqual(
      trimmed.map(({ topic, start }) => [topic, start]),
      [
        [changelog, position],
        ['t.control', control.offset],
        ['t.discovered', discovered.offset],
      ],
    );
    assert.deepEqual(await crawl.trim(), [], 'there is nothing more');
    assert.equal(await restored(crawl), crawl.live);
  });

  it('the topics of a partition report the trim to readers from the beginning', async () => {
    const crawl = await trimmableCrawl();
    await crawl.trim();
    const { log, codec } = crawl.harness;
    const options = { log, identity, key, clock, store: createMemoryStore() };
    await assert.rejects(rebuildFromInputs({ ...options, codec, leasesOutlive: true }), {
      code: 'OFFSET_OUT_OF_RANGE',
      message:
        /t\.control\/0 begins at \d+, and older records were trimmed: rebuild from a snapshot .* crawlstream reset/,
    });
    await assert.rejects(rebuild(options), { code: 'OFFSET_OUT_OF_RANGE', message: /give the place of the snapshots/ });
  });

  it('the topics of a partition keep the crawl’s manifest, its newest policy, and the newest requested one', async () => {
    const crawl = await trimmableCrawl();
    const { log, codec } = crawl.harness;
    const before = await readControl(log, codec, 't');
    assert.deepEqual([before.manifest, before.policy?.version, before.asked?.version], ['the crawl', 9, 7]);
    await crawl.trim();
    assert.ok((await crawl.starts())['control']! > 4, 'all of them were below');
    assert.deepEqual(await readControl(log, codec, 't'), before);
  });

  it('the topics of a partition keep standing purges: a new reader does not take in what was taken down', async () => {
    const purge = (hostKey: string, url = '') =>
      controlEvent({
        kind: 'purge',
        atMs: 4,
        by: 'test',
        hostKey,
        payload: url && JSON.stringify({ url }),
        id: hostKey + url,
      });
    const crawl = await trimmableCrawl([
      ...[purge('gone.test'), purge('back.test'), purge('one.test', 'http://one.test/a')],
      controlEvent({ kind: 'releaseHost', atMs: 5, by: 'test', hostKey: 'back.test', id: 'back' }),
      // A webmaster's word that a pause is over.
      controlEvent({ kind: 'releaseHost', atMs: 6, by: 'test', hostKey: 'gone.test', id: 'on', payload: ofWebmaster }),
    ]);
    const { log, codec } = crawl.harness;
    await crawl.trim();
    assert.ok((await crawl.starts())['control']! > 8, 'all of them were below');
    const purges = await readPurges(log, codec, crawlTopics);
    const refused = ['http://gone.test/', 'http://back.test/', 'http://one.test/a', 'http://one.test/b'];
    assert.deepEqual(
      refused.map((url) => purges.refuses(url, 9)),
      [true, false, true, false],
    );
  });

  it('the topics of a partition stay untrimmed without a whole snapshot; a damaged one is named, and does not count', async () => {
    const crawl = await trimmableCrawl();
    const [oldest, newest] = crawl.manifests;
    const damage = ({ folder, files }: SnapshotManifest) => crawl.objects.delete(folder + files[0]!.name);
    damage(oldest!);
    const notices: string[] = [];
    const onNotice = (text: string) => notices.push(text);
    assert.deepEqual(await crawl.trim({ onNotice }), [], 'the other one would be alone');
    await crawl.trim({ kept: 1 });
    assert.equal((await crawl.starts())['frontier-changelog'], newest!.position);
    assert.match(notices.join(), new RegExp(`${oldest!.folder} is damaged: rows-0.gz is missing`));
    const other = await trimmableCrawl();
    for (const { folder, files } of other.manifests) other.objects.delete(folder + files[0]!.name);
    assert.deepEqual(await other.trim(), []);
    assert.deepEqual(Object.values(await other.starts()), [0, 0, 0, 0]);
  });

  it('the topics of a partition stay untrimmed after the first snapshot, unless only one is to be kept', async () => {
    const crawl = await trimmableCrawl();
    const [first, second] = crawl.manifests;
    for (const name of [...crawl.objects.keys()]) if (name.startsWith(second!.folder)) crawl.objects.delete(name);
    assert.deepEqual(await crawl.trim({ kept: 3 }), []);
    await crawl.trim({ kept: 1 });
    assert.equal((await crawl.starts())['frontier-changelog'], first!.position);
  });

  it('the topics of a partition stay where a group of the crawl has not read them', async () => {
    const crawl = await trimmableCrawl();
    await crawl.harness.log.commit('t.slow', [{ topic: 't.discovered', partition: 0, offset: 3 }]);
    await crawl.harness.log.commit('others.slow', [{ topic: 't.discovered', partition: 0, offset: 1 }]);
    await crawl.trim();
    assert.equal((await crawl.starts())['discovered'], 3);
  });

  it('the topics of a partition keep control while a lease from before one of its events may be out', async () => {
    const crawl = await trimmableCrawl();
    const [oldest] = crawl.manifests;
    await crawl.trim({ clock: { nowMs: () => oldest!.leasesEndMs + 1 } });
    assert.equal((await crawl.starts())['control'], 0);
    assert.ok((await crawl.starts())['discovered']! > 0);
  });

  it('the topics of a partition keep records younger than configured', async () => {
    const crawl = await trimmableCrawl();
    assert.deepEqual(await crawl.trim({ olderThanMs: 1_000 }), []);
    await crawl.trim({ olderThanMs: clock.nowMs() + 1_000 });
    assert.equal((await crawl.starts())['frontier-changelog'], crawl.manifests[0]!.position);
  });

  it('the topics of a partition are usable whenever a trim is killed', async () => {
    for (let dieAt = 1; dieAt <= 5; dieAt++) {
      const crawl = await trimmableCrawl();
      let calls = 0;
      const { log, codec } = crawl.harness;
      const die = () => {
        if (++calls === dieAt) throw new Error('killed');
      };
      const mortal: Log = {
        ...log,
        append: (records) => log.append(records).finally(die),
        trim: (...args) => log.trim(...args).finally(die),
      };
      const killed = crawl.trim({ log: mortal });
      if (dieAt <= 4) await assert.rejects(killed, /killed/);
      else await killed;
      assert.equal(await restored(crawl), crawl.live);
      assert.equal((await readControl(log, codec, 't')).manifest, 'the crawl');
      await crawl.trim();
      assert.equal(await restored(crawl), crawl.live);
    }
  });
});
