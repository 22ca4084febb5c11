/** What may be paid, and what counts as spent. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Chance } from '../../../../lab/model/model-script.ts';
import { blankControl } from '../../../../schemas/blank.ts';
import type { Control } from '../../../../schemas/types.ts';
import { affordable } from '../../../../topology/extras/payments/affordable.ts';
import { createPaymentBook, type PaymentNote, paymentSummary } from '../../../../topology/extras/payments/payment.ts';
import { moneyText, parseMoney } from '../../../../topology/fetch/money.ts';
import { quoteOf } from '../../../../topology/fetch/quote.ts';
import type { PayPolicy } from '../../../../topology/policy/pay-config.ts';

const pay: PayPolicy = { currency: 'USD', total: '1', page: '0.5', host: '0.8' };
const event = (id: string, note: PaymentNote | string, hostKey = 'a.test'): Control => ({
  ...blankControl,
  kind: 'payment',
  id,
  hostKey,
  payload: typeof note === 'string' ? note : JSON.stringify(note),
});
const offered = (url: string, price: string): PaymentNote => ({
  state: 'offered',
  url,
  scheme: 'crawler-price',
  price,
});
const answered = (status: number, charged = ''): PaymentNote => ({ state: 'answered', status, charged, receipt: '' });
const withdrawn: PaymentNote = { state: 'withdrawn', why: 'a test' };

test('an offer is accepted only in the policy’s currency, and within the page limit', () => {
  const of = (price: string, policy: PayPolicy | 'none' | null = pay, host = 'a.test:8080') => {
    const found = affordable(policy ?? undefined, host, quoteOf(['crawler-price', price]));
    return typeof found === 'string' ? found : moneyText(found.money);
  };
  assert.equal(of('USD 0.5'), 'USD 0.5');
  assert.equal(of('USD 0.500000001'), 'the price is above the limit of USD 0.5 for a page');
  assert.equal(of('EUR 0.01'), 'the answer has no price in USD');
  assert.equal(of('free'), 'the answer has no readable price');
  assert.equal(of('USD 0.1', 'none'), 'the policy allows no payments');
  assert.equal(of('USD 0.1', null), 'the policy allows no payments');
  assert.equal(of('USD 0.1', { ...pay, hosts: ['b.test'] }), 'the policy allows no payments to this host');
  assert.equal(of('USD 0.1', { ...pay, hosts: ['b.test'] }, 'www.b.test'), 'USD 0.1');
  assert.equal(
    of('USD 0.1', { ...pay, hosts: ['b.test'] }, 'evilb.test'),
    'the policy allows no payments to this host',
  );
});

test('of x402 the policy’s assets count as money, rounded up; the cheapest of several offers is chosen', () => {
  const accepts = [
    { network: 'base', asset: '0xA', amount: '20000' },
    { network: 'base', asset: '0xa', amount: '10001' },
    { network: 'other', asset: '0xA', amount: '1' },
  ];
  const quote = quoteOf(['payment-required', Buffer.from(JSON.stringify({ accepts })).toString('base64')]);
  assert.equal(affordable(pay, 'a.test', quote), 'the answer has no price in USD');
  const assets = [{ network: 'base', asset: '0xA', decimals: 6 }];
  const found = affordable({ ...pay, assets }, 'a.test', quote);
  assert.equal(typeof found === 'string' ? found : moneyText(found.money), 'USD 0.010001');
  const fine = affordable({ ...pay, assets: [{ ...assets[0]!, decimals: 18 }] }, 'a.test', quote);
  assert.equal(typeof fine === 'string' ? fine : moneyText(fine.money), 'USD 0.000000001');
});

test('the budget is spent by offers, in log order, and unsent ones are refunded', () => {
  const book = createPaymentBook();
  assert.equal(book.take(event('1', offered('http://a.test/1', 'USD 0.5')), pay), '');
  assert.equal(book.take(event('2', offered('http://a.test/1', 'USD 0.1')), pay), 'the page was already paid for');
  assert.equal(book.take(event('2', withdrawn), pay), null);
  const host = book.take(event('3', offered('http://a.test/3', 'USD 0.4')), pay);
  assert.equal(host, 'the host’s budget of USD 0.8 is spent');
  book.take(event('3', withdrawn), pay);
  assert.equal(book.take(event('4', offered('http://b.test/', 'USD 0.5'), 'b.test'), pay), '');
  assert.equal(
    book.take(event('5', offered('http://c.test/', 'USD 0.1'), 'c.test'), pay),
    'the total budget of USD 1 is spent',
  );
  book.take(event('5', withdrawn), pay);
  assert.equal(moneyText({ currency: 'USD', billionths: book.spent('USD') }), 'USD 1');
  assert.equal(book.take(event('1', offered('http://a.test/1', 'USD 0.5')), pay), null, 'a trim writes it again');
  assert.deepEqual(paymentSummary(book), { payments: 2, spent: ['USD 1'], open: 2, cheated: 0 });
});

test('a host that was paid and gave no page, or charged otherwise, is not paid again', () => {
  for (const end of [
    answered(402),
    answered(302),
    answered(503),
    answered(200, 'USD 0.3'),
    answered(200, 'EUR 0.1'),
    answered(200, 'free'),
  ]) {
    const book = createPaymentBook();
    assert.equal(book.take(event('1', offered('http://a.test/1', 'USD 0.1')), pay), '');
    book.take(event('1', end), pay);
    assert.match(
      book.take(event('2', offered('http://a.test/2', 'USD 0.1')), pay)!,
      /^the host was paid before, but answered/,
    );
    assert.equal(book.take(event('3', offered('http://b.test/', 'USD 0.1'), 'b.test'), pay), '');
  }
  const over = createPaymentBook();
  over.take(event('1', offered('http://a.test/1', 'USD 0.1')), pay);
  over.take(event('1', answered(200, 'USD 0.3')), pay);
  assert.equal(over.spent('USD'), parseMoney('USD 0.3')!.billionths, 'what it says that it took counts');
  for (const end of [answered(200), answered(304), answered(200, 'USD 0.05'), answered(0)]) {
    const book = createPaymentBook();
    book.take(event('1', offered('http://a.test/1', 'USD 0.1')), pay);
    book.take(event('1', end), pay);
    assert.equal(book.take(event('2', offered('http://a.test/2', 'USD 0.1')), pay), '');
    assert.equal(book.spent('USD'), parseMoney('USD 0.2')!.billionths);
  }
});

test('after an unreadable record nothing is paid', () => {
  for (const payload of ['', '{', '{"state":"offered","url":"x","scheme":"x","price":"USD -1"}', '{"state":"taken"}']) {
    const book = createPaymentBook();
    book.take(event('1', payload), pay);
    assert.match(book.take(event('2', offered('http://a.test/', 'USD 0.1')), pay)!, /is damaged/);
  }
});

test('concurrent payers never offer more than the budget together, in any order of events', () => {
  const chance = new Chance(1);
  for (let game = 0; game < 300; game++) {
    const book = createPaymentBook();
    const granted = new Map<string, bigint>();
    for (let step = 0; step < 60; step++) {
      const id = `${chance.below(13)}`;
      const price = moneyText({ currency: 'USD', billionths: BigInt(1 + chance.below(600_000_000)) });
      const kind = chance.of(['offered', 'withdrawn', 'answered']);
      const end = kind === 'withdrawn' ? withdrawn : answered(chance.of([0, 200, 304]));
      if (kind === 'offered') {
        const verdict = book.take(event(id, offered(`http://a.test/${id}`, price)), { ...pay, host: undefined });
        if (verdict === '') granted.set(id, parseMoney(price)!.billionths);
      } else if (kind === 'answered' || !granted.has(id)) book.take(event(id, end), pay);
    }
    assert.ok([...granted.values()].reduce((sum, one) => sum + one, 0n) <= 1_000_000_000n, `game ${game}`);
  }
});

test('an incomplete record stops all payments', () => {
  const isDamaged = (note: object) => {
    const book = createPaymentBook();
    book.take(event('1', JSON.stringify(note)), pay);
    return book.take(event('2', offered('u2', 'USD 0.1')), pay) !== '';
  };
  for (const whole of [
    offered('u1', 'USD 0.1'),
    { state: 'withdrawn', why: 'x' },
    answered(200),
    answered(200, 'USD 0.1'),
  ])
    assert.equal(isDamaged(whole), false, JSON.stringify(whole));
  for (const broken of [
    ...[{}, { state: 'paid' }, { state: 'withdrawn' }, { ...offered('u1', 'USD 0.1'), url: 1 }, offered('u1', 'free')],
    ...[
      { ...answered(200), charged: 1 },
      { ...answered(200), receipt: undefined },
      { ...answered(200), status: '200' },
    ],
    ...[
      { ...answered(200), status: 200.5 },
      { ...answered(200), state: 'x' },
    ],
  ])
    assert.equal(isDamaged(broken), true, JSON.stringify(broken));
});

test('a page whose payment was withdrawn may be paid for, and a later withdrawal of another changes nothing', () => {
  const book = createPaymentBook();
  const offer = (id: string) => book.take(event(id, offered('u', 'USD 0.1')), pay);
  assert.equal(offer('1'), '');
  assert.notEqual(offer('2'), '', 'the page was already paid for');
  book.take(event('2', withdrawn), pay);
  assert.notEqual(offer('3'), '', 'by the first');
  book.take(event('3', withdrawn), pay);
  book.take(event('1', withdrawn), pay);
  assert.equal(offer('4'), '');
});

test('a policy that pays for nothing has no payment', () => {
  for (const none of ['none', undefined] as const)
    assert.equal(createPaymentBook().take(event('1', offered('u', 'USD 0.1')), none), 'the policy allows no payments');
});
