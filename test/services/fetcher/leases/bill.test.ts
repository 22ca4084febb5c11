/** What a page that asks for payment is answered, and what its outcome says of that. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { blankOutcome } from '../../../../schemas/blank.ts';
import type { HttpResponse } from '../../../../services/fetcher/http/client.ts';
import { settled, withBill } from '../../../../services/fetcher/leases/bill.ts';
import type { LeaseRunner } from '../../../../services/fetcher/leases/lease-runner.ts';
import type { PacedRequest } from '../../../../services/fetcher/pace/paced-request.ts';
import type { PaidFor, PricedPage } from '../../../../services/fetcher/pay/payments.ts';
import { type Statement, statement } from '../../../../topology/usage/statement.ts';
import type { UsesPolicy } from '../../../../topology/usage/uses-policy.ts';
import { playedRequestPath } from '../played-request-path.ts';

const barsSearch = statement('search', 'deny', 'robots.txt', 'search=no');

async function bill({
  result,
  policy = {},
  said = [],
  headers = ['crawler-price', 'USD 0.5', 'link', '<https://a.test/l>; rel=license'],
}: {
  /** Undefined: no plugin pays. */
  readonly result?: PaidFor | 'sends';
  readonly policy?: UsesPolicy;
  readonly said?: readonly Statement[];
  readonly headers?: readonly string[];
}) {
  const { requestPath } = playedRequestPath(() => ({}));
  const sent: unknown[] = [];
  const http = {
    ...requestPath.http,
    request: (one: { readonly url: string; readonly headers: readonly string[] }) => {
      sent.push([one.url, one.headers]);
      return requestPath.http.request(one as never);
    },
  };
  const asked: PricedPage[] = [];
  const payments = {
    take: () => {},
    pay: async (page: PricedPage, send: (headers: Record<string, string>) => Promise<HttpResponse | null>) => {
      asked.push(page);
      return result === 'sends' ? { response: (await send({ 'x-pay': 'yes' }))!, paid: 'USD 0.5' } : result;
    },
  };
  const runner = {
    ...{ requestPath: { ...requestPath, http }, usesPolicy: () => policy },
    payments: result === undefined ? undefined : payments,
  } as unknown as LeaseRunner;
  const request = {
    ...{ url: 'http://a.test/1', headers: ['accept', '*/*'], wants: () => true, hostKey: 'a.test', delayMs: 0 },
    ...{ delayFactor: 0, crawlDelayMs: 0, connections: 1, latestStartMs: Number.MAX_SAFE_INTEGER, kind: 'page' },
    ...{ isBegun: true, depth: 0, record: () => {} },
  } as unknown as PacedRequest;
  const response = { headers, body: Buffer.alloc(0) } as unknown as HttpResponse;
  return { ...(await settled(runner, 'a.test', request, response, said)), asked, sent };
}

describe('a page that asks for payment', () => {
  it('a page that asks for payment is not fetched without a payment plugin, and its outcome has the price', async () => {
    const { asked: _asked, sent: _sent, ...made } = await bill({});
    const detail = 'price USD 0.5, licence https://a.test/l; not paid: no plugin pays';
    assert.deepEqual(made, { price: 'USD 0.5', licence: 'https://a.test/l', response: null, paid: '', detail });
    assert.equal((await bill({ headers: [] })).detail, 'not paid: no plugin pays', 'nothing was asked');
  });

  it('a page that asks for payment is not paid for if a wanted use is barred', async () => {
    const result = { response: null, why: 'not asked', paid: '' } as const;
    const barred = await bill({ result, policy: { uses: ['search'] }, said: [barsSearch] });
    assert.deepEqual([barred.asked.length, barred.response, barred.paid], [0, null, '']);
    assert.equal(barred.detail.split('; ').at(-1), 'not paid: robots.txt bars search: search=no');
    const other = await bill({ result, policy: {}, said: [barsSearch] });
    assert.equal(other.detail.split('; ').at(-1), 'not paid: not asked');
  });

  it('a page that asks for payment is requested again with the payment headers', async () => {
    const made = await bill({ result: 'sends' });
    assert.deepEqual(made.sent, [['http://a.test/1', ['accept', '*/*', 'x-pay', 'yes']]]);
    assert.deepEqual(
      made.asked.map(({ url, hostKey, quote }) => [url, hostKey, quote.offers[0]?.amount]),
      [['http://a.test/1', 'a.test', 'USD 0.5']],
    );
    assert.deepEqual([made.response?.status, made.paid], [200, 'USD 0.5']);
    assert.equal(made.detail.split('; ').at(-1), 'paid USD 0.5');
  });

  it('a payment without a response still counts as spent', async () => {
    const { paid, response, detail } = await bill({ result: { response: null, why: 'cut', paid: 'USD 0.5' } });
    assert.deepEqual([paid, response, detail.split('; ').at(-1)], ['USD 0.5', null, 'not paid: cut']);
  });
});

describe('the outcome of a page that asked for payment', () => {
  it('the outcome of a page that asked for payment has the bill beside its other fields', () => {
    const one = { price: 'USD 1', licence: 'http://l.test/', paid: 'USD 1', detail: 'paid USD 1', response: null };
    const reported = (kind: 'fetched' | 'paymentRequired', detail: string) =>
      withBill({ ...blankOutcome, kind, detail }, one);
    assert.deepEqual(reported('fetched', ''), {
      ...{ ...blankOutcome, kind: 'fetched', price: 'USD 1', licence: 'http://l.test/', paid: 'USD 1' },
      detail: 'paid USD 1',
    });
    assert.equal(reported('fetched', 'cut').detail, 'cut; paid USD 1');
    assert.equal(reported('paymentRequired', 'price USD 1').detail, 'paid USD 1', 'which says it, too');
  });
});
