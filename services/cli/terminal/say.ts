/**
 * What a command says on stderr while it works: lines for people, or with `--log json` one JSON object a line, by pino,
 * with time, level and fields, `trace_id` and `span_id` among them where a traced URL is spoken of (the names that
 * OpenTelemetry gives them in logs). Lines are written at once, so that those of a process that is killed are not lost.
 */
import type { Logger } from 'pino';
import { toStderr } from './door.ts';
import { inert } from './inert.ts';

/** `auto`: JSON unless a terminal shows it. */
export const logFormats = ['text', 'json', 'auto'] as const;
export type LogFormat = (typeof logFormats)[number];

export type LogLevel = 'info' | 'warn' | 'error' | 'fatal';
export type LogFields = Readonly<Record<string, string | number | boolean | null>>;

let logger: Logger | undefined;
let isTimed = false;

/** Switches this process to JSON lines from now on. */
export async function sayInJson(service: string, version: string): Promise<void> {
  const { pino, stdTimeFunctions } = await import('pino');
  logger = pino(
    {
      base: { service: `crawlstream-${service}`, version, pid: process.pid },
      timestamp: stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    pino.destination({ dest: 2, sync: true }),
  );
}

export function isJson(format: LogFormat, isTerminal: boolean): boolean {
  return format === 'json' || (format === 'auto' && !isTerminal);
}

/** From now on lines for people begin with the time: for what runs until it is stopped. Call what it returns at the end. */
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
  if (logger === undefined) toStderr(`${time()}crawlstream: ${text}\n`);
  else logger[level](shown(fields), inert(text));
}

/** The same, of a service's notice: people see it alone on its line, or after an empty one. */
export function note(text: string): void {
  if (logger === undefined) toStderr(text.replace(/^\n?/, (before) => `${before}${time()}`).concat('\n'));
  else logger.info(inert(text));
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
