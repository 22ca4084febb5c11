/** What is kept is written by `services/runtime/disk/` alone: all bytes, synced, under a durable name. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';

/** Calls of Node that write bytes or give names. */
const bare =
  /^(appendFile|appendFileSync|copyFile|copyFileSync|cp|cpSync|createWriteStream|ftruncate|ftruncateSync|link|linkSync|rename|renameSync|symlink|symlinkSync|truncate|truncateSync|write|writeSync|writev|writevSync|writeFile|writeFileSync)$/;

/** An opening for more than reading. */
const opening = /\bopen(?:Sync)?\([^;]*?,\s*(?:'(?!r')|constants|flags)/;

/** Files that import one of them, and why that is right. */
const allowed: Readonly<Record<string, string>> = {
  'services/extras/list-extras.ts': 'a file of this repository',
  'services/extras/archive/derived/derive.ts': 'opens a file for writeWhole',
  'services/extras/archive/forget/forget-records.ts': 'opens a file for writeWhole',
  'services/cli/new-command.ts': 'the files of a new project, and of its text',
  'services/reference/write-pages.ts': 'files of this repository',
  'services/fetcher/http/body-files.ts': 'a stream, then renameWritten',
  'services/extras/render/own-network.ts': 'a script for one process',
  'services/runtime/data-folder/copy-to-store.ts': 'copies a file and syncs it; the manifest is written last',
  'services/runtime/data-folder/run-mark.ts': 'one line that is not synced; no decision depends on it',
  'services/runtime/loop/loop-note.ts': 'written while the loop of the process stands still: nothing asynchronous ends',
  'services/runtime/objects/folder-objects.ts': 'copies a file, then renameWritten',
  'services/runtime/store/isolated-module.ts': 'a copy for one process',
  'services/runtime/store/level-reader.ts': 'a copy for one reader',
};

test('files are written, and named, by the functions of services/runtime/disk alone', () => {
  const found: string[] = [];
  for (const path of readdirSync('services', { recursive: true, encoding: 'utf8' })) {
    const file = `services/${path.replaceAll('\\', '/')}`;
    if (!file.endsWith('.ts') || file.startsWith('services/runtime/disk/')) continue;
    const source = readFileSync(file, 'utf8');
    for (const [, names] of source.matchAll(/^import \{([^}]*)\} from 'node:fs(?:\/promises)?'/gm)) {
      const used = names!.split(',').map((name) => name.trim().split(' as ')[0]!);
      const opens = used.some((name) => /^open(Sync)?$/.test(name)) && opening.test(source);
      if (opens || used.some((name) => bare.test(name))) found.push(file);
    }
    // With the whole module at hand, a call can be any.
    if (/^import (?:\* as )?\w+ from 'node:fs(?:\/promises)?'/m.test(source)) found.push(file);
  }
  assert.deepEqual([...new Set(found)].sort(), Object.keys(allowed).sort());
});
