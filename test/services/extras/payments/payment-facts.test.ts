/** Payments in the answers of `stats` and `explain`. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { blankControl } from '../../../../schemas/blank.ts';
import { paymentFacts } from '../../../../services/extras/payments/payment-facts.ts';
import { createMemoryRegistry } from '../../../../services/runtime/avro/memory-registry.ts';
import { openCodec } from '../../../../services/runtime/avro/record-codec.ts';
import { SystemClock } from '../../../../services/runtime/clock.ts';
import { openEmbeddedLog } from '../../../../services/runtime/log/embedded-log.ts';
import { createMemoryStore } from '../../../../services/runtime/store/memory-store.ts';

it('a page that was paid for has its amounts as text, in JSON as well as in rows', async () => {
  const log = await openEmbeddedLog(createMemoryStore(), new SystemClock());
  await log.createTopics([{ name: 'c.control', partitions: 1, retention: 'state' }]);
  const codec = await openCodec(createMemoryRegistry(), 'c');
  const crawl = { log, codec, crawl: 'c' };
  const url = 'http://a.test/';
  assert.equal(await paymentFacts.ofCrawl(crawl), null);
  assert.deepEqual(await paymentFacts.ofUrl(crawl, url), { json: { payments: [] }, rows: [['paid', null]] });
  const notes = [
    { state: 'offered', url, scheme: 'crawler-price', price: 'USD 0.25' },
    { state: 'answered', status: 200, charged: 'USD 0.25', receipt: 'r1' },
  ];
  const event = {
    ...blankControl,
    kind: 'payment',
    atMs: 1_000,
    by: 'fetcher f',
    id: 'one',
    hostKey: 'a.test',
  } as const;
  await log.append(
    notes.map((note) => ({
      ...{ topic: 'c.control', partition: 0, key: null },
      value: codec.encode('control', { ...event, payload: JSON.stringify(note) }),
    })),
  );
  const paid = { payments: 1, spent: ['USD 0.25'], open: 0, cheated: 0 };
  assert.deepEqual(await paymentFacts.ofCrawl(crawl), { json: { paid }, rows: [['paid', 'USD 0.25 for 1 page']] });
  const { json, rows } = await paymentFacts.ofUrl(crawl, url);
  const { payments } = JSON.parse(JSON.stringify(json));
  assert.deepEqual([payments.length, payments[0].money, payments[0].end.status], [1, 'USD 0.25', 200]);
  const text =
    '1970-01-01T00:00:01.000Z USD 0.25 (crawler-price) by fetcher f: answered 200, charged USD 0.25, receipt r1';
  assert.deepEqual(rows, [['paid', text]]);
  for (const other of ['http://a.test/other', null])
    assert.deepEqual((await paymentFacts.ofUrl(crawl, other)).json, { payments: [] });
});
