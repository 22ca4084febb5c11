/** Payments held against the policies in force, from records alone. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { blankControl } from '../../../schemas/blank.ts';
import type { Control } from '../../../schemas/types.ts';
import { outcomeOf } from '../../../services/fetcher/http/outcomes.ts';
import { createPaymentsReferee } from '../../../topology/audit/payments-referee.ts';

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

test('what a policy allows is no violation, and neither is one that was withdrawn', () => {
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

test('each way to spend what nobody allowed is told', () => {
  const one = payment('1', 5_000, offered('/1', 'USD 0.5'));
  assert.deepEqual(found([one]), ['/1 USD 0.5 was offered, and no policy in force paid it']);
  for (const pay of ['none', undefined, { ...pays, currency: 'EUR' }, { ...pays, hosts: ['b.test'] }])
    assert.deepEqual(found([policy(0, pay), one]), ['/1 USD 0.5 was offered, and no policy in force paid it']);
  assert.deepEqual(found([policy(0, { ...pays, page: '0.4' }), one]), [
    '/1 USD 0.5 was offered, more than a page might cost',
  ]);
  const again = payment('2', 5_001, offered('/1', 'USD 0.1'));
  assert.deepEqual(found([policy(0, pays), one, again]), [
    '/1 USD 0.1 was offered, and the page had been paid for before',
  ]);
  const more = payment('2', 5_001, offered('/2', 'USD 0.4'));
  assert.deepEqual(found([policy(0, pays), one, more]), ['/2 USD 0.4 was offered beyond what the host might get']);
  const all = payment('3', 5_002, offered('/3', 'USD 0.2'), 'b.test');
  assert.deepEqual(found([policy(0, { ...pays, total: '0.6', host: '9' }), one, all]), [
    '/3 USD 0.2 was offered beyond the budget',
  ]);
  assert.deepEqual(found([policy(0, pays), payment('1', 5_000, offered('/1', 'USD -1'))]), [
    '/1 USD -1 was offered, more than a page might cost',
  ]);
  assert.deepEqual(found([policy(0, pays)], [['http://a.test/1', 'USD 0.5']]), [
    '/1 USD 0.5 was offered, and no payment is on record',
  ]);
});

test('a policy takes its time to get around, in both directions', () => {
  const at = (atMs: number) => payment('1', atMs, offered('/1', 'USD 0.5'));
  const events = [policy(0, pays), policy(5_000, 'none')];
  assert.deepEqual(found([...events, at(5_999)]), []);
  assert.equal(found([...events, at(6_001)]).length, 1);
  assert.deepEqual(found([policy(0, 'none'), policy(5_000, pays), at(5_001)]), []);
});
