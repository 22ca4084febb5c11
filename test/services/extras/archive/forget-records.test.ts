import assert from 'node:assert/strict';
import { cp, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { cdxTime } from '../../../../services/extras/archive/cdxj.ts';
import { type ForgottenRecords, forgetRecords } from '../../../../services/extras/archive/forget/forget-records.ts';
import { membersOf } from '../../../../services/extras/archive/forget/members.ts';
import { IndexedRecords } from '../../../../services/extras/archive/indexed-record.ts';
import { mergedIndex } from '../../../../services/extras/archive/merged-index.ts';
import { readWarc } from '../../../../services/extras/archive/warc-reader.ts';
import { digestOf } from '../../../../services/extras/archive/warc-record.ts';
import { createMemoryStore } from '../../../../services/runtime/store/memory-store.ts';
import type { StateStore } from '../../../../services/runtime/store/store.ts';
import { hostKeyOf } from '../../../../topology/url/host-key.ts';
import { temporaryFolder } from '../../runtime/store/temporary-folder.ts';
import { all, archive, archiverOn, response } from './responses.ts';

async function archived(): Promise<{ folder: string; store: StateStore }> {
  const folder = temporaryFolder();
  const store = createMemoryStore();
  await archive(folder, store, 0, all.length);
  await (await archiverOn(folder, store)).finish();
  return { folder, store };
}

async function warcs(folder: string): Promise<string[]> {
  return (await readdir(folder))
    .filter((name) => name.endsWith('.warc.gz'))
    .sort()
    .map((name) => join(folder, name));
}

/** Records by their ids: the bytes of their members, and what is in them. */
async function recordsIn(folder: string) {
  const found = new Map<
    string,
    { bytes: string; type: string; url: string; refersTo: string; date: string; refersToDate: string; block: Buffer }
  >();
  for (const path of await warcs(folder)) {
    const members: Buffer[] = [];
    for await (const { bytes } of membersOf(path)) members.push(bytes);
    let number = 0;
    for await (const { type, fields, block } of readWarc(path)) {
      const field = (name: string) => fields.get(name) ?? '';
      assert.equal(field('warc-block-digest'), digestOf(block), `${path}: ${field('warc-record-id')}`);
      found.set(field('warc-record-id'), {
        bytes: members[number]!.toString('latin1'),
        ...{ type, block, url: field('warc-target-uri'), date: field('warc-date') },
        ...{ refersTo: field('warc-refers-to-target-uri'), refersToDate: field('warc-refers-to-date') },
      });
      number += 1;
    }
    assert.equal(number, members.length);
  }
  return found;
}

const isOfFirstHost = (url: string) => hostKeyOf(url) === 'www.a0.test:8080';

describe('removing records from an archive', () => {
  it('removing records from an archive handles URLs with braces and spaces', async () => {
    const urls = [
      'http://a.test/?q=%7Bx%7D',
      'http://a.test/%7B',
      'http://b.test/%20%7B%22url%22:%201%7D',
      'http://c.test/',
    ];
    for (const gone of urls) {
      const folder = temporaryFolder();
      const store = createMemoryStore();
      const archiver = await archiverOn(folder, store);
      const batch = urls.map((url, n) => {
        const one = response(n);
        return { ...one, value: { ...one.value, url, status: 200, body: Buffer.from(`body ${n}`), truncated: false } };
      });
      await archiver.handle(batch, { positions: [], signal: new AbortController().signal });
      await archiver.finish();
      const { records } = await forgetRecords(folder, store, (url) => url === gone);
      assert.ok(records > 0, gone);
      const left: string[] = [];
      for await (const { url } of mergedIndex(await warcs(folder))) left.push(url);
      assert.deepEqual(left.sort(), urls.filter((url) => url !== gone).sort());
    }
  });

  it('removing records from an archive leaves none of them, and others unchanged, except revisits of removed ones, which get their payload', async () => {
    const { folder, store } = await archived();
    const before = await recordsIn(folder);
    const done = await forgetRecords(folder, store, isOfFirstHost);
    const after = await recordsIn(folder);
    const gone = [...before].filter(([, { url }]) => isOfFirstHost(url));
    assert.equal(done.records, gone.length);
    assert.equal(after.size, before.size - gone.length);
    const changed = [...after].filter(([id, { bytes }]) => before.get(id)?.bytes !== bytes);
    assert.equal(changed.length, done.promoted + done.redirected);
    assert.equal(done.promoted, 1);
    assert.ok(done.redirected > 5, `${done.redirected}`);
    assert.equal(done.dangling, 0);
    const dates = new Set(
      [...after.values()].filter(({ type }) => type === 'response').map((one) => `${one.url} ${one.date}`),
    );
    for (const { type, url, refersTo, refersToDate } of after.values()) {
      assert.ok(!isOfFirstHost(url), url);
      if (type === 'revisit') assert.ok(dates.has(`${refersTo} ${refersToDate}`), `${refersTo} ${refersToDate}`);
    }
    const promoted = changed.find(([, { type }]) => type === 'response')![1];
    assert.match(promoted.block.toString('latin1'), /^HTTP\/1\.1 200 OK\r\n.*\r\n\r\n<title>same<\/title>words/s);
    for (const name of await readdir(folder)) {
      assert.ok(!/\.(?:forget|new)$|\.json$/.test(name), name);
      assert.ok(!(await readFile(join(folder, name), 'latin1')).includes('a0,test'), name);
    }
  });

  it('removing records from an archive leaves an index of every remaining response, and of nothing else', async () => {
    const { folder, store } = await archived();
    await forgetRecords(folder, store, isOfFirstHost);
    const files = await warcs(folder);
    const records = new IndexedRecords();
    let lines = 0;
    let before = '';
    for await (const line of mergedIndex(files)) {
      const { fields } = await records.read({
        ...line,
        file: join(folder, JSON.parse(line.text.slice(line.text.indexOf('{'))).filename),
      });
      assert.equal(fields.get('warc-target-uri'), line.url);
      assert.equal(fields.get('warc-type') === 'revisit', line.mime === 'warc/revisit');
      assert.equal(cdxTime(Date.parse(fields.get('warc-date')!)), line.time);
      assert.ok(before <= line.text);
      before = line.text;
      lines += 1;
    }
    await records.close();
    const left = [...(await recordsIn(folder)).values()].filter(({ type }) => /response|revisit/.test(type));
    assert.equal(lines, left.length);
  });

  it('removing records from an archive does not touch other files, and finds nothing the second time', async () => {
    const { folder, store } = await archived();
    const none = await forgetRecords(folder, store, () => false);
    assert.deepEqual(none, {
      files: [],
      records: 0,
      promoted: 0,
      redirected: 0,
      dangling: 0,
    } satisfies ForgottenRecords);
    const last = all.at(-1)!.value.url;
    const before = new Map(
      await Promise.all((await warcs(folder)).map(async (path) => [path, await readFile(path)] as const)),
    );
    const { files } = await forgetRecords(folder, store, (url) => url === last);
    assert.equal(files.length, 1);
    for (const [path, bytes] of before) {
      assert.equal((await readFile(path)).equals(bytes), !path.endsWith(`${files[0]}.warc.gz`), path);
    }
    assert.equal((await forgetRecords(folder, store, (url) => url === last)).records, 0);
  });

  it('later captures do not point to removed records', async () => {
    const { folder, store } = await archived();
    await forgetRecords(folder, store, isOfFirstHost);
    const archiver = await archiverOn(folder, store);
    const later = [60, 61, 62, 63, 64, 65].map(response);
    await archiver.handle(later, { positions: [], signal: new AbortController().signal });
    await archiver.finish();
    const records = [...(await recordsIn(folder)).values()];
    const revisits = records.filter(
      ({ url, type }) => type === 'revisit' && later.some(({ value }) => value.url === url),
    );
    assert.ok(revisits.length > 0);
    for (const { refersTo } of revisits) assert.ok(!isOfFirstHost(refersTo), refersTo);
  });

  it('removing records from an archive happens wholly or not at all, whenever a kill falls', async () => {
    const whole = await archived();
    const source = temporaryFolder();
    await cp(whole.folder, source, { recursive: true });
    await forgetRecords(whole.folder, whole.store, isOfFirstHost);
    const done = await recordsIn(whole.folder);
    // Before the journal: what was written beside the files does not count.
    const early = await archived();
    await writeFile(`${(await warcs(early.folder))[0]}.forget`, 'half a file');
    await forgetRecords(early.folder, early.store, isOfFirstHost);
    assert.deepEqual(await recordsIn(early.folder), done);
    // After it: some files are in place, and the archive's next start does the rest.
    const late = await archived();
    const before = await warcs(late.folder);
    const rewritten = temporaryFolder();
    await cp(whole.folder, rewritten, { recursive: true });
    const files: string[] = [];
    for (const name of await readdir(rewritten)) {
      if (!/\.(?:warc\.gz|cdxj)$/.test(name)) continue;
      files.push(name);
      await cp(join(rewritten, name), join(late.folder, `${name}.forget`));
    }
    await rename(join(late.folder, `${files[0]}.forget`), join(late.folder, files[0]!));
    await writeFile(join(late.folder, 'forget.json'), JSON.stringify({ files, rows: [] }));
    await archiverOn(late.folder, late.store);
    assert.deepEqual(await recordsIn(late.folder), done);
    assert.deepEqual(await warcs(late.folder), before);
  });
});
