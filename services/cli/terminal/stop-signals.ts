import { constants } from 'node:os';
import { note, speaksJson } from './say.ts';

/** The first signal drains, the second exits at once; durable records stay durable. */
export function stopOnSignals(
  stop: AbortController,
  said: string,
  // A ^C that the terminal echoed stands before it.
  tell: (text: string) => void = (text) => note(speaksJson() ? text : `\n${text}`),
): () => void {
  const onSignal = (signal: NodeJS.Signals) => {
    if (stop.signal.aborted) {
      tell('left at once: nothing durable is lost, and what was under way is done again by the next start');
      // As a shell tells of a signal that ended a command.
      process.exit(128 + constants.signals[signal]);
    }
    tell(`${said} (again to leave at once)`);
    stop.abort();
  };
  process.on('SIGINT', onSignal);
  process.on('SIGTERM', onSignal);
  return () => {
    process.off('SIGINT', onSignal);
    process.off('SIGTERM', onSignal);
  };
}
