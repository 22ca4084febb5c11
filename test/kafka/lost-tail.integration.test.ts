/**
 * A broker that comes back without the newest records it had acknowledged, as after a power cut before they were synced:
 * its log grows again, and then the old owner comes back with its folder.
 */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { startBroker, type TestBroker } from '../../lab/kafka/broker.ts';
import { skipReason } from '../../lab/kafka/components.ts';
import { type OwnerOptions, PartitionOwner } from '../../services/frontier/own/partition-owner.ts';
import { createMemoryRegistry } from '../../services/runtime/avro/memory-registry.ts';
import { openCodec, type RecordCodec } from '../../services/runtime/avro/record-codec.ts';
import { SystemClock } from '../../services/runtime/clock.ts';
import { policyRecords, seedRecords } from '../../services/runtime/crawl/requests.ts';
import { openKafkaLog } from '../../services/runtime/log/kafka/kafka-log.ts';
import type { Log } from '../../services/runtime/log/log.ts';
import { pollOn } from '../../services/runtime/log/poll-on.ts';
import { recordsOf } from '../../services/runtime/log/records-of.ts';
import { createMemoryStore } from '../../services/runtime/store/memory-store.ts';
import { openStateStore } from '../../services/runtime/store/open-store.ts';
import type { StateStore } from '../../services/runtime/store/store.ts';
import { decodeChangelog } from '../../topology/frontier/changes/changelog.ts';
import { digest } from '../../topology/frontier/check/digest.ts';
import { replay } from '../../topology/frontier/replay.ts';
import { FrontierState } from '../../topology/frontier/state/state.ts';
import { defaultPolicy } from '../../topology/policy/policy.ts';
import { topicNames, topics } from '../../topology/topics.ts';
import { cutLog } from './cut-log.ts';

const skip = (await skipReason()) ?? false;
const clock = new SystemClock();
const key = { hi: 0x1234_5678, lo: 0x9abc_def0 };

/** A crawl of one partition, by name. */
class Crawl {
  readonly #name: string;
  readonly #codec: RecordCodec;
  readonly notices: string[] = [];
  log: Log;

  constructor(name: string, codec: RecordCodec, log: Log) {
    this.#name = name;
    this.#codec = codec;
    this.log = log;
  }

  get changelog(): string {
    return `${this.#name}.frontier-changelog`;
  }

  async begin(): Promise<void> {
    await this.log.createTopics(
      topicNames.map((name) => ({ name: `${this.#name}.${name}`, partitions: 1, retention: topics[name].retention })),
    );
    await this.log.append(policyRecords(this.#codec, this.#topics, defaultPolicy(), 'test', clock.nowMs()));
  }

  get #topics() {
    return { crawl: this.#name, partitions: 1, keyMode: 'host' } as const;
  }

  async discover(from: number, to: number): Promise<void> {
    const urls = Array.from({ length: to - from }, (_, n) => `http://h${from + n}.test/`);
    await this.log.append(urls.flatMap((url) => seedRecords(this.#codec, this.#topics, [url], clock.nowMs())));
  }

  end = async (topic = this.changelog): Promise<number> => (await this.log.offsets(topic, 0)).end;

  owner(store: StateStore, options: Partial<OwnerOptions> = {}): PartitionOwner {
    const identity = { crawl: this.#name, partition: 0, partitions: 1 };
    const onNotice = (text: string) => void this.notices.push(text);
    const onReopen = ({ message }: Error) => void this.notices.push(message);
    const fixed = { log: this.log, codec: this.#codec, clock, identity, key, onNotice, onReopen };
    return new PartitionOwner({ ...fixed, store, endsLeases: false, leasesMax: 20, ...options });
  }

  /** An owner works until so many URLs were admitted. Gives what it has then. */
  async work(store: StateStore, admitted: number): Promise<string> {
    let live: FrontierState | undefined;
    const owner = this.owner(store, { onOpened: ({ state }) => (live = state) });
    const run = owner.run();
    await until(`${admitted} URLs admitted`, () => (owner.committed?.counters.admitted ?? 0) >= admitted, run);
    owner.stop();
    await run;
    return digest(live!);
  }

  /** What the log alone gives. */
  async replayed(): Promise<FrontierState> {
    const state = new FrontierState(key);
    for await (const { offset, value } of recordsOf(this.log, this.changelog, 0, 0, await this.end()))
      replay(state, offset, decodeChangelog(value));
    return state;
  }
}

async function until(what: string, holds: () => boolean, run: Promise<void>): Promise<void> {
  let ended = false;
  run.finally(() => (ended = true)).catch(() => {});
  const deadlineMs = Date.now() + 60_000;
  while (!holds()) {
    if (ended) await run;
    assert.ok(Date.now() < deadlineMs, `waited for ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

describe('a broker that has lost acknowledged records', { skip, timeout: 300_000 }, () => {
  let broker: TestBroker;
  let folder: string;
  const open = () => openKafkaLog({ brokers: [broker.brokers], clientId: 'lost-tail' });
  before(async () => {
    broker = await startBroker({ own: true });
    folder = await mkdtemp(join(tmpdir(), 'crawlstream-lost-tail-'));
  });
  after(async () => {
    await broker?.stop();
    if (folder !== undefined) await rm(folder, { recursive: true, force: true });
  });

  it('if a broker has lost records of a changelog, the old owner’s folder is discarded by name, and all agree on the log', async () => {
    const codec = await openCodec(createMemoryRegistry(), 'changelog');
    const crawl = new Crawl('changelog', codec, await open());
    await crawl.begin();
    const old = await openStateStore(join(folder, 'old'));
    await crawl.discover(0, 50);
    await crawl.work(old, 50);
    const kept = await crawl.end();
    await crawl.discover(50, 150);
    await crawl.work(old, 150);
    const reached = await crawl.end();
    await crawl.log.close();

    await broker.kill();
    await cutLog(broker.partitionFolder(crawl.changelog, 0), kept);
    await broker.restart();
    crawl.log = await open();
    assert.ok((await crawl.end()) <= kept, 'the records are gone');
    const others = createMemoryStore();
    while ((await crawl.end()) <= reached) await crawl.work(others, 150);
    assert.deepEqual(crawl.notices, []);

    const back = await crawl.work(old, 150);
    await old.close();
    const log = await crawl.replayed();
    assert.equal(back, digest(log));
    assert.equal(log.counters.admitted, 150);
    assert.match(
      crawl.notices.join(),
      /the state in its folder was built from changelog records .* that no longer exist/,
    );
    await crawl.log.close();
  });

  it('if a broker has lost records of an input, the records in their place are read, not skipped', async () => {
    const codec = await openCodec(createMemoryRegistry(), 'inputs');
    const crawl = new Crawl('inputs', codec, await open());
    await crawl.begin();
    const store = createMemoryStore();
    const discovered = 'inputs.discovered';
    await crawl.discover(0, 20);
    const kept = await crawl.end(discovered);
    await crawl.discover(20, 30);
    await crawl.work(store, 30);
    await crawl.log.close();

    await broker.kill();
    await cutLog(broker.partitionFolder(discovered, 0), kept);
    await broker.restart();
    crawl.log = await open();
    assert.equal(await crawl.end(discovered), kept);
    // More than were lost: the position that was committed lies among them.
    await crawl.discover(30, 50);
    const live = await crawl.work(store, 50);
    assert.match(crawl.notices.join(), /inputs\.discovered\/0 was read up to 30, but its records from 20 on are gone/);
    const log = await crawl.replayed();
    assert.deepEqual([log.counters.admitted, log.counters.cutInputs, digest(log)], [50, 1, live]);
    await crawl.log.close();
  });

  it('if a broker loses records of an input during a read, the reader says where, and continues there', async () => {
    const log = await open();
    const topic = 'inputs.results';
    const append = (from: number, to: number) =>
      log.append(
        Array.from({ length: to - from }, (_, n) => ({
          topic,
          partition: 0,
          key: null,
          value: Buffer.from(`${from + n}`),
        })),
      );
    const { end: start } = await log.offsets(topic, 0);
    await append(0, 5);
    await append(5, 10);
    const reader = log.reader();
    reader.seek(topic, 0, start);
    const read = async (count: number) => {
      const values: string[] = [];
      const cuts: number[] = [];
      const deadlineMs = Date.now() + 60_000;
      while (values.length < count) {
        assert.ok(Date.now() < deadlineMs, `waited for ${count} records, read ${values.length}`);
        const records = await pollOn(reader, { maxBytes: 1 << 20, waitMs: 200 }, ({ end }) => cuts.push(end));
        values.push(...records.map(({ value }) => value.toString()));
      }
      return { values, cuts };
    };
    assert.equal((await read(10)).values.length, 10);
    await broker.kill();
    await cutLog(broker.partitionFolder(topic, 0), start + 5);
    await broker.restart();
    // Past the position, and before the reader asks again or after: it is told either way.
    await append(10, 30);
    const after = await read(20);
    assert.deepEqual([after.values[0], after.values.at(-1), after.cuts], ['10', '29', [start + 5]]);
    await reader.close();
    await log.close();
  });
});
