/** The part of a fetcher that pays, by the plugins that it has. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { paymentsOf } from '../../../../services/application/plugin/payments-of.ts';
import { openPayments } from '../../../../services/extras/payments/plugin-payments.ts';
import { openFetcherPlugins, openPlugins } from '../../../../services/hosting/options/plugins.ts';
import { temporaryFolder } from '../../runtime/store/temporary-folder.ts';

test('a fetcher pays for priced pages if a plugin does, and otherwise not at all', async () => {
  assert.deepEqual(await paymentsOf([]), {});
  assert.deepEqual(await paymentsOf([{ name: 'reader', urlFilter: () => true }]), {});
  assert.deepEqual(await paymentsOf([{ name: 'reader' }, { name: 'payer', pay: async () => undefined }]), {
    openPayments,
  });
});

test('plugins pay in a process that fetches, and in no other', async () => {
  const path = join(temporaryFolder(), 'payer.mjs');
  writeFileSync(path, `export default { name: 'payer', pay: async () => undefined };`);
  assert.equal((await openFetcherPlugins({ plugin: [path] })).hooks.openPayments, openPayments);
  assert.equal((await openPlugins({ plugin: [path] })).hooks.openPayments, undefined);
});
