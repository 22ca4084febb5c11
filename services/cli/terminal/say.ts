/**
 * What a command says on stderr while it works: lines for people, or with `--log json` one JSON object a line, by pino,
 * with time, level and fields, `trace_id` and `span_id` among them where a traced URL is spoken of (the names that
 * OpenTelemetry gives them in logs). Lines are written at once, so that those of a process that is killed are not lost.
 */
import type { Logger } from 'pino';
import { toStderr } from './door.ts';
import { inert } from './inert.ts';

export const logFormats = ['text', 'json'] as const;

export type LogLevel = 'info' | 'warn' | 'error' | 'fatal';
export type LogFields = Readonly<Record<string, string | number | boolean | null>>;

let logger: Logger | undefined;

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

export function speaksJson(): boolean {
  return logger !== undefined;
}

export function say(text: string, level: LogLevel = 'info', fields: LogFields = {}): void {
  if (logger === undefined) toStderr(`crawlstream: ${text}\n`);
  else logger[level](shown(fields), inert(text));
}

/** The same, of a service's notice: people see it alone on its line. */
export function note(text: string): void {
  if (logger === undefined) toStderr(`${text}\n`);
  else logger.info(inert(text));
}

/** Numbers and the rest as they are. */
function shown(fields: LogFields): LogFields {
  const entries = Object.entries(fields).map(([name, value]) => [
    name,
    typeof value === 'string' ? inert(value) : value,
  ]);
  return Object.fromEntries(entries);
}
