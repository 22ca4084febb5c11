/** TypeScript as mutants and recordings run it: the same text for both, so that what one measures holds for the other. */
import { mkdirSync, readdirSync, readFileSync, renameSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { transformSync } from 'esbuild';
import { root } from '../../run/files.ts';

export interface Compiled {
  readonly code: string;
  /** The source map's (version 3). */
  readonly mappings: string;
}

export function compiled(text: string, file: string): Compiled {
  const { code, map } = transformSync(text, {
    loader: 'ts',
    format: 'esm',
    target: 'node20',
    sourcefile: file,
    sourcemap: 'external',
  });
  return { code, mappings: (JSON.parse(map) as { mappings: string }).mappings };
}

/** What tests are kept in, and what they load. */
const folders = ['topology', 'services', 'schemas', 'clients', 'lab', 'test', 'examples'];

export const compiledFolder = join(root, '.cache/mutation/compiled');

/** Compiles what has changed. A compiled file has its source's time, so that one of another time is not its. */
export function compileAll(): void {
  for (const folder of folders) {
    for (const name of readdirSync(join(root, folder), { recursive: true }) as string[]) {
      if (!name.endsWith('.ts') || name.endsWith('.d.ts')) continue;
      const [source, output] = [join(root, folder, name), join(compiledFolder, folder, `${name}.js`)];
      const { mtimeMs } = statSync(source);
      if (Math.abs((statSync(output, { throwIfNoEntry: false })?.mtimeMs ?? 0) - mtimeMs) < 1) continue;
      mkdirSync(dirname(output), { recursive: true });
      // Aside, so that a process that runs reads the old text or the new one.
      const aside = `${output}.${process.pid}`;
      writeFileSync(aside, compiled(readFileSync(source, 'utf8'), name).code);
      utimesSync(aside, mtimeMs / 1000, mtimeMs / 1000);
      renameSync(aside, output);
    }
  }
}
