import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { installed } from '../../services/extras/installed.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const sources = (folder: string) =>
  (readdirSync(root + folder, { recursive: true }) as string[])
    .filter((name) => name.endsWith('.ts'))
    .map((name) => ({ name: `${folder}/${name}`, text: readFileSync(`${root}${folder}/${name}`, 'utf8') }));

it('the core reads no clock and draws no random numbers', () => {
  const impure = /\bDate\.now\b|\bnew Date\(\)|\bMath\.random\b|\bperformance\.|\bprocess\./;
  const found = sources('topology').filter(({ text }) => impure.test(text));
  assert.deepEqual(
    found.map(({ name }) => name),
    [],
  );
});

const importing = /(?:\bfrom|\bimport\(|^import)\s*'(\.[^']+)'/gm;

/** Relative imports of every source: what a file uses, as paths from the root. */
function usesOf({ name, text }: { readonly name: string; readonly text: string }): string[] {
  const found = text.matchAll(importing);
  return [...found].map(([, path]) => join(name, '..', path!));
}

/** Imports without those of types, which load nothing. */
function valuesUsedBy({ name, text }: { readonly name: string; readonly text: string }): string[] {
  const values = text
    .replace(/^(?:import|export) type [^;]*;$/gm, '')
    .replace(/^import \{(?: type \w+,?)* \} from [^;]*;$/gm, '');
  return usesOf({ name, text: values });
}

const products = ['topology', 'schemas', 'services', 'lab'].flatMap(sources);

/** What each part may use beside itself. `lab` holds the judge, the simulator and the benches, and the webs they need. */
const mayUse: Readonly<Record<string, readonly string[]>> = {
  schemas: [],
  topology: ['schemas'],
  services: ['topology', 'schemas'],
  lab: ['services', 'topology', 'schemas'],
};

it('no shipped code uses a test, and the parts use each other one way', () => {
  const found = products.flatMap((source) => {
    const part = source.name.split('/')[0]!;
    const allowed = [part, ...mayUse[part]!];
    // The commands judge, simulate and bench are in the command line; what they run is the lab's.
    if (source.name.startsWith('services/cli/prove/')) allowed.push('lab');
    return usesOf(source)
      .filter((used) => !allowed.includes(used.split('/')[0]!) && used !== 'package.json')
      .map((used) => `${source.name} uses ${used}`);
  });
  assert.ok(products.length > 700);
  assert.deepEqual(found, []);
});

/** The extra that a file belongs to, in the services or in the core. */
const extraOf = (file: string): string | undefined => /^(?:services|topology)\/extras\/([^/]+)\//.exec(file)?.[1];

it('the core uses no extra, and an extra uses only those that it declares', () => {
  const declared = new Map(installed.map(({ name, uses = [] }) => [name, uses]));
  const found = products.flatMap((source) => {
    const [part] = source.name.split('/');
    const own = extraOf(source.name);
    // The list of extras is made of their folders.
    if (part === 'lab' || source.name === 'services/extras/installed.ts') return [];
    const allowed = own === undefined ? [] : [own, ...declared.get(own)!];
    return usesOf(source)
      .filter((used) => extraOf(used) !== undefined && !allowed.includes(extraOf(used)!))
      .map((used) => `${source.name} uses ${used}`);
  });
  assert.deepEqual(found, []);
});

it('a unit test of the core loads no extra but by the list of extras, so it runs without them', () => {
  const loads = new Map([...products, ...sources('test')].map((source) => [source.name, valuesUsedBy(source)]));
  const isCoreTest = (name: string) =>
    /^test\/(?:services|topology)\/(?!extras\/).*(?<!\.integration)\.test\.ts$/.test(name);
  const tests = [...loads.keys()].filter(isCoreTest);
  assert.ok(tests.length > 400, `${tests.length} files`);
  const found = tests.flatMap((name) => {
    const reached = new Set([name]);
    for (const file of reached)
      if (file !== 'services/extras/installed.ts') for (const used of loads.get(file) ?? []) reached.add(used);
    const ofExtras = [...reached].filter((file) => extraOf(file.replace(/^test\//, '')) !== undefined);
    return ofExtras.map((file) => `${name} loads ${file}`);
  });
  assert.deepEqual(found, []);
});

/** Services that use others beside the runtime: all those that none but commands, extras and the generator use. */
const composed: Readonly<Record<string, readonly string[]>> = { library: ['application'] };

/** Services of commands and extras, which may use every service but the command line. */
const aboveServices = ['application', 'hosting', 'operation', 'planning'];

it('services share only through runtime/; the application wires them, and only commands, extras and the library use it', () => {
  const found = products.flatMap((source) => {
    const [part, service = ''] = source.name.split('/');
    if (part !== 'services' || ['cli', 'extras', 'reference'].includes(service)) return [];
    if (aboveServices.includes(service)) return usesOf(source).filter((used) => used.startsWith('services/cli/'));
    const shared = ['runtime', service, ...(composed[service] ?? [])];
    return usesOf(source)
      .filter((used) => used.startsWith('services/') && !shared.includes(used.split('/')[1]!))
      .map((used) => `${source.name} uses ${used}`);
  });
  assert.deepEqual(found, []);
});

/** What makes the parts of a crawl, and who may use it beside its own folder. */
const makers: Readonly<Record<string, readonly string[]>> = {
  'services/frontier/frontier.ts': ['services/application/application.ts'],
  'services/frontier/frontier-group.ts': ['services/application/application.ts'],
  // A bench measures one owner without its service.
  'services/frontier/own/partition-owner.ts': ['lab/bench/frontier/bench-partition.ts'],
  'services/fetcher/fetcher.ts': ['services/application/fetchers.ts'],
  'services/fetcher/group.ts': ['services/application/fetchers.ts'],
  // A program of the user's own is outside the application.
  'services/runtime/consumer/consumer.ts': [
    'services/application/processor/run-consumer.ts',
    'services/consumer/consume-pages.ts',
  ],
};

it('frontier, fetcher and consumers are made in one place: the application', () => {
  const found = products.flatMap(({ name, text }) => {
    return valuesUsedBy({ name, text })
      .filter((used) => makers[used] !== undefined)
      .filter((used) => !name.startsWith(used.split('/').slice(0, 2).join('/')) || used.startsWith('services/runtime'))
      .filter((used) => !makers[used]!.includes(name))
      .map((used) => `${name} uses ${used}`);
  });
  assert.deepEqual(found, []);
});

it('folders use each other one way, without circles', () => {
  const uses = new Map<string, Set<string>>();
  for (const source of products) {
    const folder = dirname(source.name);
    const others = uses.get(folder) ?? new Set();
    uses.set(folder, others);
    // A file of limits uses nothing, and stands beside what it limits.
    // What an extra declares is loaded when a command asks for it, and not with the declaration.
    const text = /\/extras\/[^/]+\/[^/]+$/.test(source.name) ? source.text.replaceAll(/\bimport\(/g, '') : source.text;
    for (const used of usesOf({ ...source, text }))
      if (dirname(used) !== folder && !used.endsWith('limits.ts')) others.add(dirname(used));
  }
  // Folders that use none but those taken away before are taken away, and so are those that none of the rest uses:
  // what goes round in a circle stays.
  for (let before = -1; before !== uses.size; ) {
    before = uses.size;
    const used = new Set([...uses.values()].flatMap((others) => [...others]));
    for (const [folder, others] of uses)
      if (!used.has(folder) || ![...others].some((other) => uses.has(other))) uses.delete(folder);
  }
  assert.deepEqual([...uses.keys()], []);
});
