/** Payments held against the policies in force, from records alone. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { blankControl } from '../../../../schemas/blank.ts';
import type { Control } from '../../../../schemas/types.ts';
import { outcomeOf } from '../../../../services/fetcher/http/outcomes.ts';
import { createPaymentsReferee } from '../../../../topology/extras/audit/payments-referee.ts';
import { drawFrom } from '../../../kept/drawn.ts';

const noticeMs = 1_000;
const place = { topic: 'control', partition: 0, offset: 0 };
const policy = (atMs: number, pay: unknown): Control => ({
  ...blankControl,
  kind: 'policy',
  atMs,
  payload: JSON.stringify({ pay }),
});
const payment = (id: string, atMs: number, note: object, hostKey = 'a.test'): Control => ({
  ...blankControl,
  kind: 'payment',
  id,
  atMs,
  hostKey,
  payload: JSON.stringify(note),
});
const offered = (path: string, price: string) => ({
  state: 'offered',
  url: `http://a.test${path}`,
  scheme: 'x',
  price,
});
const pays = { currency: 'USD', total: '1', page: '0.5', host: '0.8' };

function found(events: readonly Control[], answers: readonly (readonly [url: string, paid: string])[] = []): string[] {
  const said: string[] = [];
  const referee = createPaymentsReferee(noticeMs, ({ url, source }) => said.push(`${new URL(url).pathname} ${source}`));
  for (const event of events) referee.note(event, place);
  for (const [url, paid] of answers) referee.answer({ ...outcomeOf(0, url, 'fetched'), paid }, 9_000, place);
  referee.end();
  return said;
}

test('a payment within the policy, or a withdrawn one, is no violation', () => {
  const events = [
    policy(0, pays),
    payment('1', 5_000, offered('/1', 'USD 0.5')),
    payment('1', 5_001, { state: 'answered', status: 200, charged: '', receipt: '' }),
    payment('2', 5_002, offered('/2', 'USD 0.4')),
    payment('2', 5_003, { state: 'withdrawn', why: 'a test' }),
    payment('1', 5_004, offered('/1', 'USD 0.5')),
  ];
  assert.deepEqual(found(events, [['http://a.test/1', 'USD 0.5']]), []);
});

test('each kind of unauthorised spending is found', () => {
  const one = payment('1', 5_000, offered('/1', 'USD 0.5'));
  assert.deepEqual(found([one]), ['/1 USD 0.5 was offered, but the policy in force allows no payment']);
  for (const pay of ['none', undefined, { ...pays, currency: 'EUR' }, { ...pays, hosts: ['b.test'] }])
    assert.deepEqual(found([policy(0, pay), one]), [
      '/1 USD 0.5 was offered, but the policy in force allows no payment',
    ]);
  assert.deepEqual(found([policy(0, { ...pays, page: '0.4' }), one]), [
    '/1 USD 0.5 was offered, above the price limit of a page',
  ]);
  const again = payment('2', 5_001, offered('/1', 'USD 0.1'));
  assert.deepEqual(found([policy(0, pays), one, again]), [
    '/1 USD 0.1 was offered for a page that was already paid for',
  ]);
  const more = payment('2', 5_001, offered('/2', 'USD 0.4'));
  assert.deepEqual(found([policy(0, pays), one, more]), ['/2 USD 0.4 was offered, above the budget of the host']);
  const all = payment('3', 5_002, offered('/3', 'USD 0.2'), 'b.test');
  assert.deepEqual(found([policy(0, { ...pays, total: '0.6', host: '9' }), one, all]), [
    '/3 USD 0.2 was offered, above the total budget',
  ]);
  assert.deepEqual(found([policy(0, pays), payment('1', 5_000, offered('/1', 'USD -1'))]), [
    '/1 USD -1 was offered, above the price limit of a page',
  ]);
  assert.deepEqual(found([policy(0, pays)], [['http://a.test/1', 'USD 0.5']]), [
    '/1 USD 0.5 was offered, but no payment is recorded',
  ]);
});

test('a policy takes time to spread, in both directions', () => {
  const at = (atMs: number) => payment('1', atMs, offered('/1', 'USD 0.5'));
  const events = [policy(0, pays), policy(5_000, 'none')];
  assert.deepEqual(found([...events, at(5_999)]), []);
  assert.equal(found([...events, at(6_001)]).length, 1);
  assert.deepEqual(found([policy(0, 'none'), policy(5_000, pays), at(5_001)]), []);
});

test('a policy pays until the millisecond at which the next is known everywhere', () => {
  const at = (atMs: number) =>
    found([policy(0, pays), policy(5_000, 'none'), payment('1', atMs, offered('/1', 'USD 0.5'))]);
  assert.deepEqual([at(5_999).length, at(6_000).length], [0, 1]);
  const before = (atMs: number) => found([policy(5_000, pays), payment('1', atMs, offered('/1', 'USD 0.5'))]);
  assert.deepEqual([before(4_999).length, before(5_000).length], [1, 0]);
});

test('amounts are read to the billionth, and in no other notation', () => {
  const page = (limit: string, price: string) => {
    const wide = { ...pays, total: '999999999', host: '999999999', page: limit };
    return found([policy(0, wide), payment('1', 5_000, offered('/1', `USD ${price}`))]).length === 0;
  };
  for (const [limit, price, fits] of [
    ...[['0.000000001', '0.000000001', true] as const, ['0.000000001', '0.000000002', false] as const],
    ...[['10', '9.999999999', true] as const, ['10', '10.000000001', false] as const, ['10', '10', true] as const],
    ...[['1.5', '1.50', true] as const, ['1.5', '1.05', true] as const, ['1.05', '1.5', false] as const],
    ...[['999999999', '999999999', true] as const, ['999999999', '0.0000000001', false] as const],
    ...[['999999999', '1.', false] as const, ['999999999', '', false] as const, ['999999999', '1e3', false] as const],
    ...[['1000000000', '1', false] as const, ['x', '0', true] as const, ['x', '1', false] as const],
  ])
    assert.equal(page(limit, price), fits, `${price} where a page may cost ${limit}`);
});

test('counts cover payments that were not withdrawn, by currency, and responses with a price', () => {
  const referee = createPaymentsReferee(noticeMs, () => {});
  for (const event of [
    payment('1', 5_000, offered('/1', 'USD 0.5')),
    payment('2', 5_000, offered('/2', 'EUR 2')),
    payment('3', 5_000, offered('/3', 'USD 1.25'), 'b.test'),
    payment('4', 5_000, offered('/4', 'USD 9')),
    payment('4', 5_001, { state: 'withdrawn' }),
    payment('5', 5_001, { state: 'withdrawn' }),
    { ...blankControl, kind: 'raise' as const, id: '6', payload: JSON.stringify(offered('/6', 'USD 9')) },
    { ...blankControl, kind: 'payment' as const, id: '7', payload: '{' },
  ])
    referee.note(event, place);
  const fetched = outcomeOf(0, 'http://a.test/1', 'fetched');
  for (const given of [{}, { status: 402 }, { price: 'USD 1' }, { paid: 'USD 0.5' }, { status: 401 }])
    referee.answer({ ...fetched, ...given }, 9_000, place);
  const { payments, spent, asked } = referee.end();
  assert.deepEqual([payments, asked], [3, 3]);
  assert.deepEqual(
    [...spent],
    [
      ['USD', 1_750_000_000n],
      ['EUR', 2_000_000_000n],
    ],
  );
});

test('a paid response needs a payment for that URL and price that was not withdrawn', () => {
  const one = [policy(0, pays), payment('1', 5_000, offered('/1', 'USD 0.5'))];
  const withdrawn = payment('1', 5_001, { state: 'withdrawn' });
  const none = (path: string, price: string) => [`${path} ${price} was offered, but no payment is recorded`];
  assert.deepEqual(found(one, [['http://a.test/1', 'USD 0.5']]), []);
  assert.deepEqual(found(one, [['http://a.test/1', 'USD 0.4']]), none('/1', 'USD 0.4'));
  assert.deepEqual(found(one, [['http://a.test/2', 'USD 0.5']]), none('/2', 'USD 0.5'));
  assert.deepEqual(found([...one, withdrawn], [['http://a.test/1', 'USD 0.5']]), none('/1', 'USD 0.5'));
});

test('payable hosts are named with their subdomains, whatever the port', () => {
  const paid = (hostKey: string) =>
    found([
      policy(0, { ...pays, hosts: ['a.test', 'b.test'] }),
      payment('1', 5_000, offered('/1', 'USD 0.5'), hostKey),
    ]);
  const hosts = ['a.test', 'b.test:8080', 'www.b.test', 'ab.test', 'test', 'c.test'];
  assert.deepEqual(
    hosts.map((hostKey) => paid(hostKey).length),
    [0, 0, 0, 1, 1, 1],
  );
});

/** Limits and sums as a reader of the policy would add them up, payment by payment. */
test('payments that no policy in force allows are objected to', () => {
  for (let seed = 1; seed <= 150; seed++) {
    const draw = drawFrom(seed);
    const policies = draw.list(1 + draw.below(3), () => ({
      atMs: draw.below(5) * 1_000,
      pay: {
        currency: draw.of(['USD', 'EUR']),
        total: 1 + draw.below(9),
        page: 1 + draw.below(4),
        host: 1 + draw.below(6),
      },
    }));
    const offers = draw.list(1 + draw.below(6), () => ({
      ...{ host: draw.of(['a.test', 'b.test']), path: `/${draw.below(4)}`, atMs: draw.below(8) * 1_000 },
      ...{ currency: draw.of(['USD', 'USD', 'EUR']), amount: draw.below(5), isWithdrawn: draw.percent(20) },
    }));
    policies.sort((a, b) => a.atMs - b.atMs);
    const wanted = offers.flatMap((one, at) => {
      if (one.isWithdrawn) return [];
      const before = offers.slice(0, at).filter(({ isWithdrawn }) => !isWithdrawn);
      const spent = (host: string | null) =>
        [...before, one]
          .filter(({ currency, host: of }) => currency === one.currency && (host === null || of === host))
          .reduce((sum, { amount }) => sum + amount, 0);
      const isOver = (n: number) => policies.slice(n + 1).some(({ atMs }) => atMs <= one.atMs - noticeMs);
      const rules = policies.filter(
        ({ atMs, pay }, n) => atMs <= one.atMs && !isOver(n) && pay.currency === one.currency,
      );
      const [price, none] = [`${one.path} ${one.currency} ${one.amount} was offered`, rules.length === 0];
      const found: string[] = [];
      if (none) found.push(`${price}, but the policy in force allows no payment`);
      else if (rules.every(({ pay }) => one.amount > pay.page)) found.push(`${price}, above the price limit of a page`);
      else if (rules.every(({ pay }) => spent(null) > pay.total)) found.push(`${price}, above the total budget`);
      else if (rules.every(({ pay }) => spent(one.host) > pay.host))
        found.push(`${price}, above the budget of the host`);
      if (before.some(({ path }) => path === one.path)) found.push(`${price} for a page that was already paid for`);
      return found;
    });
    const events = [
      ...policies.map(({ atMs, pay }) => policy(atMs, pay)),
      ...offers.flatMap(({ host, path, atMs, currency, amount, isWithdrawn }, id) => [
        payment(`${id}`, atMs, offered(path, `${currency} ${amount}`), host),
        ...(isWithdrawn ? [payment(`${id}`, atMs + 1, { state: 'withdrawn' }, host)] : []),
      ]),
    ];
    assert.deepEqual(found(events), wanted, `seed ${seed}`);
  }
});
