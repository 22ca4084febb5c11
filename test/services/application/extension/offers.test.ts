/** The parts that extras offer to the commands of the core. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Extension } from '../../../../services/application/extension/extension.ts';
import type { LeaseClients } from '../../../../services/application/extension/lease-clients.ts';
import {
  crawlPartsOf,
  fieldsOf,
  leaseClientsOf,
  openPaymentsOf,
} from '../../../../services/application/extension/offers.ts';

const clients = {} as LeaseClients;
const extra = (name: string, more: Partial<Extension> = {}): Extension => ({ name, about: 'does something', ...more });
const lender = (name: string) => extra(name, { leaseClients: async () => clients });

it('an extra that offers lease clients is found among others, and none is missed', async () => {
  assert.equal(await leaseClientsOf([extra('graph'), lender('lending'), extra('index')]), clients);
  assert.equal(await leaseClientsOf([extra('graph')]), undefined);
});

it('two extras with lease clients are refused, with the names of both', async () => {
  await assert.rejects(leaseClientsOf([lender('lending'), extra('graph'), lender('pool')]), {
    code: 'INVALID_ARGUMENT',
    message: 'the extras lending and pool both offer lease clients: remove one of them',
  });
});

it('two extras with payments are refused, with the names of both', async () => {
  const openPayments = () => assert.fail('not opened here');
  const payer = (name: string) => extra(name, { openPayments: async () => openPayments });
  assert.equal(await openPaymentsOf([extra('graph'), payer('payments')]), openPayments);
  assert.equal(await openPaymentsOf([extra('graph')]), undefined);
  await assert.rejects(openPaymentsOf([payer('payments'), payer('purse')]), {
    code: 'INVALID_ARGUMENT',
    message: 'the extras payments and purse both offer payments: remove one of them',
  });
});

it('parts of a crawl come from every extra that has one, in their order', async () => {
  const part = (path: string) => ({ routes: [{ method: 'GET' as const, path, handle: () => ({ body: '' }) }] });
  const extras = ['/a', '/b'].map((path) => extra(path, { crawlPart: async () => part(path) }));
  const parts = await crawlPartsOf([extras[0]!, extra('graph'), extras[1]!]);
  assert.deepEqual(
    parts.flatMap(({ routes = [] }) => routes.map(({ path }) => path)),
    ['/a', '/b'],
  );
});

it('fields of policies are by the name of their extra', () => {
  const policyFields = {};
  const extras = [extra('graph'), extra('titles', { policyFields })];
  assert.deepEqual(fieldsOf(extras), { titles: policyFields });
});
