/** The benches there are: files of this folder that export `run`, compiled or not. */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const folder = fileURLToPath(new URL('.', import.meta.url));
/** Compiled or not, this file runs with others of its kind. */
const extension = import.meta.url.slice(-3);

export function benchNames(): string[] {
  const files = readdirSync(folder).filter((file) => /^[a-z-]+\.[jt]s$/.test(file) && file.endsWith(extension));
  const benches = files.filter((file) =>
    /^export (?:async )?function run\(/m.test(readFileSync(folder + file, 'utf8')),
  );
  return benches.map((file) => file.slice(0, -extension.length)).sort();
}
