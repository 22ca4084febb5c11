/** Options of `crawl` that a resume does not take over, by their own declaration. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { Command } from 'commander';
import { hearOptions, optionsToKeep } from '../../../../services/cli/crawl/remembered-options.ts';
import { Setting, setting } from '../../../../services/cli/flags/setting.ts';
import { createProgram } from '../../../../services/cli/program.ts';
import { installed } from '../../../../services/extras/installed.ts';

it('an option that is declared for one run is not stored, others are', () => {
  const command = new Command('crawl')
    .addOption(setting('--kept <text>', 'an option', 'a reason'))
    .addOption(setting('--once <text>', 'an option', 'a reason').forOneRun());
  hearOptions(command);
  command.parse(['--kept', 'a', '--once', 'b'], { from: 'user' });
  assert.deepEqual(optionsToKeep(command), { kept: 'a' });
});

/** By the extra that declares them. */
const forOneRun: Readonly<Record<string, readonly string[]>> = {
  dashboard: ['--dashboard'],
  lending: ['--clients', '--clients-grpc', '--clients-grpc-cert', '--clients-grpc-key', '--clients-grpc-plain'],
  push: ['--callback'],
};

it('addresses of hubs, lease clients and the dashboard are for one run, and no other option is', async () => {
  const program = await createProgram(['crawl']);
  const { options } = program.commands.find((command) => command.name() === 'crawl')!;
  const found = options.filter((option) => option instanceof Setting && option.isForOneRun);
  const expected = installed.flatMap(({ name }) => forOneRun[name] ?? []);
  assert.deepEqual(found.map(({ long }) => long).toSorted(), expected.toSorted());
});
