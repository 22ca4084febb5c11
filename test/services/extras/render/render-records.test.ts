/** What a renderer publishes of a page with a screenshot, on topics that take only small records. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { blankLink, blankLinkGroup, blankPage, blankRequest } from '../../../../schemas/blank.ts';
import { RenderRecords } from '../../../../services/extras/render/render-records.ts';
import { createMemoryRegistry } from '../../../../services/runtime/avro/memory-registry.ts';
import { openCodec } from '../../../../services/runtime/avro/record-codec.ts';
import type { AppendRecord } from '../../../../services/runtime/log/log.ts';
import { RecordTooLarge } from '../../../../services/runtime/log/record-too-large.ts';

type Context = ConstructorParameters<typeof RenderRecords>[0];
type Agreed = ConstructorParameters<typeof RenderRecords>[1];

const codec = await openCodec(createMemoryRegistry(), 'c');
const url = 'http://a.test/';
const screenshot = new Uint8Array(5_000).fill(7);
const groups = [{ ...blankLinkGroup, hostKey: 'b.test', links: [{ ...blankLink, url: 'http://b.test/' }] }];

/** As the log port says of records that are too large: the others are durable. */
function onTopicsFor(recordBytesMax: number) {
  const durable: AppendRecord[] = [];
  const log = {
    async append(records: readonly AppendRecord[]) {
      const tooLarge = [...records.keys()].filter((at) => records[at]!.value.length > recordBytesMax);
      durable.push(...records.filter((_, at) => !tooLarge.includes(at)));
      if (tooLarge.length > 0) throw new RecordTooLarge('c.pages', tooLarge);
      return [];
    },
  };
  const context = { log, codec, manifest: { crawl: 'c', partitions: 1, keyMode: 'host' }, reach: {} };
  const records = new RenderRecords(
    context as unknown as Context,
    { namesOf: () => ({ userAgent: 'x', robotsTokens: 'x' }) } as unknown as Agreed,
  );
  const pages = () =>
    durable.filter(({ topic }) => topic === 'c.pages').map(({ value }) => codec.decode('pages', value));
  const topics = () => durable.map(({ topic }) => topic);
  return { records, pages, topics };
}

test('a rendered page is published with its screenshot, as bytes', async () => {
  const { records, pages } = onTopicsFor(10_000);
  assert.equal(await records.publish({ page: { ...blankPage, url, screenshot }, groups }), true);
  assert.deepEqual(
    pages().map((page) => [page.url, Buffer.compare(page.screenshot, screenshot)]),
    [[url, 0]],
  );
});

test('a rendered page that is too large for its topic with its screenshot is published without it, its links once', async () => {
  const { records, pages, topics } = onTopicsFor(4_000);
  records.contacts.requested({ ...blankRequest, url, startMs: 1, endMs: 2 });
  const page = { ...blankPage, url, title: 'kept', rendered: true, screenshot };
  assert.equal(await records.publish({ page, groups }), false);
  assert.deepEqual(
    pages().map(({ title, rendered, screenshot: shown }) => [title, rendered, shown.length]),
    [['kept', true, 0]],
  );
  assert.deepEqual(topics(), ['c.results', 'c.discovered', 'c.pages']);
});

test('a rendered page that is too large without a screenshot is an error of its record', async () => {
  const { records, pages } = onTopicsFor(4_000);
  const text = 'x'.repeat(5_000);
  for (const shown of [screenshot, new Uint8Array()])
    await assert.rejects(records.publish({ page: { ...blankPage, url, text, screenshot: shown }, groups }), {
      code: 'RECORD_TOO_LARGE',
    });
  assert.deepEqual(pages(), []);
});
