import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { FactsTable } from '../../../../topology/frontier/hosts/facts-table.ts';
import type { KeyTable } from '../../../../topology/frontier/hosts/key-table.ts';
import { KnownRows, knownKey, knownRange, readKnown } from '../../../../topology/frontier/pull/known-rows.ts';
import { PullState } from '../../../../topology/frontier/pull/pull-state.ts';
import { ByteReader, ByteWriter } from '../../../../topology/frontier/storage/bytes.ts';

const factsOf = (readyAtMs: number, ownDelayMs = -1, isLeast = false) =>
  ({
    readyAtMs: () => readyAtMs,
    ownDelayMs: () => ownDelayMs,
    get: () => ({ ownDelayIsLeast: isLeast }),
  }) as unknown as FactsTable;

function served(): PullState {
  const pull = new PullState();
  pull.set(true, 0);
  return pull;
}

describe('the queues of a served crawl', () => {
  it('the queues of a served crawl are counted by content, and active while one URL is not done', () => {
    const pull = served();
    const counts = () => [pull.queues, pull.activeQueues];
    assert.deepEqual([pull.urlsOf(5), pull.doneOf(5), counts()], [0, 0, [0, 0]]);
    pull.count(5, 2, 0);
    pull.count(1, 1, 1);
    assert.deepEqual(counts(), [2, 1]);
    pull.count(5, 0, 1);
    assert.deepEqual(counts(), [2, 1]);
    pull.count(5, 0, 1);
    assert.deepEqual([pull.urlsOf(5), pull.doneOf(5), counts()], [2, 2, [2, 0]]);
    pull.count(5, -2, -2);
    assert.deepEqual(counts(), [1, 0]);
  });

  it('the queues of an ordinary crawl are not counted, saved or read', () => {
    const pull = new PullState();
    pull.count(5, 2, 1);
    const writer = new ByteWriter();
    pull.save(writer, 5);
    assert.deepEqual([pull.queues, pull.urlsOf(5), pull.rowOf(5), writer.length], [0, 0, null, 0]);
    assert.equal(pull.readyAtMs(5, factsOf(1_000, 50)), 1_000, 'fetchers tell from when on it may be contacted');
  });

  it('the queues of a served crawl keep their own or the common delay since their last contact, and until a block ends', () => {
    const pull = new PullState();
    assert.equal(pull.set(true, 100), false, 'it was off');
    assert.equal(pull.set(true, 100), false);
    assert.equal(pull.set(true, 200), true);
    assert.equal(pull.readyAtMs(0, factsOf(0)), 0, 'never contacted');
    assert.equal(pull.readyAtMs(0, factsOf(1_000)), 1_200);
    assert.equal(pull.readyAtMs(0, factsOf(1_000, 0)), 1_000);
    assert.equal(pull.readyAtMs(0, factsOf(1_000, 50)), 1_050);
    assert.equal(pull.readyAtMs(0, factsOf(1_000, 50, true)), 1_200, 'at least 50 is 200');
    assert.equal(pull.readyAtMs(0, factsOf(1_000, 250, true)), 1_250);
    pull.mark(0, { blockedUntilMs: 1_100 });
    assert.equal(pull.readyAtMs(0, factsOf(1_000, 50)), 1_100);
    assert.equal(pull.readyAtMs(0, factsOf(1_000)), 1_200);
    assert.equal(pull.readyAtMs(0, factsOf(0)), 1_100);
    pull.mark(0, { blockedUntilMs: 0 });
    assert.equal(pull.readyAtMs(0, factsOf(0)), 0);
  });

  it('the queues of a served crawl keep each mark until it is removed', () => {
    const pull = new PullState();
    pull.mark(3, { drops: [4] });
    pull.mark(3, { blockedUntilMs: 9 });
    pull.mark(3, { forgotten: 2 });
    assert.deepEqual(pull.marksOf(3), { blockedUntilMs: 9, drops: [4], forgotten: 2 });
    for (const change of [{ drops: [] }, { forgotten: 0 }]) pull.mark(3, change);
    assert.deepEqual(pull.marksOf(3), { blockedUntilMs: 9, drops: [], forgotten: 0 });
  });

  it('the queues of a served crawl have a new generation after each deletion, and their URLs new names', () => {
    const pull = new PullState();
    const keys = { find: () => 3 } as unknown as KeyTable;
    const name = (key: string, url: string, offset = 100) => pull.nameOf(keys, key, url, offset);
    const url = 'https://a.test/x';
    assert.equal(name('a.test', url), url);
    assert.equal(name('queue', url), `queue\n${url}`);
    pull.mark(3, { drops: [10, 20] });
    assert.deepEqual(
      [10, 11, 20, 21].map((offset) => pull.generation(3, offset)),
      [0, 1, 1, 2],
    );
    assert.equal(pull.generation(4, 100), 0);
    assert.equal(name('a.test', url), `2\na.test\n${url}`);
    assert.equal(name('a.test', url, 10), url);
  });

  it('the queues of a served crawl follow from the URL alone only if it begins with just that host', () => {
    const pull = new PullState();
    const keys = { find: () => 0 } as unknown as KeyTable;
    const isPlain = (key: string, url: string) => pull.nameOf(keys, key, url, 1) === url;
    for (const url of ['http://a.test', 'https://a.test/', 'http://a.test:80/', 'https://a.test?x', 'http://a.test#x'])
      assert.equal(isPlain('a.test', url), true, url);
    for (const url of ['http://a.tests/', 'http://b.a.test/', 'http://a.tes/', 'http://a.test.b/', 'http://x/a.test'])
      assert.equal(isPlain('a.test', url), false, url);
  });

  it('the queues of a served crawl are read back as they were written', () => {
    const pull = served();
    pull.count(2, 7, 3);
    pull.mark(2, { blockedUntilMs: 1_700_000_000_000, drops: [5, 9], forgotten: 4 });
    const writer = new ByteWriter();
    pull.save(writer, 2);
    const again = served();
    again.load(new ByteReader(writer.take()), 2);
    assert.deepEqual(again.marksOf(2), pull.marksOf(2));
    assert.deepEqual([again.urlsOf(2), again.doneOf(2), again.queues, again.activeQueues], [7, 3, 1, 1]);
  });
});

describe('rows of finished URLs', () => {
  const payload = Buffer.from('p');
  it('rows of finished URLs are found until they are written, by key in order, a newer one instead of an older', () => {
    const rows = new KnownRows();
    const [late, early] = [knownKey(2, 1, 9, 9), knownKey(2, 1, 0, 1)];
    rows.set(late, { what: 'done', url: 'late', payload });
    rows.set(early, { what: 'waits', url: 'early', payload });
    const taken = rows.take();
    assert.deepEqual(
      taken.map(({ key }) => key),
      [early, late],
    );
    rows.set(late, { what: 'forgotten', url: 'late', payload });
    assert.equal(readKnown(rows.recent(late)!).what, 'forgotten');
    assert.equal(readKnown(rows.recent(early)!).what, 'waits');
    assert.equal(readKnown(rows.recentOf(2, 1).get(late.toString('latin1'))!).what, 'forgotten');
    rows.written();
    assert.equal(rows.recent(early), undefined);
    assert.deepEqual(
      rows.take().map(({ key }) => key),
      [late],
    );
    assert.deepEqual(
      rows.take().map(({ key }) => key),
      [late],
      'a round that was given up has written nothing',
    );
  });

  it('rows of finished URLs belong to one queue and one generation of it', () => {
    const rows = new KnownRows();
    for (const [host, generation] of [
      [2, 0],
      [2, 1],
      [3, 0],
    ] as const)
      rows.set(knownKey(host, generation, 5, 5), { what: 'done', url: `${host} ${generation}`, payload });
    assert.deepEqual(
      [...rows.recentOf(2, 1).values()].map((row) => readKnown(row)),
      [{ what: 'done', url: '2 1', payload }],
    );
    const { gte, lt } = knownRange(2, 1);
    const inside = (key: Buffer) => key.compare(gte) >= 0 && key.compare(lt) < 0;
    assert.deepEqual(
      [
        knownKey(2, 0, 0xffffffff, 0xffffffff),
        knownKey(2, 1, 0, 0),
        knownKey(2, 1, 0xffffffff, 0xffffffff),
        knownKey(2, 2, 0, 0),
      ].map(inside),
      [false, true, true, false],
    );
  });
});
