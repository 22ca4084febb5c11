import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { storeNames } from '../../services/runtime/store/open-store.ts';
import { fileOf } from './kept-crawl.ts';
import { releases } from './releases.ts';

/** Nothing is kept of what came before it. */
const firstKept = '0.2.0';

test('the data of every finished release is kept', () => {
  const changelog = readFileSync(new URL('../../CHANGELOG.md', import.meta.url), 'utf8');
  const headings = [...changelog.matchAll(/^## (\d+\.\d+\.\d+), \d{4}-\d\d-\d\d$/gm)].map(([, version]) => version!);
  const kept = releases.map(({ version }) => version);
  const due = headings.slice(0, headings.indexOf(firstKept) + 1).reverse();
  const [newest] = headings;
  assert.deepEqual(kept, kept.includes(newest!) ? due : due.slice(0, -1));
  for (const version of kept) {
    for (const store of storeNames) {
      for (const kind of ['tar.gz', 'json'] as const) assert.ok(existsSync(fileOf(version, store, kind)), version);
    }
  }
});
