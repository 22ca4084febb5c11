/** Fields of policies that plugin files declare. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import { fieldsOfPlugins } from '../../../../services/application/extra-fields.ts';
import { installed } from '../../../../services/extras/installed.ts';
import { pluginFields } from '../../../../services/hosting/options/plugins.ts';
import { temporaryFolder } from '../../runtime/store/temporary-folder.ts';

/** Writes a plugin without its fields of policies and returns its path. */
function pluginFile(name: string, more: string): string {
  const path = join(temporaryFolder(), 'plugin.mjs');
  const consumer = `{ name: 'kept', does: 'keeps', options: { table: { about: 'a table' } }, open: () => null }`;
  writeFileSync(path, `export default { name: '${name}', processors: [${consumer}], ${more} };`);
  return path;
}

const field = `policyFields: { shortest: { schema: { type: 'integer' }, about: 'Characters.' } }`;

it('fields of a plugin are known without the options that its consumer needs', async () => {
  const fields = await pluginFields({ plugin: [pluginFile('titles', field)] });
  assert.deepEqual(Object.keys(fields['titles']!), ['shortest']);
});

it('a plugin that follows policies cannot have the name of an extra with fields of policies', () => {
  const taken = { thumbnails: {} };
  for (const more of [{ policyFields: {} }, { onPolicy() {} }])
    assert.throws(() => fieldsOfPlugins([{ name: 'thumbnails', ...more }], taken), {
      code: 'INVALID_ARGUMENT',
      message: 'plugin thumbnails: extras.thumbnails in a policy is for the extra of this name: rename the plugin',
    });
  assert.deepEqual(fieldsOfPlugins([{ name: 'thumbnails' }], taken), {});
});

it('a plugin that follows policies may have the name of an extra without fields of policies', async () => {
  for (const { name } of installed.filter(({ policyFields }) => policyFields === undefined))
    for (const more of [field, 'onPolicy() {}']) await pluginFields({ plugin: [pluginFile(name, more)] });
});
