/** Pages taken out of archives: those of a data folder and of an object store, with what a receipt says of them. */
import assert from 'node:assert/strict';
import { copyFileSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import type { Gone, HeldAt } from '../../../../services/application/processor/holding.ts';
import {
  archivedCopies,
  forgetArchives,
  forgetElsewhere,
} from '../../../../services/extras/archive/forget/forget-archive.ts';
import { mergedIndex } from '../../../../services/extras/archive/merged-index.ts';
import { createFolderObjects } from '../../../../services/runtime/objects/folder-objects.ts';
import { openStateStore } from '../../../../services/runtime/store/open-store.ts';
import { temporaryFolder } from '../../runtime/store/temporary-folder.ts';
import { archiverOn, response } from './responses.ts';

const clock = { nowMs: () => 0, sleepUntil: async () => {} };
const one = (url: string): Gone => ({ has: (asked) => asked === url, isPurged: (asked) => asked === url });
const nothing: Gone = { has: () => false, isPurged: () => false };
const [a, b, c] = ['http://a.test/%7Ba%7D', 'http://b.test/', 'http://c.test/'] as const;

/** An archive with a file for each list of URLs. */
async function archiveOf(...files: readonly (readonly string[])[]) {
  const folder = temporaryFolder();
  const store = await openStateStore(join(folder, 'state'));
  let n = 0;
  for (const urls of files) {
    const archiver = await archiverOn(folder, store);
    const batch = urls.map((url) => {
      const received = response(++n);
      const body = Buffer.from(`body ${n}`);
      return { ...received, value: { ...received.value, url, status: 200, body, truncated: false } };
    });
    await archiver.handle(batch, { positions: [], signal: new AbortController().signal });
    await archiver.finish();
  }
  await store.close();
  return { folder, names: namesIn(folder) };
}

const namesIn = (folder: string) =>
  readdirSync(folder)
    .filter((name) => name.endsWith('.warc.gz'))
    .map((name) => name.slice(0, -'.warc.gz'.length))
    .sort();

const forgetIn = (folder: string, gone: Gone) =>
  forgetArchives({ crawl: 'c', part: () => folder, isOnBrokers: false, options: {}, gone, clock } as HeldAt);

async function urlsIn(folder: string): Promise<string[]> {
  const urls: string[] = [];
  for await (const { url } of mergedIndex(namesIn(folder).map((name) => join(folder, `${name}.warc.gz`))))
    urls.push(url);
  return urls.sort();
}

describe('forgetting pages of an archive', () => {
  it('forgetting pages of an archive in a data folder reports the records and files, and that none is left', async () => {
    const { folder, names } = await archiveOf([a, b], [b], [c]);
    const { places, notReached } = await forgetIn(folder, one(b));
    assert.deepEqual(notReached, []);
    const more = { files: names.slice(0, 2), revisitsMadeResponses: 0, revisitsRedirected: 0, revisitsDangling: 0 };
    assert.deepEqual(places, [{ place: 'archive', removed: 6, left: 0, more }]);
    assert.deepEqual(await urlsIn(folder), [a, c]);
  });

  it('forgetting pages of an archive that is not there reaches nothing, and makes no folder', async () => {
    const folder = join(temporaryFolder(), 'archive');
    assert.deepEqual(await forgetIn(folder, one(b)), { places: [], notReached: [] });
    assert.deepEqual(
      await archivedCopies(
        () => folder,
        () => true,
      ),
      [],
    );
    assert.throws(() => readdirSync(folder), { code: 'ENOENT' });
  });

  it('forgetting pages on brokers names the archives that no option leads to', async () => {
    const notReached = async (isFolderNamed: boolean) => {
      const { folder } = await archiveOf([a]);
      const part = isFolderNamed ? { part: () => folder } : {};
      const at = { crawl: 'c', isOnBrokers: true, options: {}, gone: nothing, clock, ...part };
      return (await forgetArchives(at)).notReached?.map(({ place }) => place);
    };
    assert.deepEqual(await notReached(true), ['archives in object stores']);
    assert.deepEqual(await notReached(false), ['archives of other machines', 'archives in object stores']);
  });

  it('forgetting pages counts what an index still has, whatever its time', async () => {
    const { folder, names } = await archiveOf([a], [b]);
    const index = join(folder, `${names[0]}.cdxj`);
    const kept = readFileSync(index, 'utf8');
    const line = kept.trimEnd();
    const stray = (key: string, time: string) =>
      writeFileSync(index, `${kept}${line.replace(/^\S+ \d{14}/, `${key} ${time}`).replace(a, c)}\n`);
    const gone = { ...nothing, has: (url: string, atMs: number) => url === c && atMs <= Date.UTC(2026, 0, 1) };
    for (const [key, time, left] of [
      ['test,c)/', '20260101000000', 1],
      ['test,c)/', '20260101000001', 0],
      ['test,c)/', '20261340000000', 1],
      ['test,c)/ x', '20260101000000', 1],
      ['test,c)/ x', '20260101000001', 0],
    ] as const) {
      stray(key, time);
      assert.equal((await forgetIn(folder, gone)).places[0]?.left, left, `${key} ${time}`);
    }
  });

  it('forgetting a page removes records of it that have no valid date', async () => {
    const { folder, names } = await archiveOf([a]);
    const undated = ['response', 'revisit'].map((type) =>
      gzipSync(
        `WARC/1.1\r\nWARC-Type:${type}\r\nWARC-Target-URI:${b}\r\nWARC-Date:x\r\nContent-Length:0\r\n\r\n\r\n\r\n`,
      ),
    );
    const file = join(folder, `${names[0]}.warc.gz`);
    writeFileSync(file, Buffer.concat([readFileSync(file), ...undated]));
    const before = { ...nothing, has: (url: string, atMs: number) => url === b && atMs <= 1 };
    assert.equal((await forgetIn(folder, before)).places[0]?.removed, 2);
  });

  it('forgetting pages keeps an index of the other captures if the index was missing', async () => {
    const { folder, names } = await archiveOf([a, b, c], [c]);
    const before = await urlsIn(folder);
    for (const name of names) rmSync(join(folder, `${name}.cdxj`));
    assert.deepEqual(
      await archivedCopies(
        () => folder,
        (url) => url === b,
      ),
      [
        {
          in: `archive/${names[0]}.warc.gz`,
          records: 1,
          until: 'crawlstream forget removes its responses (1)',
        },
      ],
    );
    assert.deepEqual((await forgetIn(folder, one(b))).places[0]?.left, 0);
    const index = readFileSync(join(folder, `${names[0]}.cdxj`), 'utf8')
      .trimEnd()
      .split('\n');
    assert.deepEqual(
      index.map((line) => JSON.parse(line.slice(line.indexOf(' {'))).url),
      before.filter((url) => url !== b).slice(0, 2),
    );
  });
});

describe('forgetting pages of an archive in an object store', () => {
  async function stored(crawl: string, ...files: readonly (readonly string[])[]) {
    const { folder, names } = await archiveOf(...files);
    const objects = temporaryFolder();
    const put = names.map((name) => name.replace(/^c-/, `${crawl}-`));
    for (const [n, name] of names.entries())
      for (const ending of ['.warc.gz', '.cdxj'])
        copyFileSync(join(folder, `${name}${ending}`), join(objects, `${put[n]}${ending}`));
    return { objects, names: put };
  }
  const bytesIn = (folder: string) =>
    Object.fromEntries(readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), 'base64')]));

  it('files with the page are replaced, the others stay as they were, and no copy stays here', async () => {
    const { objects, names } = await stored('c', [a, b], [c]);
    const before = bytesIn(objects);
    const folder = temporaryFolder();
    const place = await forgetElsewhere(folder, one(b), { crawl: 'c', clock, objects: createFolderObjects(objects) });
    assert.deepEqual([place.place, place.removed, place.left], [`archive ${objects}`, 3, 0]);
    assert.deepEqual([place.more?.['files'], place.more?.['broughtBack']], [[names[0]], 2]);
    const after = bytesIn(objects);
    assert.deepEqual(Object.keys(after), Object.keys(before));
    assert.deepEqual(
      Object.keys(after).filter((name) => after[name] !== before[name]),
      [`${names[0]}.cdxj`, `${names[0]}.warc.gz`],
    );
    assert.deepEqual(await urlsIn(objects), [a, c]);
    assert.deepEqual(readdirSync(folder), ['state']);
  });

  it('archives of other crawls in the same store are not touched', async () => {
    for (const [crawl, brought] of [
      ['c', 1],
      ['c-d', 0],
      ['cc', 0],
      ['x', 0],
    ] as const) {
      const { objects } = await stored(crawl, [b]);
      const before = bytesIn(objects);
      const place = await forgetElsewhere(temporaryFolder(), one(b), {
        ...{ crawl: 'c', clock, objects: createFolderObjects(objects) },
      });
      assert.equal(place.more?.['broughtBack'], brought, crawl);
      assert.equal(JSON.stringify(bytesIn(objects)) !== JSON.stringify(before), brought > 0, crawl);
    }
  });

  it('a file without its index gets one of its captures, and none that is empty', async () => {
    const { objects, names } = await stored('c', [a, b, c]);
    rmSync(join(objects, `${names[0]}.cdxj`));
    const place = await forgetElsewhere(temporaryFolder(), one(b), {
      ...{ crawl: 'c', clock, objects: createFolderObjects(objects) },
    });
    assert.deepEqual([place.removed, place.left], [3, 0]);
    assert.deepEqual(await urlsIn(objects), [a, c]);
  });

  it('a file that is removed while the others are downloaded is passed over', async () => {
    const { objects, names } = await stored('c', [a], [b]);
    const store = createFolderObjects(objects);
    const list = async (folder: string) => {
      const listed = await store.list(folder);
      rmSync(join(objects, `${names[0]}.warc.gz`));
      return listed;
    };
    const place = await forgetElsewhere(temporaryFolder(), one(b), {
      ...{ crawl: 'c', clock, objects: { ...store, list } },
    });
    assert.deepEqual([place.removed, place.more?.['broughtBack']], [3, 1]);
    assert.deepEqual(readdirSync(objects), [`${names[0]}.cdxj`, `${names[1]}.cdxj`, `${names[1]}.warc.gz`]);
  });
});
