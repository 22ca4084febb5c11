/** The part of a fetcher that pays, by the plugins that it has. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { paymentsOf } from '../../../../services/application/plugin/payments-of.ts';
import { openPayments } from '../../../../services/extras/payments/plugin-payments.ts';

test('a fetcher pays for priced pages if a plugin does, and otherwise not at all', async () => {
  assert.deepEqual(await paymentsOf([]), {});
  assert.deepEqual(await paymentsOf([{ name: 'reader', urlFilter: () => true }]), {});
  assert.deepEqual(await paymentsOf([{ name: 'reader' }, { name: 'payer', pay: async () => undefined }]), {
    openPayments,
  });
});
