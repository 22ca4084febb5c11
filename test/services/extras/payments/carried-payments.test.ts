/** What was paid outlives a trim of `control`, as the budget is spent by it: the book is the same before, between and after. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { blankControl } from '../../../../schemas/blank.ts';
import { readPaymentBook } from '../../../../services/extras/payments/payment-book.ts';
import { createMemoryRegistry } from '../../../../services/runtime/avro/memory-registry.ts';
import { openCodec } from '../../../../services/runtime/avro/record-codec.ts';
import { SystemClock } from '../../../../services/runtime/clock.ts';
import { carryOver } from '../../../../services/runtime/crawl/carry-over.ts';
import { openEmbeddedLog } from '../../../../services/runtime/log/embedded-log.ts';
import { createMemoryStore } from '../../../../services/runtime/store/memory-store.ts';
import { paymentSummary } from '../../../../topology/extras/payments/payment.ts';

const pay = { total: '1', currency: 'USD' } as Parameters<Awaited<ReturnType<typeof readPaymentBook>>['take']>[1];

test('payments stay known after trims of control, wherever they cut and after any kill', async () => {
  const log = await openEmbeddedLog(createMemoryStore(), new SystemClock());
  await log.createTopics([{ name: 'c.control', partitions: 1, retention: 'state' }]);
  const codec = await openCodec(createMemoryRegistry(), 'c');
  const note = (id: string, payload: object) => ({
    ...{ topic: 'c.control', partition: 0, key: null },
    value: codec.encode('control', {
      ...{ ...blankControl, kind: 'payment', atMs: 1_000, by: 'fetcher f', id, hostKey: `${id}.test` },
      payload: JSON.stringify(payload),
    }),
  });
  const offer = (id: string, price = 'USD 0.25') =>
    note(id, { state: 'offered', url: `http://${id}.test/`, scheme: 'x402', price });
  const answer = (id: string, status = 200) => note(id, { state: 'answered', status, charged: '', receipt: '' });
  await log.append([
    ...[offer('paid'), offer('withdrawn'), offer('open'), offer('cheated'), answer('paid')],
    ...[note('withdrawn', { state: 'withdrawn', why: 'nothing was sent' }), answer('cheated', 500)],
  ]);
  const reported = async () => {
    const book = await readPaymentBook(log, codec, 'c');
    const payments = [...book.payments()].sort((a, b) => (a.id < b.id ? -1 : 1));
    return { payments, summary: paymentSummary(book), isDamaged: book.isDamaged };
  };
  const before = await reported();
  assert.deepEqual(before.summary, { payments: 3, spent: ['USD 0.75'], open: 1, cheated: 1 });

  // An end alone is below one cut, an offer alone below another; a kill leaves what was appended, and nothing trimmed.
  for (const cut of [2, 6, 9, 12]) {
    await carryOver(log, codec, { crawl: 'c', partition: 0 }, cut);
    assert.deepEqual(await reported(), before, `appended, and not trimmed below ${cut}`);
    await log.trim('c.control', 0, await carryOver(log, codec, { crawl: 'c', partition: 0 }, cut));
    assert.deepEqual(await reported(), before, `trimmed below ${cut}`);
  }

  // And the budget: what is left buys one more, and no second one.
  const book = await readPaymentBook(log, codec, 'c');
  const asked = (id: string) => book.take(codec.decode('control', offer(id).value), pay);
  assert.equal(asked('last'), '');
  assert.match(asked('beyond')!, /the total budget of USD 1 is spent/);
  await log.close();
});
