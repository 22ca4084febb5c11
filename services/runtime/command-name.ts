/** The command that this process runs, as brokers see it: `frontier`, `fetcher`, `state-snapshot`. */
let name = 'command';

export function commandName(): string {
  return name;
}

/** Called once, before the command begins. */
export function nameCommand(words: readonly string[]): void {
  name = words.join('-');
}
