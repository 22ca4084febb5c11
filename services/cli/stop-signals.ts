/** The first signal drains, the second leaves at once: what is durable stays so. */
export function stopOnSignals(
  stop: AbortController,
  said: string,
  say: (text: string) => void = (text) => process.stderr.write(`\n${text}\n`),
): () => void {
  const onSignal = () => {
    if (stop.signal.aborted) process.exit(130);
    say(`${said} (again to leave at once)`);
    stop.abort();
  };
  process.on('SIGINT', onSignal);
  process.on('SIGTERM', onSignal);
  return () => {
    process.off('SIGINT', onSignal);
    process.off('SIGTERM', onSignal);
  };
}
