/** Which test files there are, and at which speed each runs: told by its name, and by a list of those that take long. */
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { longFiles } from './long-files.ts';

export const root = fileURLToPath(new URL('../..', import.meta.url));

/**
 * `unit` (`x.test.ts`): needs Node alone, shares a process with others, waits for no wall clock.
 * `integration` (`x.integration.test.ts`): brokers, browsers, other programs, commands, kills.
 * `long` (those of them that long-files.ts lists): takes minutes.
 */
export type Speed = 'unit' | 'integration' | 'long';

export function speedOf(file: string): Speed {
  if (longFiles.has(file)) return 'long';
  return file.endsWith('.integration.test.ts') ? 'integration' : 'unit';
}

/** Paths from the root, largest first. */
export function testFiles(speed: Speed): string[] {
  const names = readdirSync(join(root, 'test'), { recursive: true }) as string[];
  return names
    .filter((name) => name.endsWith('.test.ts'))
    .map((name) => join('test', name))
    .filter((file) => speedOf(file) === speed)
    .sort((a, b) => sizeOf(b) - sizeOf(a) || (a < b ? -1 : 1));
}

function sizeOf(file: string): number {
  return statSync(join(root, file)).size;
}

/** Files dealt out to `count` groups, so that each has as much to do by size. Largest first, to the group with least. */
export function dealOut(files: readonly string[], count: number): string[][] {
  const groups = Array.from({ length: count }, () => ({ files: [] as string[], bytes: 0 }));
  for (const file of files) {
    const least = groups.reduce((best, group) => (group.bytes < best.bytes ? group : best));
    least.files.push(file);
    least.bytes += sizeOf(file);
  }
  return groups.map((group) => group.files).filter((group) => group.length > 0);
}
