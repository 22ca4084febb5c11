/** Which offers a policy pays, and what it takes as one. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { affordable } from '../../../../topology/extras/payments/affordable.ts';
import type { Offer } from '../../../../topology/fetch/quote.ts';
import { type PayPolicy, paySchema } from '../../../../topology/policy/pay-config.ts';

const price = (amount: string): Offer => ({ scheme: 'crawler-price', amount, network: '', asset: '', terms: '' });
const token = (amount: string, more: Partial<Offer> = {}): Offer => ({
  ...{ scheme: 'x402', amount, network: 'base', asset: '0xAb', terms: '{}' },
  ...more,
});
const budget: PayPolicy = {
  ...{ currency: 'USD', total: '10', page: '0.5' },
  assets: [
    { network: 'base', asset: '0xaB', decimals: 6 },
    { network: 'base', asset: '0xC', decimals: 0 },
    { network: 'other', asset: '0xAb', decimals: 18 },
  ],
};

/** What is paid, `amount: billionths`, or why nothing is. */
function reported(offers: readonly Offer[], pay: PayPolicy = budget, hostKey = 'a.test'): string {
  const found = affordable(pay, hostKey, { offers, licence: '' });
  if (typeof found === 'string') return found;
  assert.equal(found.money.currency, 'USD');
  return `${found.offer.amount}: ${found.money.billionths}`;
}

describe('a payment for a page', () => {
  it('a payment for a page needs a policy that pays', () => {
    for (const pay of ['none', undefined] as const)
      assert.equal(
        affordable(pay, 'a.test', { offers: [price('USD 0.1')], licence: '' }),
        'the policy allows no payments',
      );
    assert.equal(reported([price('USD 0.1')]), 'USD 0.1: 100000000');
  });

  it('a payment for a page goes to named hosts and their subdomains, at any port', () => {
    const pay = { ...budget, hosts: ['a.test', 'b.test'] };
    const isPaid = (hostKey: string) => reported([price('USD 0.1')], pay, hostKey).startsWith('USD');
    assert.deepEqual(['a.test', 'b.test:81', 'x.a.test', 'xa.test', 'test', 'c.test'].map(isPaid), [
      true,
      true,
      true,
      false,
      false,
      false,
    ]);
    assert.equal(reported([], pay, 'c.test'), 'the policy allows no payments to this host');
  });

  it('a payment for a page is the cheapest acceptable price', () => {
    assert.equal(reported([price('USD 0.5')]), 'USD 0.5: 500000000');
    assert.equal(reported([price('USD 0.500000001')]), 'the price is above the limit of USD 0.5 for a page');
    assert.equal(reported([token('400000'), price('USD 0.3'), token('350000')]), 'USD 0.3: 300000000');
    assert.equal(reported([price('USD 0.4'), token('350000')]), '350000: 350000000');
    assert.equal(reported([price('USD 0.4'), token('400000')]), 'USD 0.4: 400000000', 'of equals the first');
  });

  it('a payment for a page is in the policy’s currency, or an equivalent asset, rounded up', () => {
    assert.equal(reported([]), 'the answer has no readable price');
    for (const other of [price('EUR 0.1'), price('0.1'), token('1', { network: 'x' }), token('1', { asset: '0xD' })])
      assert.equal(reported([other]), 'the answer has no price in USD');
    assert.equal(reported([token('1')], { currency: 'USD', total: '1', page: '1' }), 'the answer has no price in USD');
    assert.equal(reported([price('EUR 0.1'), price('USD 0.2')]), 'USD 0.2: 200000000');
    assert.equal(reported([token('1')]), '1: 1000');
    assert.equal(reported([token('1', { network: 'other' })]), '1: 1');
    assert.equal(reported([token('1000000000', { network: 'other' })]), '1000000000: 1');
    assert.equal(reported([token('1000000001', { network: 'other' })]), '1000000001: 2');
    assert.equal(reported([token('1', { asset: '0xc' })], { ...budget, page: '1' }), '1: 1000000000');
  });
});

describe('a payment policy', () => {
  it('a payment policy pays nothing, or exact amounts as texts', () => {
    const isPolicy = (more: object) => paySchema.safeParse({ ...budget, ...more }).success;
    assert.equal(paySchema.safeParse('none').success, true);
    assert.equal(paySchema.safeParse('all').success, false);
    assert.equal(isPolicy({}), true);
    assert.equal(isPolicy({ host: '1', hosts: ['a.test'] }), true);
    for (const wrong of [
      ...[{ currency: 'usd' }, { currency: 'USDX' }, { total: 1 }, { total: '' }, { page: '1.' }, { page: '-1' }],
      ...[{ host: '1e3' }, { hosts: [] }, { hosts: [''] }, { assets: [] }, { more: 1 }, { page: undefined }],
    ])
      assert.equal(isPolicy(wrong), false, JSON.stringify(wrong));
  });

  it('a payment policy counts money in assets with a number of characters and decimals', () => {
    const isAsset = (more: object) =>
      paySchema.safeParse({ ...budget, assets: [{ ...budget.assets![0], ...more }] }).success;
    for (const decimals of [0, 18]) assert.equal(isAsset({ decimals }), true);
    for (const decimals of [-1, 19, 0.5]) assert.equal(isAsset({ decimals }), false);
    for (const name of ['network', 'asset']) {
      assert.deepEqual(
        [0, 1, 100, 101].map((chars) => isAsset({ [name]: 'x'.repeat(chars) })),
        [false, true, true, false],
      );
    }
    assert.equal(isAsset({ more: 1 }), false);
  });
});
