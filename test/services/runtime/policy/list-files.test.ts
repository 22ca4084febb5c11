import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { createListFiles } from '../../../../services/runtime/policy/list-files.ts';
import type { ListReference } from '../../../../topology/url/url-lists.ts';
import { temporaryFolder } from '../store/temporary-folder.ts';

const folder = temporaryFolder();

function listed(name: string, text: string): ListReference {
  writeFileSync(join(folder, name), text);
  return { name, kind: 'domains', verdict: 'deny', path: name, sha256: hash('sha256', text, 'hex') };
}

test('lists load by hash from beside the policy, and a new version shares unchanged lists', async () => {
  const files = createListFiles();
  const one = listed('one', 'a.org\n');
  const first = (await files.load([one], folder))(one);
  assert.equal(first.match('http://www.a.org/'), 'a.org');
  rmSync(join(folder, 'one'));
  const two = listed('two', 'b.org\n');
  const source = await files.load([one, two], folder);
  assert.equal(source(one), first, 'its file is not needed again');
  assert.equal(source(two).size, 1);
});

test('a changed or missing list refuses the policy and keeps the loaded one', async () => {
  const files = createListFiles();
  const kept = listed('kept', 'a.org\n');
  const list = (await files.load([kept], folder))(kept);
  const changed = { ...listed('changed', 'a.org\n'), sha256: 'f'.repeat(64) };
  await assert.rejects(files.load([kept, changed], folder), /"changed": .*restore that file, or set a policy with its/);
  const gone = { ...kept, name: 'gone', path: 'gone', sha256: 'e'.repeat(64) };
  await assert.rejects(files.load([gone], folder), /"gone": ENOENT.*; give a text file/);
  rmSync(join(folder, 'kept'));
  assert.equal((await files.load([kept], folder))(kept), list);
});

test('a damaged copy of a list is ignored: the file is read again and its copy rewritten', async () => {
  const copies = join(temporaryFolder(), 'lists');
  const one = listed('one', 'a.org\nb.org\n');
  await createListFiles(copies).load([one], folder);
  const copy = join(copies, one.sha256);
  writeFileSync(copy, 'a.org\n');
  assert.equal((await createListFiles(copies).load([one], folder))(one).size, 2);
  rmSync(join(folder, 'one'));
  assert.equal((await createListFiles(copies).load([one], folder))(one).size, 2, 'from its copy');
  writeFileSync(copy, 'a.org\n');
  await assert.rejects(createListFiles(copies).load([one], folder), /"one": ENOENT/);
});
