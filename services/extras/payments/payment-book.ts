/** All payments of a crawl, from partition 0 of `control`. */
import { createPaymentBook, type PaymentBook } from '../../../topology/extras/payments/payment.ts';
import type { RecordCodec } from '../../runtime/avro/record-codec.ts';
import { controlEvents } from '../../runtime/crawl/control-log.ts';
import type { Log } from '../../runtime/log/log.ts';

export async function readPaymentBook(
  log: Pick<Log, 'offsets' | 'reader'>,
  codec: RecordCodec,
  crawl: string,
): Promise<PaymentBook> {
  const book = createPaymentBook();
  const { start, end } = await log.offsets(`${crawl}.control`, 0);
  for await (const { event } of controlEvents(log, codec, crawl, 0, start, end)) book.take(event);
  return book;
}
