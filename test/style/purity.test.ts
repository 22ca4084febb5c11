import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));
const sources = (folder: string) =>
  (readdirSync(root + folder, { recursive: true }) as string[])
    .filter((name) => name.endsWith('.ts'))
    .map((name) => ({ name: `${folder}/${name}`, text: readFileSync(`${root}${folder}/${name}`, 'utf8') }));

it('the core reads no clock and draws no chance of its own', () => {
  const impure = /\bDate\.now\b|\bnew Date\(\)|\bMath\.random\b|\bperformance\.|\bprocess\./;
  const found = sources('topology').filter(({ text }) => impure.test(text));
  assert.deepEqual(
    found.map(({ name }) => name),
    [],
  );
});

it('services share only through runtime/, but for the command line, which wires them', () => {
  const found = sources('services').flatMap(({ name, text }) => {
    const [, service] = name.split('/');
    if (service === 'cli') return [];
    const others = [...text.matchAll(/from '((?:\.\.\/)+)([a-z]+)\//g)].filter(
      ([, up, folder]) => up!.length / 3 === name.split('/').length - 2 && folder !== 'runtime' && folder !== service,
    );
    return others.map(([, , folder]) => `${name} imports ${folder}/`);
  });
  assert.deepEqual(found, []);
});

for (const part of ['services/cli', 'services/fetcher', 'topology/frontier']) {
  it(`the folders of ${part} use each other one way, and none uses what stands above them`, () => {
    const uses = new Map<string, Set<string>>();
    const folderOf = (file: string) => file.split('/').slice(2, -1).join('/');
    for (const { name, text } of sources(part)) {
      const folder = folderOf(name);
      const others = uses.get(folder) ?? new Set();
      uses.set(folder, others);
      for (const [, path] of text.matchAll(/(?:from|import\()\s*'(\.[^']+)'/g)) {
        const file = join(name, '..', path!);
        if (file.startsWith(`${part}/`) && folderOf(file) !== folder) others.add(folderOf(file));
      }
    }
    // Folders that use none but those taken away before are taken away: what goes round in a circle stays.
    for (let before = -1; before !== uses.size; ) {
      before = uses.size;
      for (const [folder, others] of uses) if (![...others].some((other) => uses.has(other))) uses.delete(folder);
    }
    assert.deepEqual([...uses.keys()], []);
  });
}

it('a source file is short enough to be one act', () => {
  const long = [...sources('topology'), ...sources('services')].filter(({ text }) => text.split('\n').length > 400);
  assert.deepEqual(
    long.map(({ name }) => name),
    [],
  );
});
