/**
 * Options of `crawl` hold for its data folder until others are given: options that a resume leaves out keep their
 * values. Options of the policy are stored in the policy. The others are stored in crawl.json as they were typed, so
 * that a file that an option names is read again. Options of one run only (its address, its output format) are not
 * stored.
 */
import { join, resolve } from 'node:path';
import { Command, type Option } from 'commander';
import { type GivenOptions, readRequest } from '../../hosting/connect/crawl-folder.ts';
import { ownFolderPath } from '../../hosting/connect/own-folder.ts';
import { folderPath } from '../../hosting/crawl/folder-path.ts';
import { applyConfig } from '../config/apply-config.ts';
import { isSwitch, parseValue } from '../config/parse-value.ts';
import { isRepeated } from '../flags/arguments.ts';
import { addPolicyOptions } from '../flags/policy-flags.ts';
import { Setting } from '../flags/setting.ts';
import { typedSeeds } from './crawl-seeds.ts';

const ofOneRun = [
  ...['json', 'newOptions', 'seedKeys', 'log', 'otlp', 'http', 'httpOpen', 'httpCert', 'httpKey'],
  ...['maxTime', 'maxBytes', 'maxErrors'],
  ...['data', 'brokers', 'registry', 'compression', 'crawl', 'partitions'],
];

const ofPolicy = addPolicyOptions(new Command()).options.map((option) => option.attributeName());

const forgotten: ReadonlySet<string> = new Set([...ofOneRun, ...ofPolicy]);

const files: ReadonlySet<string> = new Set([
  'requests',
  'extract',
  'handler',
  'ca',
  'config',
  'snapshotTo',
  'browser',
  'plugin',
]);

interface Options {
  /** On this command line. */
  readonly given: Record<string, boolean | string | readonly string[]>;
  /** Options of earlier commands. */
  before: GivenOptions;
}

const optionsOf = new WeakMap<Command, Options>();

/** Call it once the command has its options; `--config` is added to every command later. */
export function hearOptions(command: Command): void {
  const options: Options = { given: {}, before: {} };
  optionsOf.set(command, options);
  command.on('option:config', (text: string) => {
    options.given['config'] = resolve(text);
  });
  for (const option of command.options) {
    const key = option.attributeName();
    if (forgotten.has(key) || (option instanceof Setting && option.isForOneRun)) continue;
    command.on(`option:${option.name()}`, (text: string | null | undefined) => {
      // A password in an address is never written.
      if (/:\/\/[^/]*@/.test(text ?? '')) return;
      options.given[key] = typedValue(option, text ?? undefined, options.given[key]);
    });
  }
}

function typedValue(option: Option, text: string | undefined, before: unknown): boolean | string | readonly string[] {
  if (isSwitch(option)) return !option.negate;
  if (text === undefined) return true;
  const isPath =
    files.has(option.attributeName()) && !text.includes('://') && (option.long !== '--browser' || text.includes('/'));
  const value = isPath ? resolve(text) : text;
  return isRepeated(option.parseArg) ? [...(Array.isArray(before) ? before : []), value] : value;
}

/**
 * Fills in options that are missing on the command line and in the environment from the data folder. `createProgram`:
 * creates all commands with the options that a configuration may set.
 */
export async function recallOptions(
  createProgram: () => Promise<Command>,
  command: Command,
  env: NodeJS.ProcessEnv,
): Promise<void> {
  const options = optionsOf.get(command);
  const { data, brokers, crawl, newOptions } = command.opts();
  if (options === undefined || newOptions === true) return;
  let path: string;
  try {
    const seeds = data === undefined && brokers === undefined ? await typedSeeds(command) : [];
    const ofSeeds = () =>
      folderPath(
        data,
        seeds.map(({ url }) => url),
      );
    // On Kafka they belong to this machine: the folder of the process has them, as well as its states.
    path = brokers === undefined ? ofSeeds() : ownFolderPath({ data }, crawl);
  } catch {
    return; // The command itself says what is wrong.
  }
  options.before = (await readRequest({ part: (name) => join(path, name) })).options ?? {};
  for (const [key, value] of Object.entries(options.before)) {
    const option = command.options.find((one) => one.attributeName() === key);
    if (option === undefined || isSet(command, key)) continue;
    command.setOptionValueWithSource(key, parseValue(option, value), 'stored');
    if (key === 'config') applyConfig(await createProgram(), command, env);
  }
}

function isSet(command: Command, key: string): boolean {
  return !['default', undefined].includes(command.getOptionValueSource(key));
}

/** The options to store in the data folder from now on. */
export function optionsToKeep(command: Command): GivenOptions {
  const { given = {}, before = {} } = optionsOf.get(command) ?? {};
  return { ...before, ...given };
}

/** The message about options that a resume takes over, and about those that differ from before. */
export function optionNotes(command: Command): string[] {
  const { given = {}, before = {} } = optionsOf.get(command) ?? {};
  const name = (key: string) => command.options.find((one) => one.attributeName() === key)?.long ?? `--${key}`;
  const same = Object.entries(before).filter(([key]) => !(key in given));
  const changed = Object.entries(given).filter(([key, value]) => key in before && `${before[key]}` !== `${value}`);
  return [
    ...(same.length === 0
      ? []
      : [
          `options from the last run: ${same.map(([key, value]) => typed(name(key), value)).join(' ')} (--new-options discards them)`,
        ]),
    ...changed.map(([key, value]) => `changed: ${name(key)} ${before[key]} → ${value}`),
  ];
}

function typed(name: string, value: GivenOptions[string]): string {
  if (typeof value === 'boolean') return name;
  return (typeof value === 'string' ? [value] : value).map((one) => `${name} ${one}`).join(' ');
}
