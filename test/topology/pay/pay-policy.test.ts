import assert from 'node:assert/strict';
import { test } from 'node:test';
import { affordable, type PayPolicy, paySchema } from '../../../topology/pay/pay-policy.ts';
import type { Offer } from '../../../topology/pay/quote.ts';

const policy: PayPolicy = { currency: 'USD', total: '10', page: '0.05' };
const asset = { network: 'base', asset: '0xAB', decimals: 6 };
const priced = (amount: string): Offer => ({ scheme: 'crawler-price', amount, network: '', asset: '', terms: '' });
const x402 = (amount: string, more: Partial<Offer> = {}): Offer => ({
  ...{ scheme: 'x402', amount, network: 'base', asset: '0xab', terms: '{}' },
  ...more,
});
/** What is to be paid, in billionths; null: nothing. */
const paid = (pay: PayPolicy | 'none' | undefined, offers: readonly Offer[], hostKey = 'a.test') => {
  const found = affordable(pay, hostKey, { offers, licence: '' });
  return typeof found === 'string' ? null : found.money.billionths;
};

test('nothing is paid without a policy that pays, nor where nothing is offered', () => {
  const offers = [priced('USD 0.01')];
  assert.deepEqual([paid(undefined, offers), paid('none', offers), paid(policy, [])], [null, null, null]);
  assert.equal(paid(policy, offers), 10_000_000n);
});

test('a page may cost as much as the policy says, and no more', () => {
  const of = (amount: string) => paid(policy, [priced(`USD ${amount}`)]);
  assert.deepEqual([of('0.05'), of('0.050000001'), of('1')], [50_000_000n, null, null]);
});

test('hosts that are paid are those named, and all of their domains, whatever their port', () => {
  const named = { ...policy, hosts: ['pay.test', 'two.test'] };
  const hosts = ['pay.test', 'www.pay.test', 'two.test:8080', 'xpay.test', 'test', 'pay.test.org', 'pay.test:x'];
  assert.deepEqual(
    hosts.map((host) => paid(named, [priced('USD 0.01')], host) !== null),
    [true, true, true, false, false, false, false],
  );
});

test('an offer in another currency, or that cannot be read, is none; the cheapest of the others is taken', () => {
  assert.equal(paid(policy, [priced('EUR 0.01'), priced('USD x'), priced('0.01')]), null);
  const offers = [priced('USD 0.03'), priced('EUR 0.01'), priced('USD 0.02'), priced('USD 0.04')];
  assert.equal(paid(policy, offers), 20_000_000n);
  const found = affordable(policy, 'a.test', { offers, licence: '' });
  assert.ok(typeof found !== 'string' && found.offer === offers[2] && found.money.currency === 'USD');
  assert.equal(paid(policy, [priced('USD 9'), priced('USD 0.02')]), 20_000_000n);
});

test('x402 is paid in the assets that the policy names, counted in its currency, rounded up', () => {
  const pays = { ...policy, assets: [{ ...asset, asset: '0xOther' }, asset] };
  assert.equal(paid(policy, [x402('1')]), null);
  assert.deepEqual([paid(pays, [x402('20000')]), paid(pays, [x402('1')])], [20_000_000n, 1_000n]);
  const others = [x402('1', { network: 'eip155:8453' }), x402('1', { asset: '0xac' })];
  assert.deepEqual(
    others.map((offer) => paid(pays, [offer])),
    [null, null],
  );
  const fine = { ...policy, assets: [{ ...asset, decimals: 10 }] };
  assert.deepEqual(
    ['10', '11', '19', '20', '21'].map((amount) => paid(fine, [x402(amount)])),
    [1n, 2n, 2n, 2n, 3n],
  );
});

test('a policy has a currency and amounts in digits; lists are not empty, and decimals end at 18', () => {
  const isRight = (change: object) => paySchema.safeParse({ ...policy, ...change }).success;
  assert.equal(paySchema.safeParse('none').success, true);
  const right = [
    ...[{}, { host: '1' }, { hosts: ['a'] }, { assets: [asset] }],
    ...[0, 18].map((decimals) => ({ assets: [{ ...asset, decimals }] })),
    ...['network', 'asset'].flatMap((name) =>
      [1, 100].map((chars) => ({ assets: [{ ...asset, [name]: 'x'.repeat(chars) }] })),
    ),
  ];
  for (const change of right) assert.equal(isRight(change), true, JSON.stringify(change));
  const wrong = [
    ...[{ currency: 'usd' }, { currency: 'USDC' }, { total: 10 }, { page: '.5' }, { host: '-1' }, { more: 1 }],
    ...[{ hosts: [] }, { hosts: [''] }, { assets: [] }],
    ...[-1, 19, 0.5].map((decimals) => ({ assets: [{ ...asset, decimals }] })),
    ...['network', 'asset'].flatMap((name) =>
      [0, 101].map((chars) => ({ assets: [{ ...asset, [name]: 'x'.repeat(chars) }] })),
    ),
  ];
  for (const change of wrong) assert.equal(isRight(change), false, JSON.stringify(change));
});
