/** The benches: files below this folder that export `run`, compiled or not, each in the folder of its subject. */
import { readdirSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const folder = fileURLToPath(new URL('.', import.meta.url));
/** A compiled file runs with compiled files, a source with sources. */
const extension = import.meta.url.slice(-3);

/** Name → its file. */
function benches(): Map<string, string> {
  const files = (readdirSync(folder, { recursive: true }) as string[])
    .filter((file) => /(^|[\\/])[a-z-]+\.[jt]s$/.test(file) && file.endsWith(extension))
    .filter((file) => /^export (?:async )?function run\(/m.test(readFileSync(folder + file, 'utf8')));
  return new Map(files.map((file) => [basename(file, extension), folder + file]));
}

export function benchNames(): string[] {
  return [...benches().keys()].sort();
}

/** Undefined: no bench has that name. */
export function benchModule(name: string): string | undefined {
  const file = benches().get(name);
  return file === undefined ? undefined : pathToFileURL(file).href;
}
