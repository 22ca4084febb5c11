import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
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

it('a source file is short enough to be one act', () => {
  const long = [...sources('topology'), ...sources('services')].filter(({ text }) => text.split('\n').length > 400);
  assert.deepEqual(
    long.map(({ name }) => name),
    [],
  );
});
