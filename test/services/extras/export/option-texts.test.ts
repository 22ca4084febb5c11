import assert from 'node:assert/strict';
import { it } from 'node:test';
import { loadCommands } from '../../../../services/cli/command-modules.ts';
import { programOf } from '../../../../services/cli/program.ts';
import { commandsPage } from '../../../../services/reference/commands-page.ts';

it('the reference names everything that an export can write', async () => {
  const page = commandsPage(programOf(await loadCommands()));
  assert.match(page, /`<what>` \| what to write \(one of pages, /);
});
