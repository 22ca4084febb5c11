/** What is written to `control` of a payment, in which order, and what is sent: with a log that is read back when told to. */
import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { describe, it } from 'node:test';
import type { Control } from '../../../../schemas/types.ts';
import { openPayments } from '../../../../services/extras/payments/plugin-payments.ts';
import { HookFailed } from '../../../../services/fetcher/hooks/run-hooks.ts';
import type { HttpResponse } from '../../../../services/fetcher/http/client.ts';
import type { PaymentsOptions } from '../../../../services/fetcher/pay/payments.ts';
import { createMemoryRegistry } from '../../../../services/runtime/avro/memory-registry.ts';
import { openCodec } from '../../../../services/runtime/avro/record-codec.ts';
import type { AppendRecord } from '../../../../services/runtime/log/log.ts';
import type { Quote } from '../../../../topology/fetch/quote.ts';
import { createFakeClock } from '../../fetcher/fake-clock.ts';

const url = 'https://a.test/page';
const byPrice = { scheme: 'crawler-price', amount: 'USD 0.5', network: '', asset: '', terms: '' } as const;
const byChain = { scheme: 'x402', amount: '400000', network: 'base', asset: '0xA', terms: '{"x":1}' } as const;
const budget = { currency: 'USD', total: '1', page: '0.7', assets: [{ network: 'base', asset: '0xa', decimals: 6 }] };
const answer = (given: Partial<HttpResponse> & { readonly headers?: readonly string[] }) =>
  ({ status: 200, headers: [], ...given }) as unknown as HttpResponse;

interface Played {
  readonly offers?: Quote['offers'];
  readonly pay?: PaymentsOptions['policy'];
  /** What the plugin gives. */
  readonly consent?: () => Promise<Readonly<Record<string, string>> | null>;
  readonly response?: HttpResponse | null;
  /** Before the offer is read back. */
  readonly before?: (abort: AbortController) => void;
  readonly isReadBack?: boolean;
}

/** Everything that happened, in its order. */
async function played({
  offers = [byPrice],
  pay = () => budget,
  consent = async () => ({ 'x-pay': 'yes' }),
  response = answer({}),
  before = () => {},
  isReadBack = true,
}: Played) {
  const codec = await openCodec(createMemoryRegistry(), 'crawl');
  const abort = new AbortController();
  const [happened, events]: [unknown[], Control[]] = [[], []];
  const payments = openPayments({
    ...{ codec, crawl: 'crawl', policy: pay, by: 'f1', clock: createFakeClock(5), signal: abort.signal },
    log: {
      append: async (records: readonly AppendRecord[]) => {
        for (const { topic, partition, value } of records) {
          const event = codec.decode('control', value as Buffer);
          events.push(event);
          happened.push([topic, partition, event.kind, event.hostKey, event.by, event.atMs, JSON.parse(event.payload)]);
          if (isReadBack) queueMicrotask(() => payments.take(event));
        }
        before(abort);
        return [];
      },
    },
    hooks: {
      pay: async (offer: unknown) => {
        happened.push(['consent', offer]);
        return consent();
      },
    },
  } as unknown as PaymentsOptions)!;
  const send = async (headers: unknown) => {
    happened.push(['sent', headers]);
    return response;
  };
  const page = { url, hostKey: 'a.test', quote: { offers, licence: 'https://a.test/l' } as unknown as Quote };
  const paid = await payments.pay(page, send).catch((error: Error) => error);
  return { paid, happened, events, payments, page, send, abort };
}

const written = (payload: object) => ['crawl.control', 0, 'payment', 'a.test', 'f1', 5, payload];
const offered = written({ state: 'offered', url, scheme: 'crawler-price', price: 'USD 0.5' });
const asked = [
  'consent',
  { url, hostKey: 'a.test', scheme: 'crawler-price', price: 'USD 0.5', terms: 'USD 0.5', licence: 'https://a.test/l' },
];
const withdrawn = (why: string) => written({ state: 'withdrawn', why });

describe('a page with a price', () => {
  it('a priced page is offered, read back, consented to, paid, and the result recorded', async () => {
    const { paid, happened } = await played({
      response: answer({ headers: ['crawler-charged', 'USD 0.50'] }),
    });
    assert.deepEqual(happened, [
      ...[offered, asked, ['sent', { 'x-pay': 'yes', 'crawler-exact-price': 'USD 0.5' }]],
      written({ state: 'answered', status: 200, charged: 'USD 0.5', receipt: '' }),
    ]);
    assert.deepEqual(paid, { response: answer({ headers: ['crawler-charged', 'USD 0.50'] }), paid: 'USD 0.5' });
  });

  it('a page priced by x402 follows its terms and has its transaction as a receipt', async () => {
    const receipt = async (value: string) => {
      const { happened } = await played({
        offers: [byChain],
        response: answer({ headers: ['payment-response', value] }),
      });
      return happened;
    };
    const base64 = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64');
    const happened = await receipt(base64({ transaction: '0xfeed' }));
    assert.deepEqual(happened.slice(1), [
      [
        'consent',
        {
          ...{ url, hostKey: 'a.test', scheme: 'x402', price: 'USD 0.4', terms: '{"x":1}' },
          licence: 'https://a.test/l',
        },
      ],
      ['sent', { 'x-pay': 'yes' }],
      written({ state: 'answered', status: 200, charged: '', receipt: '0xfeed' }),
    ]);
    const reported = async (value: string) => (await receipt(value)).at(-1);
    const answered = (text: string) => written({ state: 'answered', status: 200, charged: '', receipt: text });
    assert.deepEqual(await reported(base64({ transaction: 'x'.repeat(201) })), answered('x'.repeat(200)));
    for (const value of [base64({ transaction: 7 }), base64(null), 'no JSON'])
      assert.deepEqual(await reported(value), answered(''));
  });

  it('an unreadable charge of a site is recorded as it came', async () => {
    const charged = 'free of charge '.repeat(20);
    const { happened } = await played({ response: answer({ status: 404, headers: ['crawler-charged', charged] }) });
    assert.deepEqual(
      happened.at(-1),
      written({ state: 'answered', status: 404, charged: charged.slice(0, 200), receipt: '' }),
    );
  });

  it('a priced page is skipped without a record if the policy pays nothing for it', async () => {
    const { paid, happened } = await played({ pay: () => ({ ...budget, page: '0.4' }) });
    assert.deepEqual(
      [paid, happened],
      [{ response: null, why: 'the price is above the limit of USD 0.4 for a page', paid: '' }, []],
    );
  });

  it('a priced page is skipped with a record if its offer exceeds the budget once read back', async () => {
    let asks = 0;
    const { paid, happened } = await played({ pay: () => (asks++ === 0 ? budget : 'none') });
    const why = (paid as { why: string }).why;
    assert.ok(why.length > 0);
    assert.deepEqual(happened, [offered, withdrawn(why)]);
  });

  it('a page is not paid for twice', async () => {
    const { payments, page, send, happened } = await played({});
    const again = await payments.pay(page, send);
    assert.deepEqual([again.response, again.paid], [null, '']);
    assert.equal(happened.filter((one) => (one as unknown[])[0] === 'sent').length, 1);
  });

  it('a priced page is skipped, and its money freed, if no plugin consents or nothing was sent', async () => {
    const none = await played({ consent: async () => null });
    assert.deepEqual(none.happened, [offered, asked, withdrawn('no plugin consents')]);
    assert.deepEqual(none.paid, { response: null, why: 'no plugin consents', paid: '' });
    for (const response of [null, answer({ unreached: true } as Partial<HttpResponse>)]) {
      const { paid, happened } = await played({ response });
      assert.deepEqual(happened.at(-1), withdrawn('the request was not sent'));
      assert.deepEqual(paid, { response: null, why: 'the request was not sent', paid: '' });
    }
  });

  it('a priced page counts as paid if the plugin fails, since it may have paid', async () => {
    const failed = await played({ consent: () => Promise.reject(new HookFailed('it broke')) });
    assert.deepEqual(failed.paid, { response: null, why: 'it broke', paid: 'USD 0.5' });
    assert.deepEqual(failed.happened, [offered, asked]);
    const fault = new Error('a fault of ours');
    assert.equal((await played({ consent: () => Promise.reject(fault) })).paid, fault);
  });

  it('a priced page is skipped if the fetcher ends before the offer is read back', async () => {
    const ended = await played({ isReadBack: false, before: (abort) => abort.abort() });
    assert.deepEqual(ended.happened, [offered, withdrawn('the fetcher ends')]);
    const late = await played({ isReadBack: false, before: (abort) => setImmediate(() => abort.abort()) });
    assert.deepEqual(late.happened, [offered, withdrawn('the fetcher ends')]);
  });

  it('a pending payment does not delay the end of the fetcher', async () => {
    const left = ({ abort }: Awaited<ReturnType<typeof played>>) => getEventListeners(abort.signal, 'abort').length;
    assert.equal(left(await played({})), 0, 'paid for');
    assert.equal(left(await played({ consent: async () => null })), 0, 'left');
    const full = () => {
      throw new Error('the log takes nothing');
    };
    const refused = await played({ before: full, isReadBack: false });
    assert.match((refused.paid as Error).message, /takes nothing/);
    assert.equal(left(refused), 0, 'not written');
  });
});
