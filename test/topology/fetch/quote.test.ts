import assert from 'node:assert/strict';
import { test } from 'node:test';
import { priceText, quoteOf, quoteText } from '../../../topology/fetch/quote.ts';

const x402 = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64');
const said = (headers: string[], body = '') => quoteText(quoteOf(headers, Buffer.from(body)));
const json = ['content-type', 'application/json'];

test('only the headers of crawl payments name a price', () => {
  assert.equal(said(['crawler-price', 'USD 0.010']), 'price USD 0.01');
  const accepts = [{ scheme: 'exact', amount: '10000', asset: '0xA', network: 'base' }];
  assert.equal(said(['payment-required', x402({ accepts })]), 'price base 0xA 10000');
  const licence = '<https://a.test/terms.xml>; rel="license"; type="application/rsl+xml"';
  assert.equal(said(['link', licence, 'crawler-price', 'EUR 1']), 'price EUR 1, licence https://a.test/terms.xml');
});

test('the first version of x402 has its price in the body', () => {
  const accepts = [{ scheme: 'exact', maxAmountRequired: '5', asset: '0xA', network: 'base' }];
  const body = JSON.stringify({ x402Version: 1, accepts });
  assert.equal(said(json, body), 'price base 0xA 5');
  assert.equal(said(['content-type', 'text/html'], body), '');
  assert.equal(said(json, body.padEnd(70_000)), '', 'a body without end');
});

test('an unreadable, zero, negative or contradictory price is no offer', () => {
  for (const bad of [
    ['crawler-price', 'free\u001b[2J'],
    ['crawler-price', ''],
    ['crawler-price', 'USD 0'],
    ['crawler-price', 'USD 0.000'],
    ['crawler-price', 'USD -1'],
    ['crawler-price', 'USD 1e3'],
    ['crawler-price', 'USD .5'],
    ['crawler-price', 'USD 0.0000000001'],
    ['crawler-price', 'USD 1, USD 2'],
    ['crawler-price', 'usd 1'],
    ['crawler-price', 'USD 1', 'crawler-price', 'USD 2'],
    ['payment-required', '{'],
    ['payment-required', x402(null)],
    ['payment-required', x402({ accepts: [null] })],
    ['payment-required', x402({ accepts: [{ amount: '-1', asset: 'a', network: 'b' }] })],
    ['payment-required', x402({ accepts: [{ amount: 1, asset: 'a', network: 'b' }] })],
    ['payment-required', x402({ accepts: [{ amount: '1', asset: 'a\u001b', network: 'b' }] })],
    ['payment-required', x402({ accepts: [{ scheme: 'upto', amount: '1', asset: 'a', network: 'b' }] })],
    ['link', '<https://a.test/>; rel=next'],
    ['price', 'USD 1'],
  ])
    assert.equal(said(bad), '', bad.join(': '));
});

test('a bounded number of offers is considered', () => {
  const one = { amount: '1', asset: 'a', network: 'b' };
  assert.equal(quoteOf(['payment-required', x402({ accepts: Array(10_000).fill(one) })]).offers.length, 8);
  assert.equal(priceText({ offers: [], licence: '' }), '');
});

test('a text that is too long or in another form is no offer and no licence', () => {
  const offer = { scheme: 'exact', amount: '1', asset: 'a', network: 'n' };
  const isOffer = (more: object) =>
    quoteOf(['payment-required', x402({ accepts: [{ ...offer, ...more }] })]).offers.length === 1;
  for (const right of [
    {},
    { scheme: undefined },
    { asset: 'x'.repeat(100) },
    { network: '!~' },
    { amount: '9'.repeat(30) },
  ])
    assert.equal(isOffer(right), true, JSON.stringify(right));
  for (const wrong of [
    ...[
      { asset: 'x'.repeat(101) },
      { asset: 'a b' },
      { asset: '' },
      { network: 7 },
      { network: undefined },
      { amount: '0' },
    ],
    ...[{ amount: 1 }, { amount: '01' }, { amount: '9'.repeat(31) }, { scheme: 'upto' }, { extra: 'x'.repeat(4_096) }],
  ])
    assert.equal(isOffer(wrong), false, JSON.stringify(wrong).slice(0, 40));
  const licence = (link: string) => quoteOf(['link', link]).licence;
  const url = 'https://a.test/l';
  for (const right of [
    `<${url}>; rel=license`,
    `<${url}>;rel="license"`,
    `<x>; rel=next, <${url}>; title=a; rel=license; type=b`,
  ])
    assert.equal(licence(right), url, right);
  for (const wrong of [
    `<${url}> rel=license`,
    `<${url}>; rel=licenses`,
    `<${url}; rel=license`,
    '<ftp://a>; rel=license',
    '</l>; rel=license',
    `<${url}>; rel=next, rel=license`,
  ])
    assert.equal(licence(wrong), '', wrong);
  const long = (chars: number) => `https://${'x'.repeat(chars - 8)}`;
  assert.deepEqual([licence(`<${long(500)}>; rel=license`).length, licence(`<${long(501)}>; rel=license`)], [500, '']);
});
