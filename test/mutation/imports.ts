/** Which unit tests reach a source file, nearest first: by imports, read from the sources. */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { root } from '../run/files.ts';

/** Edges between files, as paths from the root. */
const importsOf = new Map<string, readonly string[]>();

function directImports(file: string): readonly string[] {
  let known = importsOf.get(file);
  if (known !== undefined) return known;
  const text = readFileSync(join(root, file), 'utf8');
  // `import type` loads nothing.
  const found = [...text.matchAll(/^(?:import|export)\s+(?!type\b)[^;]*?from '(\.[^']+)'|import\('(\.[^']+)'\)/gm)];
  known = found
    .map((match) => join(dirname(file), (match[1] ?? match[2])!))
    .filter((one) => existsSync(join(root, one)));
  importsOf.set(file, known);
  return known;
}

/** Steps from a test to each file that it loads. */
function distancesFrom(test: string): ReadonlyMap<string, number> {
  const distances = new Map([[test, 0]]);
  const queue = [test];
  for (let file = queue.shift(); file !== undefined; file = queue.shift()) {
    for (const next of directImports(file)) {
      if (distances.has(next)) continue;
      distances.set(next, distances.get(file)! + 1);
      queue.push(next);
    }
  }
  return distances;
}

export function testsReaching(tests: readonly string[]): (file: string) => string[] {
  const all = tests.map((test) => ({ test, distances: distancesFrom(test) }));
  return (file) => {
    // A test that stands where the file does is its own, however it gets there; then come those of its part.
    const own = `test/${dirname(file)}/`;
    const part = `test/${file.split('/').slice(0, 2).join('/')}/`;
    const rank = ({ test, distances }: (typeof all)[number]) =>
      distances.get(file)! - (test.startsWith(own) ? 200 : test.startsWith(part) ? 100 : 0);
    return all
      .filter(({ distances }) => distances.has(file))
      .sort((a, b) => rank(a) - rank(b))
      .map(({ test }) => test);
  };
}
