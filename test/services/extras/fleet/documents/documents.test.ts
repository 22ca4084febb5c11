/** What a fleet keeps beside its crawls' data: one contract, in a folder and on a topic; and owners one after another. */
import assert from 'node:assert/strict';
import { describe, it, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { documentStore } from '../../../../../services/extras/fleet/documents/document-store.ts';
import type { Documents } from '../../../../../services/extras/fleet/documents/documents.ts';
import { folderDocuments } from '../../../../../services/extras/fleet/documents/folder-documents.ts';
import { followTopicDocuments } from '../../../../../services/extras/fleet/documents/follow-documents.ts';
import {
  openTopicDocuments,
  readTopicDocuments,
} from '../../../../../services/extras/fleet/documents/topic-documents.ts';
import { openHostFacts } from '../../../../../services/extras/fleet/host-facts.ts';
import { SystemClock } from '../../../../../services/runtime/clock.ts';
import { openEmbeddedLog } from '../../../../../services/runtime/log/embedded-log.ts';
import type { Log, LogReader, LogRecord, PollOptions } from '../../../../../services/runtime/log/log.ts';
import { createMemoryStore } from '../../../../../services/runtime/store/memory-store.ts';
import { CrawlstreamError } from '../../../../../topology/errors.ts';
import { temporaryFolder } from '../../../runtime/store/temporary-folder.ts';

const topic = 'f.crawls';

async function openLog(): Promise<Log> {
  const log = await openEmbeddedLog(createMemoryStore(), new SystemClock());
  await log.createTopics([{ name: topic, partitions: 1, retention: 'state' }]);
  return log;
}

const owner = (log: Log, by = 'a', onLost: (error: unknown) => void = () => {}) =>
  openTopicDocuments({ log, topic, by, onLost });
const isLost = (error: unknown) => error instanceof CrawlstreamError && error.code === 'OWNERSHIP_LOST';

function contract(name: string, open: () => Promise<() => Promise<Documents>>): void {
  describe(`documents: ${name}`, () => {
    it('a topic of documents returns what was put, in this process and the next, and nothing deleted', async () => {
      const reopen = await open();
      let documents = await reopen();
      assert.equal(await documents.get('crawls/a/fleet.json'), undefined);
      assert.deepEqual(await documents.keys('crawls/'), []);
      const text = '{ "name": "ünï\\n" }\n';
      await documents.put('least-waits.json', 'w');
      await documents.put('owners/search.json', '1');
      await documents.put('owners/search.json', '2');
      for (const name of ['b', 'a']) await documents.put(`owners/${name}.json`, text);
      await documents.delete('owners/b.json');
      await documents.delete('owners/none.json');
      for (const round of [1, 2]) {
        assert.equal(await documents.get('owners/a.json'), text, `${round}`);
        assert.equal(await documents.get('owners/search.json'), '2');
        assert.equal(await documents.get('owners/b.json'), undefined);
        assert.deepEqual(await documents.keys('owners/'), ['owners/a.json', 'owners/search.json']);
        assert.deepEqual(await documents.keys('owners/s'), ['owners/search.json']);
        assert.deepEqual(await documents.keys(''), ['least-waits.json', 'owners/a.json', 'owners/search.json']);
        documents = await reopen();
      }
      assert.match(documents.placeOf('owners/a.json'), /owners\/a\.json/);
    });

    it('a topic of documents keeps the last of concurrent puts', async () => {
      const documents = await (await open())();
      for (let n = 0; n < 20; n++) await documents.put('owners/a.json', `${n}`);
      assert.equal(await documents.get('owners/a.json'), '19');
      await Promise.all(Array.from({ length: 20 }, (_, n) => documents.put('owners/a.json', `at once ${n}`)));
      assert.equal(await documents.get('owners/a.json'), 'at once 19');
      const both = [documents.put('owners/a.json', 'x'.repeat(10_000)), documents.delete('owners/a.json')];
      await Promise.all([...both, documents.put('owners/b.json', 'b')]);
      assert.deepEqual(await documents.keys(''), ['owners/b.json']);
    });
  });
}

contract('in a folder', async () => {
  const folder = temporaryFolder();
  return async () => folderDocuments(folder);
});
contract('on a topic', async () => {
  const log = await openLog();
  return () => owner(log);
});

test('a former owner’s puts are void, and fail', async () => {
  const log = await openLog();
  const lost: unknown[] = [];
  const first = await owner(log, 'first', (error) => lost.push(error));
  await first.put('owners/a.json', 'first');
  const second = await owner(log, 'second');
  assert.equal(await second.get('owners/a.json'), 'first');
  await assert.rejects(first.put('owners/a.json', 'late'), isLost);
  await assert.rejects(first.delete('owners/a.json'), isLost);
  assert.equal(lost.length, 1);
  // What is void costs its successor nothing.
  await Promise.all(['b', 'c', 'd'].map((name) => second.put(`owners/${name}.json`, 'second')));
  const third = await owner(log, 'third');
  assert.equal(await third.get('owners/a.json'), 'first');
  assert.equal(await third.get('owners/d.json'), 'second');
  await third.put('owners/b.json', 'third');
  assert.equal(await (await owner(log)).get('owners/b.json'), 'third');
});

test('after a failed append an owner’s later puts do not count, and its earlier ones are there for the next', async () => {
  const log = await openLog();
  let fails = false;
  const failing: Log = {
    ...log,
    append: (records, options) =>
      fails ? Promise.reject(new CrawlstreamError('BROKER_UNREACHABLE', 'no broker')) : log.append(records, options),
  };
  const first = await owner(failing);
  await first.put('owners/a.json', '1');
  fails = true;
  // All that were under way hear of it.
  const under = ['2', '3'].map((text) => first.put('owners/a.json', text));
  for (const { status } of await Promise.allSettled(under)) assert.equal(status, 'rejected');
  fails = false;
  await assert.rejects(first.put('owners/a.json', '3'), isLost);
  assert.equal(await (await owner(log)).get('owners/a.json'), '1');
});

test('a topic of documents stays bounded, and no document is lost when it is rewritten', async () => {
  const log = await openLog();
  const first = await owner(log);
  await first.put('owners/kept.json', 'kept');
  for (let n = 0; n < 254; n++) await first.put('owners/a.json', `${n}`);
  const second = await owner(log);
  const { start, end } = await log.offsets(topic, 0);
  assert.deepEqual([end - start, await second.get('owners/a.json')], [3, '253']);
  const third = await owner(log);
  assert.deepEqual([await third.get('owners/a.json'), await third.get('owners/kept.json')], ['253', 'kept']);
});

const lengthOf = async (log: Log) => {
  const { start, end } = await log.offsets(topic, 0);
  return end - start;
};
test('a topic of documents is rewritten once it has more than 256 records, and four per document', async () => {
  for (const [documents, most] of [
    [2, 256],
    [100, 400],
  ] as const)
    for (const records of [most, most + 1]) {
      const log = await openLog();
      const first = await owner(log);
      // Two are claims.
      for (let n = 0; n < records - 2; n++) await first.put(`owners/${n % documents}.json`, `${n}`);
      assert.equal(await lengthOf(log), records - 1, `${records} of ${documents}`);
      await owner(log);
      assert.equal(await lengthOf(log), records === most ? most : documents + 1, `${records} of ${documents}`);
    }
});

test('a repeated delete, or one of a missing document, is at most one record', async () => {
  const log = await openLog();
  const only = await owner(log);
  await only.put('owners/a.json', 'a');
  for (const name of ['a', 'a', 'b']) await only.delete(`owners/${name}.json`);
  assert.equal(await lengthOf(log), 3);
});

test('the later of two puts wins, whenever each is acknowledged', async () => {
  const log = await openLog();
  const waits = [20, 1];
  const slow: Log = {
    ...log,
    append: async (records, options) => {
      const offsets = await log.append(records, options);
      if (records[0]?.headers?.['term'] !== undefined) await sleep(waits.shift() ?? 0);
      return offsets;
    },
  };
  const only = await owner(slow);
  await Promise.all(['1', '2'].map((text) => only.put('owners/a.json', text)));
  assert.equal(await only.get('owners/a.json'), '2');
  assert.equal(await (await owner(log)).get('owners/a.json'), '2');
});

const allOf = async (documents: Pick<Documents, 'get' | 'keys'>) =>
  Object.fromEntries(await Promise.all((await documents.keys('')).map(async (key) => [key, await documents.get(key)])));

test('a topic of documents stays bounded under one lasting owner, with puts under way during each rewrite', async () => {
  const log = await openLog();
  const only = await owner(log, 'only', assert.ifError);
  const followed = followTopicDocuments({ log, topic, onChange() {}, onFailure: assert.ifError });
  const expected: Record<string, string> = {};
  for (let round = 0; round < 100; round++) {
    const puts = Array.from({ length: 40 }, (_, n) => [`owners/${n % 20}.json`, `${round} ${n}`] as const);
    for (const [key, text] of puts) expected[key] = text;
    if (round === 50) await only.delete('owners/19.json');
    await Promise.all(puts.map(([key, text]) => only.put(key, text)));
    assert.ok((await lengthOf(log)) <= 256 + 1 + 40 + 20 + 1, `${await lengthOf(log)} records`);
  }
  assert.deepEqual(await allOf(only), expected);
  assert.ok((await log.offsets(topic, 0)).end < 4_000 * 1.3, 'it is written anew now and then, not with each put');
  await followed.caughtUp();
  assert.deepEqual(await allOf(followed), expected);
  await followed.stop();
  assert.deepEqual(await allOf(await readTopicDocuments(log, topic)), expected);
  assert.deepEqual(await allOf(await owner(log)), expected);
});

test('a kill at any append or trim during a rewrite keeps all documents', async () => {
  for (let kill = 256; kill <= 264; kill++) {
    const log = await openLog();
    let calls = 0;
    const dies = () => Promise.reject(new CrawlstreamError('BROKER_UNREACHABLE', 'killed'));
    const mortal: Log = {
      ...log,
      append: (records, options) => (++calls > kill ? dies() : log.append(records, options)),
      trim: (...at) => (++calls > kill ? dies() : log.trim(...at)),
    };
    const first = await owner(mortal);
    let last = -1;
    const put = async (n: number) => {
      await first.put(`owners/${n % 3}.json`, `${n}`);
      last = n;
    };
    await assert.rejects(async () => {
      for (let n = 0; n < 300; n++) await put(n);
    }, isLost);
    assert.ok(last >= 250 && last < 280, `${last}`);
    const next = await allOf(await owner(log));
    // The one that was under way may be there.
    const upTo = (most: number) =>
      Object.fromEntries([0, 1, 2].map((key) => [`owners/${key}.json`, `${most - ((most - key + 3) % 3)}`]));
    assert.ok(
      [last, last + 1].some((most) => JSON.stringify(next) === JSON.stringify(upTo(most))),
      `${kill}: ${last}`,
    );
  }
});

test('a replaced owner cannot bring its documents back by a rewrite', async () => {
  const log = await openLog();
  const ended: unknown[] = [];
  let claimed: (() => Promise<void>) | undefined;
  const late: Log = {
    ...log,
    append: async (records, options) => {
      if (records[0]?.headers?.['renews'] !== undefined) await claimed?.();
      return log.append(records, options);
    },
  };
  const before = await owner(late, 'before', (error) => ended.push(error));
  let now: Documents | undefined;
  claimed = async () => {
    now = await owner(log, 'now', assert.ifError);
    await now.put('owners/a.json', 'now');
  };
  await assert.rejects(async () => {
    for (let n = 0; n < 300; n++) await before.put('owners/a.json', `${n}`);
  }, isLost);
  assert.equal(ended.length, 1);
  assert.ok(now !== undefined, 'another has claimed them meanwhile');
  await now.put('owners/b.json', 'now');
  const both = { 'owners/a.json': 'now', 'owners/b.json': 'now' };
  assert.deepEqual(await allOf(await readTopicDocuments(log, topic)), both);
  assert.deepEqual(await allOf(await owner(log)), both);
});

/** A log whose readers poll so. */
const polled = (
  log: Log,
  poll: (reader: LogReader, options: PollOptions) => Promise<LogRecord[]>,
): Pick<Log, 'offsets' | 'reader'> => ({
  offsets: (...at) => log.offsets(...at),
  reader: () => {
    const reader = log.reader();
    return new Proxy(reader, {
      get(_, name: keyof LogReader) {
        if (name === 'poll') return (options: PollOptions) => poll(reader, options);
        return (reader[name] as () => unknown).bind(reader);
      },
    });
  },
});

test('a topic that is rewritten during a read is read again, and an unreadable one stays an error', async () => {
  const log = await openLog();
  const first = await owner(log);
  for (let n = 0; n < 20; n++) await first.put(`owners/${n}.json`, `${n}`);
  let polls = 0;
  const under = polled(log, async (reader, options) => {
    if (polls++ === 0) for (let n = 0; n < 600; n++) await first.put('owners/0.json', `${n}`);
    return reader.poll(options);
  });
  const seen = await allOf(await readTopicDocuments(under, topic));
  assert.ok((await log.offsets(topic, 0)).start > 20 && polls > 1, 'what was being read was dropped');
  assert.equal(Object.keys(seen).length, 20);
  assert.deepEqual(seen, await allOf(first));
  const broken = polled(log, () => Promise.reject(new CrawlstreamError('OFFSET_OUT_OF_RANGE', 'not there')));
  await assert.rejects(readTopicDocuments(broken, topic), { code: 'OFFSET_OUT_OF_RANGE' });
});

test('a follower that fell behind shows its old documents until it has all new ones', async () => {
  const log = await openLog();
  const first = await owner(log);
  for (let n = 0; n < 20; n++) await first.put(`owners/${n}.json`, 'old');
  let isBehind = false;
  const behind = polled(log, async (reader, options) => {
    const records = await reader.poll({ ...options, maxBytes: 1 });
    if (!isBehind) return records;
    isBehind = false;
    throw new CrawlstreamError('OFFSET_OUT_OF_RANGE', 'trimmed');
  });
  const views: Promise<number>[] = [];
  const onChange = () => void views.push(followed.keys('').then(({ length }) => length));
  const followed = followTopicDocuments({ log: behind, topic, onChange, onFailure: assert.ifError });
  await followed.caughtUp();
  views.length = 0;
  isBehind = true;
  await first.delete('owners/0.json');
  await first.put('owners/20.json', 'new');
  while ((await followed.get('owners/20.json')) !== 'new') await sleep(5);
  await followed.caughtUp();
  assert.deepEqual(await allOf(followed), await allOf(first));
  assert.ok(views.length > 0);
  for (const count of await Promise.all(views)) assert.ok(count >= 19, `${count}`);
  await followed.stop();
});

test('facts of hosts are stored among the documents', async () => {
  const log = await openLog();
  const before = await openHostFacts(documentStore(await owner(log), 'hosts/'), 1_000);
  before.note('a.test:8080', { heldUntilMs: 60_000, crawlDelayMs: 0 }, 1_000);
  before.note('b.test', { heldUntilMs: 0, crawlDelayMs: 5_000 }, 1_000);
  await before.settled();
  const after = await openHostFacts(documentStore(await owner(log), 'hosts/'), 2_000);
  assert.deepEqual(after.known.get('a.test:8080'), { heldUntilMs: 60_000, crawlDelayMs: 0 });
  assert.deepEqual(after.known.get('b.test'), { heldUntilMs: 0, crawlDelayMs: 5_000 });
  assert.equal((await openHostFacts(documentStore(await owner(log), 'hosts/'), 70_000)).known.size, 1);
});

test('a reader of a topic sees its owner’s documents, and takes nothing from it', async () => {
  const log = await openLog();
  assert.deepEqual(await (await readTopicDocuments(log, topic)).keys(''), []);
  const before = await owner(log);
  await before.put('crawls/a', '1');
  const now = await owner(log, 'b');
  await assert.rejects(before.put('crawls/a', 'void'), isLost);
  await now.put('crawls/b', '2');
  const seen = await readTopicDocuments(log, topic);
  assert.deepEqual(await seen.keys('crawls/'), ['crawls/a', 'crawls/b']);
  assert.deepEqual([await seen.get('crawls/a'), await seen.get('crawls/b')], ['1', '2']);
  await now.put('crawls/b', '3');
  assert.equal(await (await readTopicDocuments(log, topic)).get('crawls/b'), '3', 'the owner goes on');
});

test('a follower sees each change, continues after a rewrite, and sees nothing of a former owner', async () => {
  const log = await openLog();
  let changes = 0;
  const followed = followTopicDocuments({ log, topic, onChange: () => (changes += 1), onFailure: assert.ifError });
  const seen = async () => {
    await followed.caughtUp();
    return Object.fromEntries(
      await Promise.all((await followed.keys('')).map(async (key) => [key, await followed.get(key)])),
    );
  };
  assert.deepEqual(await seen(), {});
  const first = await owner(log);
  for (let n = 0; n < 300; n++) await first.put('a', `${n}`);
  await first.put('b', 'x');
  assert.deepEqual(await seen(), { a: '299', b: 'x' });
  const second = await owner(log, 'b');
  assert.ok((await log.offsets(topic, 0)).start > 0, 'it has written them anew');
  await assert.rejects(first.put('a', 'void'), isLost);
  await second.delete('b');
  await second.put('c', 'y');
  assert.deepEqual(await seen(), { a: '299', c: 'y' });
  assert.ok(changes > 1);
  // One that begins now knows nothing of what was dropped.
  const late = followTopicDocuments({ log, topic, onChange() {}, onFailure: assert.ifError });
  await late.caughtUp();
  assert.deepEqual(await late.keys(''), ['a', 'c']);
  await Promise.all([followed.stop(), late.stop()]);
  await log.close();
});
