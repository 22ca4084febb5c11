/** Plugins in folders that have no package beside them: a global installation and npx leave them so. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { runCommand } from '../../../lab/process/command.ts';
import { temporaryFolder } from '../runtime/store/temporary-folder.ts';

test('a plugin loads from any folder, also one without the package that it imports', async () => {
  const cwd = temporaryFolder();
  const plugin = (from: string) => `import { definePlugin } from '${from}';
export default definePlugin({ name: 'no-ads', version: '1.0.0', urlFilter: ({ url }) => !url.includes('/ads/') });
`;
  writeFileSync(join(cwd, 'no-ads.mjs'), plugin('crawlstream/plugin'));
  const loaded = await runCommand(['acls', 'fetcher', '--plugin', 'no-ads.mjs'], { cwd });
  assert.deepEqual([loaded.code, loaded.stderr], [0, '']);

  writeFileSync(join(cwd, 'other.mjs'), plugin('no-such-package/plugin'));
  const missing = await runCommand(['acls', 'fetcher', '--plugin', 'other.mjs'], { cwd });
  assert.equal(missing.code, 2);
  assert.match(missing.stderr, /--plugin .*other\.mjs: Cannot find package 'no-such-package'/);
});
