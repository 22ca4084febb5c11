/** Tables of folders name every folder that there is, and none that there is not. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { test } from 'node:test';
import { proseLines } from './markdown.ts';
import { root } from './written-commands.ts';

/** Folders whose page has a table of what stands in them. */
const pages = [
  'CONTRIBUTING.md',
  'topology/README.md',
  'topology/frontier/README.md',
  'services/README.md',
  'services/cli/README.md',
  'services/hosting/README.md',
  'services/fetcher/README.md',
  'services/frontier/README.md',
];

const made = new Set(['node_modules', 'dist', 'crawl-data']);

/** First cells of the rows of the table that begins with `| folder |`: one folder each, its first step. */
function foldersOfTable(page: string): string[] {
  const lines = proseLines(page).map(({ text }) => text);
  const head = lines.findIndex((text) => text.startsWith('| folder |'));
  assert.ok(head >= 0, `${page} has no table of folders`);
  const rows = lines.slice(head + 2);
  const end = rows.findIndex((text) => !text.startsWith('|'));
  return rows.slice(0, end === -1 ? undefined : end).flatMap((row) => {
    const names = [...row.split('|')[1]!.matchAll(/`([^`/]+)\/[^`]*`/g)].map(([, name]) => name!);
    assert.ok(names.length > 0, `${page}: a row names no folder: ${row}`);
    return names;
  });
}

for (const page of pages) {
  test(`the table of folders in ${page} matches the tree`, () => {
    const there = readdirSync(join(root, dirname(page)), { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.') && !made.has(entry.name))
      .map(({ name }) => name);
    assert.deepEqual([...new Set(foldersOfTable(page))].sort(), there.sort());
  });
}

/** Pages that say: a folder uses those above it in the table, and never one below. */
const ordered = [
  'topology/frontier/README.md',
  'services/cli/README.md',
  'services/hosting/README.md',
  'services/fetcher/README.md',
  'services/frontier/README.md',
  'services/frontier/README.md',
];

for (const page of ordered) {
  test(`folders use those above them in the table of ${page}, and none below`, () => {
    const order = [...new Set(foldersOfTable(page))];
    const wrong = order.flatMap((folder, at) =>
      usedBeside(join(dirname(page), folder))
        .filter((used) => order.indexOf(used) > at)
        .map((used) => `${folder} uses ${used}`),
    );
    assert.deepEqual(wrong, []);
  });
}

/** The folders beside `folder` that its sources import from. Limits stand beside what they limit, and are anybody's. */
function usedBeside(folder: string): string[] {
  const used = new Set<string>();
  for (const name of readdirSync(join(root, folder), { recursive: true }) as string[]) {
    if (!name.endsWith('.ts')) continue;
    const text = readFileSync(join(root, folder, name), 'utf8');
    for (const [, path] of text.matchAll(/(?:\bfrom|\bimport\()\s*'(\.[^']+)'/g)) {
      const [first, next] = relative(dirname(folder), join(folder, dirname(name), path!)).split('/');
      if (first !== undefined && next !== undefined && first !== '..' && !path!.endsWith('limits.ts')) used.add(first);
    }
  }
  return [...used];
}
