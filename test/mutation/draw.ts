/** Which mutants there are, and a draw of them. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { numbers } from '../../lab/web/random.ts';
import { root } from '../run/files.ts';
import { type Mutant, mutantsOf } from './mutants.ts';

export function mutantsIn(folders: readonly string[]): Mutant[] {
  const files = folders.flatMap((folder) =>
    (readdirSync(join(root, folder), { recursive: true }) as string[])
      .filter((name) => name.endsWith('.ts'))
      .map((name) => join(folder, name)),
  );
  return files.sort().flatMap((file) => mutantsOf(file, readFileSync(join(root, file), 'utf8')));
}

/** Of a file (`topology/frontier/wake.ts`), or of its line (`topology/frontier/wake.ts:29`). */
export function mutantsAt(place: string): Mutant[] {
  const [file, line] = place.split(':') as [string, string?];
  const all = mutantsOf(file, readFileSync(join(root, file), 'utf8'));
  return line === undefined ? all : all.filter((mutant) => mutant.line === Number(line));
}

/** `count` of them, in the order of a shuffle by `seed`. */
export function drawn(mutants: readonly Mutant[], count: number, seed: number): Mutant[] {
  const next = numbers(seed);
  const pool = [...mutants];
  const taken: Mutant[] = [];
  while (taken.length < count && pool.length > 0) {
    const at = next() % pool.length;
    taken.push(pool[at]!);
    pool[at] = pool.at(-1)!;
    pool.pop();
  }
  return taken;
}
