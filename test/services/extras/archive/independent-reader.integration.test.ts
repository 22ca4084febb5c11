import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { createMemoryStore } from '../../../../services/runtime/store/memory-store.ts';
import { pythonSkipReason, runPython } from '../../../kafka/python.ts';
import { temporaryFolder } from '../../runtime/store/temporary-folder.ts';
import { all, archive, archiverOn } from './responses.ts';

const python = await pythonSkipReason();

it('an independent reader validates an archive with its digests and offsets', {
  skip: python ?? false,
}, async () => {
  const folder = temporaryFolder();
  const store = createMemoryStore();
  await archive(folder, store, 0, all.length);
  const archiver = await archiverOn(folder, store);
  await archiver.finish();
  const program = await readFile(fileURLToPath(new URL('./warc_check.py', import.meta.url)), 'utf8');
  const files = (await archiver.files()).map((name) => join(folder, `${name}.warc.gz`));
  interface Line {
    type: string;
    url: string;
    status: string;
    text: string;
    refersTo: string;
    offset: number;
    stored: number;
  }
  const records = (await runPython(program, files))
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);
  const count = (wanted: string) => records.filter(({ type }) => type === wanted).length;
  assert.equal(count('warcinfo'), files.length);
  assert.equal(count('request'), all.length);
  assert.equal(count('metadata'), all.length);
  for (const { value } of all) {
    const found = records.find(({ type, url }) => url === value.url && (type === 'response' || type === 'revisit'))!;
    assert.equal(found.status, `${value.status}`);
    if (found.type === 'response') assert.equal(found.text, Buffer.from(value.body).toString());
    else assert.equal(found.refersTo, all[0]!.value.url);
    const index = await Promise.all(
      (await archiver.files()).map((name) => readFile(join(folder, `${name}.cdxj`), 'utf8')),
    );
    const line = index
      .join('')
      .split('\n')
      .find((one) => one.includes(JSON.stringify(value.url)))!;
    const { offset, length } = JSON.parse(line.slice(line.indexOf('{'))) as Record<string, string>;
    assert.deepEqual([offset, length], [`${found.offset}`, `${found.stored}`]);
  }
});
