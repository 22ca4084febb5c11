import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { Command } from 'commander';
import { runCommand } from '../../../lab/process/command.ts';
import { loadCommands } from '../../../services/cli/command-modules.ts';
import { completionScript } from '../../../services/cli/completion-command.ts';
import { configurationPage } from '../../../services/cli/config/describe-settings.ts';
import { settingsOf } from '../../../services/cli/config/settings.ts';
import { examples } from '../../../services/cli/examples.ts';
import { reasonOf } from '../../../services/cli/flags/setting.ts';
import { leavesOf, pathOf, programOf } from '../../../services/cli/program.ts';
import { commandsPage } from '../../../services/reference/commands-page.ts';
import { temporaryFolder } from '../runtime/store/temporary-folder.ts';

const all = await loadCommands();
const createProgram = () => programOf(all);

const root = fileURLToPath(new URL('../../../', import.meta.url));
const paths = leavesOf(createProgram()).map((command) => pathOf(command).join(' '));

/** What a command line prints, and the code it ends with, in this process. */
async function printed(words: readonly string[]): Promise<{ readonly text: string; readonly code: number }> {
  const program = createProgram();
  let text = '';
  const capture = (command: Command) => {
    command.configureOutput({ writeOut: (some) => (text += some), writeErr: (some) => (text += some) });
    for (const child of command.commands) capture(child);
  };
  capture(program);
  const code = await program.parseAsync(words, { from: 'user' }).then(
    () => 0,
    (error: { readonly exitCode?: number }) => error.exitCode ?? 1,
  );
  return { text, code };
}

test('every command answers --help with code 0, its purpose and an example', async () => {
  for (const path of paths) {
    const { text, code } = await printed([...path.split(' '), '--help']);
    assert.equal(code, 0, path);
    assert.match(text, new RegExp(`^Usage: crawlstream ${path}`), path);
    assert.match(text, new RegExp(`\\n  \\$ crawlstream ${path} ?`), `${path} has no example in examples.ts`);
  }
  const whole = await runCommand(['--help']);
  assert.equal(whole.code, 0);
  assert.match(whole.stdout, /Exit codes:\n {2}0 +done\n/);
});

test('a command line loads its own command, and no other command’s code', async () => {
  for (const name of createProgram().commands.map((command) => command.name())) {
    if (['config', 'completion'].includes(name)) continue;
    const own = await loadCommands([name]);
    assert.ok(own.length === 1, `command-modules.ts does not name ${name}`);
    const help = (program: Command) => program.commands.find((one) => one.name() === name)!.helpInformation();
    assert.equal(help(programOf(own)), help(createProgram()));
  }
  assert.equal((await loadCommands(['stats'], { CRAWLSTREAM_CONCURRENCY: '3' })).length, all.length);
  assert.equal((await loadCommands(['stats', '--config', 'some.yaml'])).length, all.length);
});

test('every command that prints something can print it as JSON', () => {
  // They run until they are stopped and print nothing, or print a script.
  const without = ['frontier', 'fetcher', 'fleet', 'mcp', 'dashboard', 'desk', 'replay', 'urlfrontier', 'completion'];
  const leaves = leavesOf(createProgram()).filter(({ options }) => options.every(({ long }) => long !== '--json'));
  assert.deepEqual(leaves.map((command) => pathOf(command).join(' ')).sort(), without.sort());
});

test('every example is a valid command line', () => {
  for (const [path, lines] of Object.entries(examples)) {
    assert.ok(paths.includes(path), `${path} is no command`);
    for (const line of lines) {
      const words = [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');
      const command = leavesOf(createProgram()).find((one) => pathOf(one).join(' ') === path)!;
      const { operands, unknown } = command.parseOptions(words);
      assert.deepEqual(unknown, [], `${path} ${line}`);
      const needed = command.registeredArguments.filter(({ required }) => required).length;
      assert.ok(operands.length >= needed, `${path} ${line}`);
    }
  }
});

test('the reference and the settings in deploy/ match the command tree', () => {
  const program = createProgram();
  const page = (name: string) => readFileSync(join(root, 'deploy', name), 'utf8');
  const remedy = 'run npm run generate and commit the result';
  assert.equal(page('COMMANDS.md'), commandsPage(program), remedy);
  assert.equal(page('CONFIGURATION.md'), configurationPage(program), remedy);
});

test('every setting has a reason for its default', () => {
  const settings = settingsOf(createProgram());
  assert.ok(settings.length > 50);
  assert.deepEqual(
    settings.filter(({ option }) => reasonOf(option) === '').map(({ key }) => key),
    [],
  );
});

test('every command of the reference is run by a test', () => {
  const files = readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' });
  const texts = files
    .filter((name) => /\.tsx?$/.test(name) && !name.endsWith('reference.integration.test.ts'))
    .map((name) => readFileSync(join(root, 'test', name), 'utf8'))
    .join('\n');
  const isRun = (path: string) => {
    const words = path.split(' ').map((word) => `'${word}'`);
    // As arguments of a command line: at the start of a list or a call, or after another word of the path.
    return new RegExp(`[[(]\\s*${words.join(',\\s*')}\\s*[,\\])]`).test(texts);
  };
  assert.deepEqual(
    paths.filter((path) => !isRun(path)),
    [],
  );
});

test('a shell completes commands, subcommands and options', () => {
  const script = join(temporaryFolder(), 'completion.bash');
  writeFileSync(script, completionScript(createProgram(), 'bash'));
  const completed = (...words: string[]) => {
    const line = ['crawlstream', ...words].map((word) => `'${word}'`).join(' ');
    const ask = `source ${script}; COMP_WORDS=(${line}); COMP_CWORD=${words.length}; _crawlstream_complete; echo "\${COMPREPLY[@]}"`;
    return execFileSync('bash', ['-c', ask], { encoding: 'utf8' }).trim().split(' ');
  };
  assert.deepEqual(completed('sta'), ['stats', 'state']);
  assert.deepEqual(completed('state', 'dig'), ['digest']);
  const ofPages = ['--max-pages', '--max-pages-per-host', '--max-pages-per-domain'];
  assert.deepEqual(completed('crawl', '--max-p'), ofPages);
  assert.deepEqual(completed('crawl', 'https://example.org/', '--max-p'), ofPages);
  for (const shell of ['zsh', 'fish'] as const) {
    const text = completionScript(createProgram(), shell);
    for (const word of ['requeue', 'max-pages', 'digest']) assert.ok(text.includes(word), `${shell} ${word}`);
    const check = spawnSync(shell, ['-n', '/dev/stdin'], { input: text, encoding: 'utf8' });
    // Where the shell is there, it also says that the script is one.
    if (check.error === undefined) assert.equal(check.status, 0, check.stderr);
  }
});
