import { constants } from 'node:os';
import { note, speaksJson } from './logging/say.ts';

/** SIGHUP: the terminal was closed. Node listens to it under nohup, too: setsid starts a crawl that outlives its terminal. */
const stopSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** The first signal drains, the second exits at once; durable records stay durable. */
export function stopOnSignals(
  stop: AbortController,
  said: string,
  // The line feed follows a ^C that the terminal echoed.
  print: (text: string) => void = (text) => note(speaksJson() ? text : `\n${text}`),
): () => void {
  const onSignal = (signal: NodeJS.Signals) => {
    if (stop.signal.aborted) {
      print('stopped at once: stored data is safe, and unfinished work is repeated at the next start');
      // As a shell reports a signal that ended a command.
      process.exit(128 + constants.signals[signal]);
    }
    print(`${said} (press again to stop at once)`);
    stop.abort();
  };
  for (const signal of stopSignals) process.on(signal, onSignal);
  return () => {
    for (const signal of stopSignals) process.off(signal, onSignal);
  };
}
