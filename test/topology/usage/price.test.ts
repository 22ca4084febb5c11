import assert from 'node:assert/strict';
import { test } from 'node:test';
import { priceNamed } from '../../../topology/usage/price.ts';

const x402 = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64');

test('a price is named by the headers that payments by crawlers have, and by nothing else', () => {
  assert.equal(priceNamed(['crawler-price', 'USD 0.01']), 'price USD 0.01');
  const accepts = [{ amount: '10000', asset: 'USDC', network: 'base' }];
  assert.equal(priceNamed(['payment-required', x402({ accepts })]), 'price 10000 USDC base');
  assert.equal(
    priceNamed([
      'link',
      '<https://a.test/terms.xml>; rel="license"; type="application/rsl+xml"',
      'crawler-price',
      'EUR 1',
    ]),
    'licence https://a.test/terms.xml, price EUR 1',
  );
  for (const bad of [
    ['crawler-price', 'free\u001b[2J'],
    ['crawler-price', ''],
    ['payment-required', '{'],
    ['payment-required', x402(null)],
    ['payment-required', x402({ accepts: [null] })],
    ['link', '<https://a.test/>; rel=next'],
    ['price', 'USD 1'],
  ])
    assert.equal(priceNamed(bad), '', bad.join(': '));
});
