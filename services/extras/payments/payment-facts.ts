/** Payments of a crawl, in `stats`; and for a URL, in `explain`. */
import { type Payment, type PaymentSummary, paymentSummary } from '../../../topology/extras/payments/payment.ts';
import { moneyText } from '../../../topology/fetch/money.ts';
import type { CrawlFacts } from '../../application/extension/crawl-facts.ts';
import { counted } from '../../runtime/counted.ts';
import { readPaymentBook } from './payment-book.ts';

export const paymentFacts: CrawlFacts = {
  async ofCrawl({ log, codec, crawl }) {
    const paid = paymentSummary(await readPaymentBook(log, codec, crawl));
    if (paid.payments === 0) return null;
    const text = `${paid.spent.join(', ')} for ${counted(paid.payments, 'page')}${paidMore(paid)}`;
    return { json: { paid }, rows: [['paid', text]] };
  },
  async ofUrl({ log, codec, crawl }, url) {
    const book = url === null ? [] : (await readPaymentBook(log, codec, crawl)).payments();
    const payments = [...book].filter((one) => one.url === url);
    return {
      json: { payments: payments.map((one) => ({ ...one, money: moneyText(one.money) })) },
      rows: [['paid', payments.length === 0 ? null : payments.map(paymentText).join('\n')]],
    };
  },
};

function paidMore({ open, cheated }: PaymentSummary): string {
  const unheard = open === 0 ? '' : `, the result of ${open} is unknown`;
  return cheated === 0 ? unheard : `${unheard}; ${cheated} got no page, or were charged a different amount`;
}

function paymentText({ atMs, money, scheme, by, end }: Payment): string {
  const what = `${new Date(atMs).toISOString()} ${moneyText(money)} (${scheme}) by ${by}`;
  if (end === null) return `${what}; the result is unknown, and the amount counts as spent`;
  if (end.state === 'withdrawn') return `${what}: withdrawn because ${end.why}`;
  const charged = end.charged === '' ? '' : `, charged ${end.charged}`;
  return `${what}: answered ${end.status}${charged}${end.receipt === '' ? '' : `, receipt ${end.receipt}`}`;
}
