/**
 * Logs problems outside this process, such as a missing fetcher: one line when the problem has lasted, and one when it
 * is over.
 */
import type { Clock } from '../../runtime/clock.ts';
import type { LogLevel } from '../../runtime/logging/say.ts';

export interface SaidNotes {
  /** Texts that begin with the problem, up to a colon; null: no problem; undefined: unknown at present. */
  note(): string | null | undefined;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  say(text: string, level: LogLevel): void;
}

const lookEveryMs = 500;
/** Shorter problems are not logged: processes start one after another, and groups rebalance. */
const saidAfterMs = 10_000;

export function sayNotes({ note, clock, signal, say }: SaidNotes): { end(): void } {
  const ending = new AbortController();
  const either = AbortSignal.any([signal, ending.signal]);
  const run = async () => {
    let seen: { readonly text: string; readonly sinceMs: number } | null = null;
    let said = false;
    while (!either.aborted) {
      const [now, nowMs] = [note(), clock.nowMs()];
      if (now === undefined) {
        if (!said) seen = null;
      } else if (now !== null) {
        seen ??= { text: now, sinceMs: nowMs };
        if (!said && nowMs - seen.sinceMs >= saidAfterMs) {
          said = true;
          say(now, 'warn');
        }
      } else if (seen !== null) {
        const what = seen.text.split(':')[0];
        if (said) say(`resolved after ${Math.round((nowMs - seen.sinceMs) / 1000)} s: ${what}`, 'info');
        [seen, said] = [null, false];
      }
      await clock.sleepUntil(nowMs + lookEveryMs, either);
    }
  };
  void run();
  return { end: () => ending.abort() };
}
