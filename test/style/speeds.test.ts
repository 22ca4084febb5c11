import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { it } from 'node:test';
import { root, speedOf, testFiles } from '../run/files.ts';
import { longFiles } from '../run/long-files.ts';

/** What a test starts beside itself: its own process, files and sockets are all that a unit test has. */
const outside = [
  /from 'node:child[_]process'/,
  /from '[./]*(?:lab\/)?kafka\/(?:broker|registry|secured-broker|python|main|daemon)\.ts'/,
  /from 'playwright[-]core'/,
];

it('unit tests start no broker, no browser and no process', () => {
  const known = new Map<string, string | null>();
  /** The first thing outside that a file reaches within `test/` and `lab/`; null: nothing. */
  const reach = (file: string): string | null => {
    const found = known.get(file);
    if (found !== undefined) return found;
    known.set(file, null);
    const text = readFileSync(join(root, file), 'utf8');
    let result = outside.some((one) => one.test(text)) ? file : null;
    for (const [, path] of text.matchAll(/^(?:import|export)\s+(?!type\b)[^;]*?from '(\.[^']+)'/gm)) {
      const next = join(dirname(file), path!);
      if (/^(?:test|lab)\//.test(next) && existsSync(join(root, next))) result ??= reach(next);
    }
    known.set(file, result);
    return result;
  };
  const files = testFiles('unit');
  assert.ok(files.length > 100);
  const found = files.map((file) => [file, reach(file)] as const).filter(([, by]) => by !== null);
  assert.deepEqual(
    found.map(([file, by]) => `${file} (${by}): name it .integration.test.ts`),
    [],
  );
});

it('every listed long-running file exists and is no unit test; each runs at one speed', () => {
  const all = (['unit', 'integration', 'long'] as const).flatMap((speed) => testFiles(speed));
  assert.equal(new Set(all).size, all.length);
  for (const file of longFiles) {
    assert.ok(all.includes(file) && file.endsWith('.integration.test.ts'), `${file}: see test/run/long-files.ts`);
    assert.equal(speedOf(file), 'long');
  }
});
