import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { NamedHooks } from '../../../../services/fetcher/hooks/fetch-hooks.ts';
import { createHooks } from '../../../../services/fetcher/hooks/run-hooks.ts';
import { askHooks } from '../../../../services/fetcher/pages/ask-hooks.ts';
import { causeOf } from '../../../../services/hosting/inspect/outcome-cause.ts';

async function causeUnder(plugin: NamedHooks): Promise<string> {
  const url = { url: 'https://a.test/tools', depth: 1 };
  const said = await askHooks(createHooks([plugin]), [], { urls: [url], hostKey: 'a.test' } as never, 0);
  assert.ok('kind' in said);
  return causeOf({ ...said, status: 0 });
}

test('a queued URL that a plugin refuses is reported as dropped by that plugin, with its reason', async () => {
  assert.equal(await causeUnder({ name: 'no-tools', urlFilter: () => false }), 'dropped by plugin no-tools');
  const skips = await causeUnder({ name: 'later', request: () => ({ skip: 'not today: it is Monday' }) });
  assert.equal(skips, 'dropped by plugin later: not today: it is Monday');
});

test('a skipped URL is reported with its content type only if that is the cause', () => {
  const refused = (status: number, detail: string) => causeOf({ kind: 'refused', status, detail });
  const zip = 'type application/zip is not read';
  assert.equal(refused(200, zip), `skipped: not a supported content type 200 (${zip})`);
  assert.equal(refused(0, 'port 1 is not for the web'), 'skipped (port 1 is not for the web)');
});
