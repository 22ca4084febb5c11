/** Options for the format and the levels of a service's log. */
import type { Command } from 'commander';
import {
  type Component,
  components,
  type LogLevel,
  type LogLevels,
  levelsOf,
  logLevels,
} from '../../runtime/logging/log-line.ts';
import { logFormats } from '../../runtime/logging/say.ts';
import { bad } from '../../runtime/option-text.ts';
import { oneOf } from './arguments.ts';
import { setting } from './setting.ts';

export function addLogOptions(command: Command): Command {
  return command
    .addOption(
      setting(
        '--log <format>',
        'format of stderr: text, json (JSON lines), or auto (json unless it is a terminal)',
        'a person reads it first; the image sets auto, because containers’ logs are collected',
        oneOf('--log', logFormats),
      ).default('text'),
    )
    .addOption(
      setting(
        '--log-level <list>',
        `lowest log level: ${logLevels.join(', ')}; by component: warn,http=info (default: info)`,
        'a service logs starts and ends, not each URL',
        logLevelList,
      ),
    );
}

export function logLevelList(value: string): LogLevels {
  let base: LogLevel = 'info';
  const own: Partial<Record<Component, LogLevel>> = {};
  for (const part of value.split(',').map((one) => one.trim())) {
    const [name, level, more] = part.split('=');
    if (level === undefined) base = levelOf(value, name!);
    else if (more === undefined && Object.hasOwn(components, name!)) own[name as Component] = levelOf(value, level);
    else
      throw bad(
        '--log-level',
        value,
        `${JSON.stringify(part)} is not a component: use one of ${Object.keys(components).join(', ')}`,
      );
  }
  return levelsOf(base, own);
}

function levelOf(value: string, name: string): LogLevel {
  const level = logLevels.find((one) => one === name);
  if (level !== undefined) return level;
  throw bad(
    '--log-level',
    value,
    `${JSON.stringify(name)} is not a level: use one of ${logLevels.join(', ')}, as in warn,http=info`,
  );
}
