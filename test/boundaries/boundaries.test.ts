import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { root } from '../run/files.ts';
import { table } from './table.ts';

/** Names of the groups of limits that the sources export. */
function exported(): string[] {
  const files = ['schemas', 'topology', 'services'].flatMap((folder) =>
    (readdirSync(join(root, folder), { recursive: true }) as string[])
      .filter((name) => /limits\.ts$/.test(name))
      .map((name) => join(root, folder, name)),
  );
  assert.ok(files.length > 5, 'files of limits are found');
  return files.flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(/^export const (\w+Limits) = \{$/gm)].map(([, name]) => name!),
  );
}

describe('the list of boundaries', () => {
  it('the list of boundaries has every group of limits, and each of their limits', () => {
    assert.deepEqual(Object.keys(table).sort(), exported().sort());
    for (const [name, { limits, boundaries }] of Object.entries(table))
      assert.deepEqual(Object.keys(boundaries).sort(), Object.keys(limits).sort(), name);
  });

  it('the list of boundaries gives a reason if a limit is not tested', () => {
    const all = Object.values(table).flatMap(({ boundaries }) => Object.values(boundaries));
    for (const one of all) if (one.kind !== 'driven') assert.ok(one.because.length > 10, one.because);
  });
});

for (const [group, { limits, boundaries }] of Object.entries(table)) {
  describe(group, () => {
    for (const [name, boundary] of Object.entries(boundaries)) {
      if (boundary.kind !== 'driven') continue;
      it(`${name} holds below, at and above ${limits[name]}`, async () => {
        const limit = limits[name] as number;
        for (const [step, wanted] of [-1, 0, 1].map((step, i) => [step, boundary.gives[i]] as const))
          assert.deepEqual(
            await boundary.drive(limit + step),
            wanted,
            `${limit} ${step < 0 ? '-' : '+'} ${Math.abs(step)}`,
          );
      });
    }
  });
}
