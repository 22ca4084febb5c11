/** A word as a shell takes it: in single quotes where it holds anything that the shell would read. */
export function inShell(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
