/** The options of processors, made of their declarations; which of them run in a crawl's own process. */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { z } from 'zod';
import type { OptionMeta, Processor } from '../../application/processor/processor.ts';
import { consumers } from '../../application/topology.ts';
import { bad } from '../../runtime/option-text.ts';
import { takes } from '../../runtime/value-schema.ts';
import { setting } from './setting.ts';

/** Options that the command already defines stay unchanged. */
export function addProcessorOptions(command: Command, processor: Processor): Command {
  for (const { key, meta, schema } of optionsOf(processor)) {
    const flag = `--${key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
    if (command.options.some((option) => option.attributeName() === key)) continue;
    const parse = takes.sameAs(schema instanceof z.ZodOptional ? schema.unwrap() : schema, (text) => {
      const parsed = z.safeParse(schema, text);
      if (parsed.success) return parsed.data;
      throw bad(flag, text, parsed.error.issues.map(({ message }) => message).join('; '));
    });
    command.addOption(setting(`${flag} ${meta.value}`, meta.about, meta.reason, parse));
  }
  return command;
}

interface ProcessorOption {
  readonly key: string;
  readonly schema: z.ZodType;
  readonly meta: OptionMeta;
}

function optionsOf({ options }: Processor): ProcessorOption[] {
  return Object.entries(options.shape).map(([key, schema]) => ({
    key,
    schema: schema as z.ZodType,
    meta: (schema as z.ZodType).meta() as unknown as OptionMeta,
  }));
}

const names = consumers.map(({ name }) => name);

export function addWithOption(command: Command): Command {
  return command.addOption(
    setting(
      '--with <list>',
      `consumers to run beside the crawl: ${names.join(',')}`,
      'consumers cost CPU and disk, and can be added later',
      processorList,
    ),
  );
}

function processorList(value: string): string[] {
  const given = value.split(',').map((name) => name.trim());
  for (const name of given) {
    if (names.includes(name)) continue;
    throw bad('--with', value, `${name || 'nothing'} is not a consumer: use some of ${names.join(',')}`);
  }
  return names.filter((name) => given.includes(name));
}

/** An option of `crawl` only: on Kafka, the user's own program consumes pages. */
export function addHandlerOption(command: Command): Command {
  return command.addOption(
    setting(
      '--handler <file>',
      'module with a default export that gets each page (see crawlstream new)',
      'pages stay in the crawl and can be read later',
      handlerFile,
    ),
  );
}

/** The absolute path of an existing file. */
function handlerFile(value: string): string {
  const path = resolve(value);
  if (existsSync(path)) return path;
  throw bad('--handler', value, 'the file does not exist; create one with crawlstream new NAME');
}
