/** All payments of a crawl, from partition 0 of `control`. */
import { createPaymentBook, type PaymentBook } from '../../../topology/pay/payment.ts';
import type { RecordCodec } from '../avro/record-codec.ts';
import type { Log } from '../log/log.ts';
import { controlEvents } from './control-log.ts';

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
