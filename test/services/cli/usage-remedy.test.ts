/** What the program says to commands of other tools. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { Command } from 'commander';
import { withRemedy } from '../../../services/cli/usage-remedy.ts';

it('a command of another tool is answered with ours, if this program has it', () => {
  const text = "error: unknown command 'serve'\n";
  const program = new Command();
  assert.equal(withRemedy(text, program, ['serve']), text);
  program.command('dashboard');
  assert.equal(
    withRemedy(text, program, ['serve']),
    "error: unknown command 'serve'; for the web dashboard: dashboard\n",
  );
});

it('of several commands that a tool may mean, each is named', () => {
  const program = new Command();
  for (const name of ['pages', 'hosts', 'pause', 'new', 'config']) program.command(name);
  for (const [typed, remedy] of [
    ['ls', 'to list pages: pages; to list hosts: hosts'],
    ['stop', 'to stop a crawl, press Ctrl-C; to hold it: pause and resume'],
    ['init', 'to create a project: new; a configuration file: config init'],
  ] as const)
    assert.match(withRemedy(`error: unknown command '${typed}'\n`, program, [typed]), new RegExp(`; ${remedy}\n$`));
});
