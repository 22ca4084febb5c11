/** Commands of plugins, on real command lines. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { runCommand } from '../../../lab/process/command.ts';
import { temporaryFolder } from '../runtime/store/temporary-folder.ts';

const folder = temporaryFolder();

function pluginFile(name: string, names = name, added = name): string {
  const file = join(folder, `${name}.mjs`);
  const add = `(program) => program.command('${added}').description('print a greeting').action(() => console.log('good day'))`;
  const commands = `[{ names: ['${names}'], group: 'Mine:', load: async () => ${add} }]`;
  writeFileSync(file, `export default { name: '${name}', commands: ${commands} };\n`);
  return file;
}

const greet = pluginFile('greet');
const settings = join(folder, 'settings.yaml');
writeFileSync(settings, `plugin: [${greet}]\n`);

test('a command of a plugin runs if the command line, the environment or a settings file names the plugin', async () => {
  const env = { ...process.env, CRAWLSTREAM_PLUGIN: greet };
  const runs = [
    runCommand(['greet', '--plugin', greet]),
    runCommand(['greet', '--config', settings]),
    runCommand(['greet'], { env }),
  ];
  for (const { code, stdout, stderr } of await Promise.all(runs))
    assert.deepEqual([code, stdout], [0, 'good day\n'], stderr);
});

test('help shows the command of a plugin in its group', async () => {
  const { stdout } = await runCommand(['--help', '--plugin', greet]);
  assert.match(stdout, /^Mine:\n +greet \[options\] +print a greeting$/m);
});

test('a command line without the plugin has no such command', async () => {
  const { code, stderr } = await runCommand(['greet']);
  assert.equal(code, 2);
  assert.match(stderr, /unknown command 'greet'/);
});

test('--plugin without a file is an error of the command line', async () => {
  const { code, stderr } = await runCommand(['greet', '--plugin']);
  assert.equal(code, 2);
  assert.match(stderr, /option '--plugin <file>' argument missing/);
});

test('a plugin is refused if its command has the name of one of ours, or if load() does not add the command', async () => {
  const taken = await runCommand(['mine', '--plugin', pluginFile('mine', 'stats')]);
  assert.equal(taken.code, 2);
  assert.match(taken.stderr, /mine\.mjs: commands: stats is a command of the program; choose another name/);
  const missing = await runCommand(['other', '--plugin', pluginFile('other', 'other', 'else')]);
  assert.equal(missing.code, 2);
  assert.match(missing.stderr, /other\.mjs: commands: load\(\) adds no command other; add it/);
});
