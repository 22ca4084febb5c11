/** Amounts of money as texts, and back. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { billionthsOf, moneyText, parseMoney } from '../../../topology/fetch/money.ts';

test('an amount is exact to the billionth', () => {
  for (const [text, billionths] of [
    ['USD 1', 1_000_000_000n],
    ['EUR 0.05', 50_000_000n],
    ['USD 0.000000001', 1n],
    ['USD 999999999.999999999', 999_999_999_999_999_999n],
    ['USD 012.50', 12_500_000_000n],
  ] as const)
    assert.deepEqual(parseMoney(text), { currency: text.slice(0, 3), billionths }, text);
  assert.equal(billionthsOf('0'), 0n);
  assert.equal(billionthsOf('3.000000007'), 3_000_000_007n);
});

test('an amount that is not above zero is ignored', () => {
  for (const text of [
    ...['', 'USD', 'USD ', '1', 'usd 1', 'USDX 1', 'US 1', 'USD  1', 'USD 1 ', ' USD 1', 'USD -1', 'USD 1e3', 'USD 1.'],
    ...['USD .5', 'USD 1.2.3', 'USD 0', 'USD 0.000000000', 'USD 1234567890', 'USD 0.0000000001', 'USD 1,5'],
  ])
    assert.equal(parseMoney(text), null, text);
});

test('an amount is written as it is read', () => {
  for (const text of ['USD 1', 'EUR 0.05', 'USD 0.000000001', 'USD 10', 'USD 12.5'])
    assert.equal(moneyText(parseMoney(text)!), text);
  assert.equal(moneyText(parseMoney('USD 012.50')!), 'USD 12.5');
  assert.equal(moneyText({ currency: 'USD', billionths: 0n }), 'USD 0');
});
