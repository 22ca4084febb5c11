/**
 * The configuration file: YAML or JSON, checked key by key before anything starts.
 *
 *   crawl: news                          # for every command that has the option
 *   brokers: [kafka-1:9092, kafka-2:9092]
 *   kafkaPassword: { env: KAFKA_PASSWORD }
 *   services:
 *     fetcher: { contact: me@example.org }  # for that command alone
 *
 * Values are parsed by the parsers of the options, so that a file, the environment and a command line mean the same.
 * All mistakes are reported at once, a line each: file, key, and the remedy. The result is frozen.
 */
import { readFileSync } from 'node:fs';
import type { Command, Option } from 'commander';
import { closest, distance } from 'fastest-levenshtein';
import { parseDocument } from 'yaml';
import { z } from 'zod';
import { CrawlstreamError } from '../../../topology/errors.ts';
import { readSecret, type Secret, secretSchema } from '../../runtime/secret.ts';
import { parseValue } from './parse-value.ts';
import { hiddenSettings, serviceNames, settingsOf } from './settings.ts';

export interface Config {
  readonly file: string;
  /** Parsed values by key. */
  readonly common: Readonly<Record<string, unknown>>;
  /** The same for each service's section. */
  readonly services: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  /** Values of settings without an option; references of secrets are not followed yet. */
  readonly hidden: Readonly<Record<string, string | Secret>>;
}

/** Throws INVALID_ARGUMENT, a line for each thing that is wrong. */
export function readConfig(program: Command, file: string): Config {
  const given = parsed(file);
  const result = schemaOf(program).safeParse(given ?? {});
  if (!result.success) {
    const lines = result.error.issues.flatMap((issue) => linesOf(program, file, issue));
    throw new CrawlstreamError('INVALID_ARGUMENT', lines.join('\n'));
  }
  const { services = {}, ...rest } = result.data as Record<string, unknown> & { services?: Config['services'] };
  const isHidden = (key: string) => hiddenSettings.some((setting) => setting.key === key);
  const pick = (wanted: boolean) =>
    Object.fromEntries(Object.entries(rest).filter(([key]) => isHidden(key) === wanted));
  const config = { file, common: pick(false), services, hidden: pick(true) as Config['hidden'] };
  return deepFreeze(config);
}

/** Throws INVALID_ARGUMENT if a reference to a secret cannot be resolved. */
export function hiddenValue({ file, hidden }: Config, key: string): string | undefined {
  const value = hidden[key];
  return typeof value === 'object' ? readSecret(value, `${file}: ${key}`) : value;
}

function parsed(file: string): unknown {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    const message = `--config ${file}: ${(error as Error).message}: give a YAML or JSON file, such as crawlstream config init writes`;
    throw new CrawlstreamError('INVALID_ARGUMENT', message, error);
  }
  const document = parseDocument(text);
  const [error] = document.errors;
  if (error !== undefined) {
    const what = error.message.split('\n', 1)[0]!.replace(/:$/, '');
    throw new CrawlstreamError('INVALID_ARGUMENT', `${file}: ${what}: correct the YAML there`);
  }
  return document.toJS();
}

function schemaOf(program: Command): z.ZodType {
  const settings = settingsOf(program);
  const fields = (of: (services: readonly string[]) => boolean) =>
    Object.fromEntries(
      settings.filter(({ services }) => of(services)).map(({ key, option }) => [key, valueSchema(option).optional()]),
    );
  const sections = serviceNames.map((name) => [
    name,
    z.strictObject(fields((services) => services.includes(name))).optional(),
  ]);
  const hidden = hiddenSettings.map(({ key, secret }) => [key, (secret ? secretSchema : plainSchema).optional()]);
  return z.strictObject({
    ...fields(() => true),
    ...Object.fromEntries(hidden),
    services: z.strictObject(Object.fromEntries(sections)).optional(),
  });
}

const plainSchema = z.union([z.string(), z.boolean().transform((on) => (on ? '1' : '0'))], { error: 'give a text' });

function valueSchema(option: Option): z.ZodType {
  return z.unknown().transform((value, context) => {
    try {
      return parseValue(option, value);
    } catch (error) {
      if (!(error instanceof CrawlstreamError)) throw error;
      // The message is for a file: the path of the key replaces the name of the flag.
      context.addIssue({ code: 'custom', message: error.message.replace(`${option.long} `, '') });
      return z.NEVER;
    }
  });
}

function linesOf(program: Command, file: string, issue: z.core.$ZodIssue): string[] {
  const path = issue.path.map(String);
  if (issue.code !== 'unrecognized_keys') {
    // A parser's error follows its key; a schema's error is a whole sentence.
    const value = issue.code === 'custom' ? '' : ':';
    return [`${file}: ${path.join('.') || 'the whole'}${value} ${remedyOf(issue)}`];
  }
  const known = knownKeys(program, path);
  return issue.keys.map((key) => {
    const near = closest(key, known);
    const isNear = distance(key.toLowerCase(), near.toLowerCase()) <= Math.max(2, Math.floor(key.length / 3));
    const remedy = isNear ? `did you mean ${near}?` : 'crawlstream config init lists all settings';
    return `${file}: ${[...path, key].join('.')}: unknown setting; ${remedy}`;
  });
}

function remedyOf({ code, message }: z.core.$ZodIssue): string {
  return code === 'invalid_type' ? 'write keys and values, as crawlstream config init does' : message;
}

function knownKeys(program: Command, path: readonly string[]): string[] {
  const [, service] = path;
  if (path.length === 1) return [...serviceNames];
  const settings = settingsOf(program);
  if (service !== undefined) return settings.filter((one) => one.services.includes(service)).map(({ key }) => key);
  return [...settings, ...hiddenSettings].map(({ key }) => key).concat('services');
}

function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  for (const part of Object.values(value)) deepFreeze(part);
  return Object.freeze(value);
}
