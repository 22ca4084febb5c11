/** What a fleet tells of a crawl's pages, by listing and by events, once some were taken back. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { blankPage } from '../../../../schemas/blank.ts';
import { readPages } from '../../../../services/extras/fleet/api/read-pages.ts';
import { beginning, positionOf } from '../../../../services/extras/fleet/events/event-position.ts';
import { readEvents } from '../../../../services/extras/fleet/events/read-events.ts';
import { KeptPages } from '../../../../services/extras/fleet/kept-pages.ts';
import { openMemoryLog } from '../../../../services/library/memory-log.ts';
import { SystemClock } from '../../../../services/runtime/clock.ts';
import { controlEvent } from '../../../../services/runtime/crawl/control-log.ts';

const screenshot = Buffer.from('jpeg');
const urlOf = (name: string) => `http://a.test/${name}`;

async function crawlWith(records: readonly { readonly url: string; readonly isGone?: true }[]) {
  const { log, codec } = await openMemoryLog('c', 1, new SystemClock());
  const policy = controlEvent({ kind: 'policy', atMs: 1, by: 'test', version: 1, payload: '{"uses":["ai-train"]}' });
  await log.append([{ topic: 'c.control', partition: 0, key: null, value: codec.encode('control', policy) }]);
  for (const [at, { url, isGone }] of records.entries()) {
    const page = { ...blankPage, url, hostKey: 'a.test', fetchedAtMs: at + 1, text: 'words', screenshot };
    const value = isGone ? Buffer.alloc(0) : codec.encode('pages', page);
    await log.append([{ topic: 'c.pages', partition: 0, key: Buffer.from(url), value }]);
  }
  return { log, codec, crawl: 'c' };
}

test('a withdrawn page is no longer shown; once fetched again, it is', async () => {
  const reads = await crawlWith([
    { url: urlOf('a') },
    { url: urlOf('b') },
    { url: urlOf('a'), isGone: true },
    { url: urlOf('c') },
    { url: urlOf('b'), isGone: true },
    { url: urlOf('b') },
  ]);
  const kept = new KeptPages();
  const { lines, cursor } = await readPages(reads, await kept.of('c 1', reads), 0, 100);
  assert.deepEqual(
    lines.map((line) => (JSON.parse(line) as { url: string }).url),
    [urlOf('c'), urlOf('b')],
  );
  assert.equal(cursor, 6);
  // One at a time, from any place: the same.
  const first = await readPages(reads, await kept.of('c 1', reads), 0, 1);
  assert.equal(first.cursor, 4);

  const changes = [{ n: 0, kind: 'created', atMs: 1, pages: 0, detail: '' } as const];
  const bounds = { content: 'url', most: 100, charsSoft: 1e6 } as const;
  const counts = await kept.of('c 1', reads);
  const reported = await readEvents({ name: 'c', changes }, reads, counts, beginning, bounds);
  assert.deepEqual(
    reported.events.map(({ id, type, data }) => [id, type, 'url' in data ? data.url : '']),
    [
      ['0-1', 'crawl.created', ''],
      ['3-1', 'page.withdrawn', urlOf('a')],
      ['4-1', 'page', urlOf('c')],
      ['5-1', 'page.withdrawn', urlOf('b')],
      ['6-1', 'page', urlOf('b')],
    ],
  );
  assert.ok(!JSON.stringify(reported).includes('words'));

  // What is taken back while somebody reads is left out from then on.
  const gone = { topic: 'c.pages', partition: 0, key: Buffer.from(urlOf('c')), value: Buffer.alloc(0) };
  await reads.log.append([gone]);
  const after = await readPages(reads, await kept.of('c 1', reads), 0, 100);
  assert.deepEqual(
    after.lines.map((line) => (JSON.parse(line) as { url: string }).url),
    [urlOf('b')],
  );
});

test('the screenshot of a page is base64 in its JSON, in lists and in events', async () => {
  const reads = await crawlWith([{ url: urlOf('a') }]);
  const { lines } = await readPages(reads, () => true, 0, 1);
  const bounds = { content: 'page', most: 1, charsSoft: 1e6 } as const;
  const { events } = await readEvents({ name: 'c', changes: [] }, reads, () => true, beginning, bounds);
  const shown = [lines[0]!, JSON.stringify(events[0]!.data)].map((text) => JSON.parse(text) as { screenshot: string });
  assert.deepEqual(
    shown.map((page) => page.screenshot),
    ['anBlZw==', 'anBlZw=='],
  );
});

test('changes of a crawl stand between its pages at their time, however the events are cut', async () => {
  const reads = await crawlWith(['a', 'b', 'c', 'd'].map((name) => ({ url: urlOf(name) })));
  const change = (n: number, kind: 'created' | 'paused' | 'resumed' | 'ended', pages: number) =>
    ({ n, kind, atMs: n, pages, detail: '' }) as const;
  const changes = [change(0, 'created', 0), change(1, 'paused', 2), change(2, 'resumed', 2), change(3, 'ended', 4)];
  const order = ['0-1', '1-1', '2-1', '2-2', '2-3', '3-3', '4-3', '4-4'];
  const counts = await new KeptPages().of('c 1', reads);
  for (const most of [1, 2, 3, 100]) {
    const ids: string[] = [];
    for (let from = beginning; ; ) {
      const bounds = { content: 'page', most, charsSoft: 1e6 } as const;
      const { events, next } = await readEvents({ name: 'c', changes }, reads, counts, from, bounds);
      if (events.length === 0) break;
      assert.ok(events.length <= most);
      ids.push(...events.map(({ id }) => id));
      from = next;
    }
    assert.deepEqual(ids, order);
  }
  // Between two places, exactly what lies there: as after a kill.
  const bounds = { content: 'page', most: 1e9, charsSoft: 1e9, to: positionOf('2-2') } as const;
  const { events } = await readEvents({ name: 'c', changes }, reads, counts, positionOf('1-1')!, bounds);
  assert.deepEqual(
    events.map(({ id }) => id),
    ['2-1', '2-2'],
  );
});

test('a call for a few pages reads about these pages, however many the crawl has', async () => {
  const reads = await crawlWith(Array.from({ length: 2_000 }, (_, n) => ({ url: urlOf(`${n}`) })));
  const polled: number[] = [];
  const log = {
    ...reads.log,
    reader: () => {
      const reader = reads.log.reader();
      const poll: typeof reader.poll = async (options) => {
        const records = await reader.poll(options);
        polled.push(records.length);
        return records;
      };
      return { ...reader, poll };
    },
  };
  const read = (limit: number) => readPages({ ...reads, log }, () => true, 0, limit);
  assert.equal((await read(50)).lines.length, 50);
  assert.equal(polled.length, 1);
  assert.ok(polled[0]! < 1_000, `${polled[0]} pages were read for 50`);
  polled.length = 0;
  assert.equal((await read(10_000)).lines.length, 2_000);
  assert.ok(polled.length < 6, `${polled.length} reads for all`);
});
