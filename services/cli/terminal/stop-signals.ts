import { note, speaksJson } from './say.ts';

/** The first signal drains, the second leaves at once: what is durable stays so. */
export function stopOnSignals(
  stop: AbortController,
  said: string,
  // A ^C that the terminal echoed stands before it.
  tell: (text: string) => void = (text) => note(speaksJson() ? text : `\n${text}`),
): () => void {
  const onSignal = () => {
    if (stop.signal.aborted) process.exit(130);
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
