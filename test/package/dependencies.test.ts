/** What we ship with: licences that a company may ship, and a page that names every dependency and no other. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));
const textOf = (file: string) => readFileSync(root + file, 'utf8');

interface Locked {
  readonly dev?: boolean;
  /** A workspace of ours. */
  readonly link?: boolean;
  readonly license?: string;
}

const licences = ['MIT', 'ISC', 'BSD-2-Clause', 'BSD-3-Clause', '0BSD', 'Apache-2.0'];

test('everything that is installed with us has a licence at most as strict as ours', () => {
  const { packages } = JSON.parse(textOf('package-lock.json')) as { readonly packages: Record<string, Locked> };
  const shipped = Object.entries(packages).filter(
    ([path, { dev, link }]) => path !== '' && dev !== true && link !== true,
  );
  assert.ok(shipped.length > 100, `${shipped.length} packages`);
  for (const [path, { license }] of shipped) {
    // A few do not name it in their package.json: the file says it.
    const named = license ?? /^(MIT) License/.exec(textOf(`${path}/LICENSE`))?.[1];
    assert.ok(licences.includes(named ?? ''), `${path}: ${named}`);
  }
});

test('each runtime dependency has its row: its purpose, its file, its maintenance', () => {
  const { dependencies, peerDependencies } = JSON.parse(textOf('package.json')) as Record<string, object>;
  const rows = textOf('docs/dependencies.md')
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .map((line) => line.split('|').map((cell) => cell.trim()));
  const named = rows.flatMap(([, names]) => [...names!.matchAll(/`([^`]+)`/g)].map(([, name]) => name!));
  assert.deepEqual(named.sort(), Object.keys({ ...dependencies, ...peerDependencies }).sort());
  for (const [, names, purpose, behind, upkeep] of rows) {
    assert.ok(purpose && upkeep, names);
    for (const [, path] of behind!.matchAll(/`([^`]+)`/g)) assert.ok(existsSync(root + path), `${names}: ${path}`);
  }
});

test('a checkout and the image have every optional package, in the same versions', () => {
  const { peerDependencies, peerDependenciesMeta } = JSON.parse(textOf('package.json'));
  assert.deepEqual(JSON.parse(textOf('deploy/extras/package.json')).optionalDependencies, peerDependencies);
  assert.deepEqual(Object.keys(peerDependenciesMeta), Object.keys(peerDependencies));
  for (const { optional } of Object.values<{ optional?: boolean }>(peerDependenciesMeta)) assert.equal(optional, true);
});

test('the tests that the threat model names exist', () => {
  const text = textOf('docs/threat-model.md');
  const named = [...text.matchAll(/`(test\/[^`]+\.ts)`/g)].map(([, path]) => path!);
  assert.ok(named.length > 30, `${named.length} tests`);
  for (const path of named) assert.ok(existsSync(root + path), path);
});
