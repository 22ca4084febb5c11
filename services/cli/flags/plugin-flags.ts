/** `--plugin FILE`: code from outside that takes part in a crawl (services/application/plugin). */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import type { ProcessorSetting } from '../../hosting/options/plugins.ts';
import { bad } from '../../runtime/option-text.ts';
import { collect } from './arguments.ts';
import { setting } from './setting.ts';

/** Options of commands that fetch. */
export function addPluginOption(command: Command): Command {
  return command.addOption(
    setting(
      '--plugin <file>',
      'module with hooks: filters, requests, responses, parsers, pages, consumers (repeatable)',
      'a crawl needs no custom code',
      collect(pluginFile),
    ),
  );
}

/** Options of commands that run a plugin's consumers. */
export function addSetOption(command: Command): Command {
  return command.addOption(
    setting(
      '--set <name.key=value>',
      'option of a plugin’s consumer (repeatable)',
      'each plugin consumer has its own defaults',
      collect(processorSetting),
    ),
  );
}

function pluginFile(value: string): string {
  const path = resolve(value);
  if (existsSync(path)) return path;
  throw bad('--plugin', value, 'the file does not exist; see examples/ for plugins to start from');
}

function processorSetting(value: string): ProcessorSetting {
  const [, processor, key, text] = /^([^.=]+)\.([^=]+)=(.*)$/s.exec(value) ?? [];
  if (processor !== undefined && key !== undefined && text !== undefined) return { processor, key, value: text };
  throw bad('--set', value, 'give consumer, option and value, as in to-sqlite.table=pages');
}
