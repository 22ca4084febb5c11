/**
 * Fills in options that the command line leaves open. Sources in order: flags, the environment, the command's section
 * of the file, the rest of the file, the default.
 */
import type { Command } from 'commander';
import { CrawlstreamError } from '../../../topology/errors.ts';
import { type Config, hiddenValue, readConfig } from './config-file.ts';
import { parseText } from './parse-value.ts';
import { hiddenSettings, isServiceLink, settingsOf } from './settings.ts';

/** The origin of a value. */
export type Source = 'flag' | 'environment' | 'file' | 'default';

/** The file in force: named by `--config` or CRAWLSTREAM_CONFIG. */
export function configOf(program: Command, command: Command, env: NodeJS.ProcessEnv): Config | undefined {
  const file = command.getOptionValue('config') ?? env['CRAWLSTREAM_CONFIG'];
  return file === undefined || file === '' ? undefined : readConfig(program, String(file));
}

/** Throws INVALID_ARGUMENT, naming the variable, or the file and the key. */
export function applyConfig(program: Command, command: Command, env: NodeJS.ProcessEnv): void {
  const config = configOf(program, command, env);
  const section = config?.services[command.name()] ?? {};
  const shut = placesShut(command);
  for (const { key, env: variable } of settingsOf(program)) {
    const option = command.options.find((one) => one.attributeName() === key);
    const source = command.getOptionValueSource(key);
    // The option was typed now, or earlier for this data folder.
    if (option === undefined || shut.has(key) || source === 'cli' || source === 'stored') continue;
    const text = env[variable];
    if (text !== undefined && text !== '' && !isServiceLink(text)) {
      command.setOptionValueWithSource(
        key,
        ofVariable(variable, option.long ?? '', () => parseText(option, text)),
        'env',
      );
    } else if (key in section) command.setOptionValueWithSource(key, section[key], 'config');
    else if (config !== undefined && key in config.common) {
      command.setOptionValueWithSource(key, config.common[key], 'config');
    }
  }
  for (const { key, env: variable } of config === undefined ? [] : hiddenSettings) {
    if (env[variable] !== undefined) continue;
    const value = hiddenValue(config!, key);
    if (value !== undefined) env[variable] = value;
  }
}

export function sourceOf(command: Command, key: string): Source {
  const source = command.getOptionValueSource(key);
  return source === 'cli' ? 'flag' : source === 'env' ? 'environment' : source === 'config' ? 'file' : 'default';
}

/** If the command line names the crawl's place, returns the settings of other places, which are then ignored. */
function placesShut(command: Command): ReadonlySet<string> {
  if (['frontier', 'fetcher'].includes(command.name())) return new Set();
  const given = (key: string) => command.getOptionValueSource(key) === 'cli';
  if (given('data') && !given('brokers')) return new Set(['brokers', 'registry']);
  return new Set(given('brokers') && !given('data') ? ['data'] : []);
}

/** Names the variable instead of the flag. */
function ofVariable<T>(variable: string, flag: string, parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    if (!(error instanceof CrawlstreamError)) throw error;
    throw new CrawlstreamError(error.code, error.message.replace(flag, variable), error);
  }
}
