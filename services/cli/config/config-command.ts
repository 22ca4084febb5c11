/**
 * `crawlstream config`: writes or checks a configuration file, and shows the effective settings with environment and
 * defaults.
 */
import { existsSync } from 'node:fs';
import type { Command } from 'commander';
import { CrawlstreamError } from '../../../topology/errors.ts';
import { makeFile } from '../../runtime/disk/durable-names.ts';
import { toStdout } from '../../runtime/logging/door.ts';
import { bad } from '../../runtime/option-text.ts';
import { oneOf } from '../flags/arguments.ts';
import { print } from '../terminal/print.ts';
import { applyConfig, configOf, sourceOf } from './apply-config.ts';
import { hiddenValue, readConfig } from './config-file.ts';
import { exampleFile } from './example-file.ts';
import { envOf, hiddenSettings, serviceNames, settingsOf } from './settings.ts';
import { unknownVariables } from './unknown-variables.ts';

interface ConfigFlags {
  readonly config?: string;
  readonly json?: boolean;
}

const fileDefault = 'crawlstream.yaml';

export function addConfigCommand(program: Command): void {
  const config = program
    .command('config')
    .description('the configuration file: write one, check it, show the settings in force');
  config
    .command('init')
    .description('write a settings file: every setting with its default and why, all commented out')
    .argument('[file]', 'file to write, or - for the output', fileDefault)
    .option('--json', 'print what was written as one JSON object')
    .action((file: string, flags: ConfigFlags) => init(program, file, flags));
  config
    .command('check')
    .description('check a settings file and the environment variables, and whether its secrets exist')
    .argument('[file]', 'file to check (default: --config, or CRAWLSTREAM_CONFIG)')
    .option('--json', 'print one JSON object')
    .action((file: string | undefined, flags: ConfigFlags) => check(program, file, flags));
  config
    .command('show')
    .description('print a service’s settings and their sources; secrets stay hidden')
    .argument('[service]', `one of ${serviceNames.join(', ')}`, 'crawl')
    .option('--json', 'print one JSON object')
    .action((service: string, flags: ConfigFlags) => show(program, service, flags));
}

async function init(program: Command, file: string, { json }: ConfigFlags): Promise<void> {
  const text = exampleFile(program);
  if (file === '-') {
    toStdout(text);
    return;
  }
  if (existsSync(file) || !(await makeFile(file, text, `${process.pid}`)))
    throw bad('config init', file, 'the file already exists: choose another one, or - for standard output');
  print({ json: { written: file }, text: `${file} written with every setting, commented out` }, json);
}

function check(program: Command, given: string | undefined, { config: flag, json }: ConfigFlags): void {
  const file = given ?? flag ?? process.env['CRAWLSTREAM_CONFIG'];
  if (file === undefined) {
    throw new CrawlstreamError(
      'INVALID_ARGUMENT',
      'config check: no file is given: name one, as in crawlstream config check crawlstream.yaml, or set CRAWLSTREAM_CONFIG',
    );
  }
  const config = readConfig(program, file);
  for (const { key } of hiddenSettings) hiddenValue(config, key);
  const env = { ...process.env, CRAWLSTREAM_CONFIG: file };
  for (const name of serviceNames) {
    const command = program.commands.find((one) => one.name() === name);
    if (command !== undefined) applyConfig(program, command, env);
  }
  const inSections = Object.values(config.services).map((section) => Object.keys(section).length);
  const settings = [...inSections, Object.keys(config.common).length, Object.keys(config.hidden).length].reduce(
    (sum, count) => sum + count,
  );
  const unknown = unknownVariables(program, process.env);
  const text = `${file}: ${settings} setting${settings === 1 ? '' : 's'}, no errors`;
  print({ json: { file, settings, unknownVariables: unknown }, text }, json);
}

function show(program: Command, service: string, flags: ConfigFlags): void {
  const name = oneOf('config show', serviceNames)(service);
  const command = program.commands.find((one) => one.name() === name);
  if (command === undefined) throw bad('config show', name, 'this release has no service of that name');
  const env: NodeJS.ProcessEnv = {
    ...process.env,
    ...(flags.config !== undefined && { CRAWLSTREAM_CONFIG: flags.config }),
  };
  const config = configOf(program, command, env);
  applyConfig(program, command, { ...env });
  const rows = settingsOf(program)
    .filter(({ services }) => services.includes(name))
    .map(({ key }) => [key, { value: shown(command.getOptionValue(key)), from: sourceOf(command, key) }] as const);
  const hidden = hiddenSettings.map(({ key, secret, otherwise }) => {
    const from = env[envOf(key)] !== undefined ? 'environment' : config?.hidden[key] !== undefined ? 'file' : 'default';
    const value =
      from === 'environment' ? env[envOf(key)] : (config?.hidden[key] ?? (otherwise === 'none' ? null : otherwise));
    // A reference names the place of the secret, so it may be printed.
    const hides = secret && from === 'environment';
    return [key, { value: hides ? '(hidden)' : value, from }] as const;
  });
  const settings = Object.fromEntries([...rows, ...hidden]);
  const lines = Object.entries(settings).map(
    ([key, { value, from }]) => `${`${key}: ${value === null ? 'null' : JSON.stringify(value)}`.padEnd(48)} # ${from}`,
  );
  print({ json: { service: name, file: config?.file ?? null, settings }, text: lines.join('\n') }, flags.json);
}

/** User and password in a URL are not shown. */
function shown(value: unknown): unknown {
  if (value === undefined) return null;
  return typeof value === 'string' ? value.replace(/(\/\/[^/:@\s]*):[^@/\s]*@/, '$1:(hidden)@') : value;
}
