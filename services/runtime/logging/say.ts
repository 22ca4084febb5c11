/**
 * Writes a command's messages to stderr: lines for people, or with `--log json` one JSON object a line, by pino, with
 * the schema of log-line.ts. Lines are written at once, so that a killed process loses none. A long-running process
 * limits repeated lines (repeated-lines.ts).
 */
import type { Logger } from 'pino';
import { toStderr } from './door.ts';
import { inert } from './inert.ts';
import {
  type Component,
  isWanted,
  type LogFields,
  type LogLevel,
  type LogLevels,
  type LogLine,
  levelsOf,
} from './log-line.ts';
import { RepeatedLines } from './repeated-lines.ts';

export type { LogFields, LogLevel } from './log-line.ts';

/** `auto`: JSON unless a terminal shows it. */
export const logFormats = ['text', 'json', 'auto'] as const;
export type LogFormat = (typeof logFormats)[number];

let logger: Logger | undefined;
let isTimed = false;
let levels: LogLevels = levelsOf('info');
const sinks = new Set<(line: LogLine) => void>();
const repeated = new RepeatedLines({
  nowMs: () => performance.now(),
  write,
  later: (ms, act) => void setTimeout(act, ms).unref(),
});
process.on('exit', () => repeated.flush());

/** Switches this process to JSON lines from now on. `crawl`: a field of each; undefined: no single crawl. */
export async function sayInJson(service: string, version: string, crawl?: string): Promise<void> {
  const { pino, stdTimeFunctions } = await import('pino');
  logger = pino(
    {
      base: {
        service: `crawlstream-${service}`,
        version,
        pid: process.pid,
        ...(crawl !== undefined && { crawl: inert(crawl) }),
      },
      timestamp: stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    pino.destination({ dest: 2, sync: true }),
  );
}

export function isJson(format: LogFormat, isTerminal: boolean): boolean {
  return format === 'json' || (format === 'auto' && !isTerminal);
}

/** Lines below these levels are not written from now on. */
export function sayFrom(least: LogLevels): void {
  levels = least;
}

/** Sends each written line to `sink` too. Returns a function that ends this. */
export function alsoSayTo(sink: (line: LogLine) => void): () => void {
  sinks.add(sink);
  return () => void sinks.delete(sink);
}

/** Begins lines for people with the time from now on, for long-running processes. Returns a function that ends this. */
export function timeLines(): () => void {
  isTimed = true;
  return () => {
    isTimed = false;
  };
}

export function speaksJson(): boolean {
  return logger !== undefined;
}

export function say(text: string, level: LogLevel = 'info', fields: LogFields = {}): void {
  const { component = 'process', ...others } = fields;
  const line: LogLine = { text, level, component, fields: others };
  if (!isWanted(line, levels)) return;
  if (logger !== undefined || isTimed) repeated.take(line);
  else write(line);
}

/** The same, of one component. */
export function sayOf(component: Component): (text: string, level?: LogLevel, fields?: LogFields) => void {
  return (text, level, fields) => say(text, level, { component, ...fields });
}

function write(line: LogLine): void {
  const { text, level, component, fields } = line;
  if (logger === undefined) toStderr(`${time()}crawlstream: ${text}\n`);
  else logger[level]({ component, ...shown(fields) }, inert(text));
  for (const sink of sinks) sink(line);
}

/**
 * Sends a line only to the sinks. For text that is printed in another way, such as above a bar that redraws itself.
 */
export function sayElsewhere(text: string, level: LogLevel = 'info', fields: LogFields = {}): void {
  const { component = 'process', ...others } = fields;
  const line = { text, level, component, fields: others };
  if (isWanted(line, levels)) for (const sink of sinks) sink(line);
}

/** The same for a service's notice: people see it alone on its line, or after an empty one. */
export function note(text: string): void {
  if (logger === undefined) toStderr(text.replace(/^\n?/, (before) => `${before}${time()}`).concat('\n'));
  else logger.info({ component: 'process' }, inert(text));
}

function time(): string {
  return isTimed ? `${new Date().toISOString()} ` : '';
}

/** Numbers and the rest as they are. */
function shown(fields: LogFields): LogFields {
  const entries = Object.entries(fields).map(([name, value]) => [
    name,
    typeof value === 'string' ? inert(value) : value,
  ]);
  return Object.fromEntries(entries);
}
