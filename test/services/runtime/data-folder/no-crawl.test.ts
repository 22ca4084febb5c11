/** Folders in which a command looks for a crawl and finds none, or another one. */
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { test } from 'node:test';
import { crawlsNear, openDataFolder, readDataFolder } from '../../../../services/runtime/data-folder/data-folder.ts';
import { checkManifest, type Manifest } from '../../../../services/runtime/data-folder/manifest.ts';
import { temporaryFolder } from '../store/temporary-folder.ts';

const defaults = { crawl: 'c', partitions: 8, keyMode: 'host', pslHash: 'x', seenKeyVersion: 1, fingerprintVersion: 1 };
const made = { defaults: defaults as never, createdBy: '0.3.0', clock: { nowMs: () => 0, sleepUntil: async () => {} } };

/** A folder with a crawl in each of these folders below it. */
async function withCrawls(...crawls: readonly string[]): Promise<string> {
  const folder = temporaryFolder();
  for (const name of crawls) await openDataFolder(join(folder, name), {}, made);
  return folder;
}

const messageOf = (folder: string) =>
  readDataFolder(folder).then(
    () => assert.fail('there is a crawl'),
    (error: { readonly code: string; readonly message: string }) => {
      assert.equal(error.code, 'INVALID_ARGUMENT');
      return error.message;
    },
  );

test('an empty folder, or one that is missing, is a place for a new crawl, and one with other files is none', async () => {
  const folder = temporaryFolder();
  const [empty, full, none] = ['empty', 'full', 'none'].map((name) => join(folder, name)) as [string, string, string];
  for (const path of [empty, full]) mkdirSync(path);
  writeFileSync(join(empty, 'manifest.json.abc.new'), '');
  writeFileSync(join(full, 'letter'), '');
  const start = (what: string, place: string, where: string) =>
    new RegExp(
      `^data folder .* ${what}: name the data folder of a crawl, or start a crawl ${place}: .* --data ${where}$`,
    );
  assert.match(await messageOf(empty), start('holds no crawl', 'there', empty));
  assert.match(await messageOf(none), start('does not exist', 'there', none));
  assert.match(await messageOf(full), start('holds no crawl', 'in a new folder', 'FOLDER'));
});

test('crawls in a folder, beside it or around it are named instead', async () => {
  const folder = await withCrawls('one', 'two');
  assert.match(
    await messageOf(folder),
    new RegExp(`: did you mean ${join(folder, 'one')}, ${join(folder, 'two')}\\?$`),
  );
  assert.match(await messageOf(join(folder, 'none')), new RegExp(`: did you mean ${join(folder, 'one')},`));
  mkdirSync(join(folder, 'one', 'log'));
  assert.match(await messageOf(join(folder, 'one', 'log')), new RegExp(`: did you mean ${join(folder, 'one')}\\?$`));
});

test('at most five crawls are named, and other folders none', async () => {
  const names = ['1', '2', '3', '4', '5', '6'];
  const folder = await withCrawls(...names);
  mkdirSync(join(folder, '0'));
  assert.deepEqual((await crawlsNear(folder)).map((path) => basename(path)).sort(), names.slice(0, 5));
  assert.deepEqual(await crawlsNear(join(temporaryFolder(), 'none', 'deep')), []);
});

test('a manifest fits options that name its facts, and refuses each other one by name', () => {
  const manifest = { ...defaults, format: 1, createdBy: '0.3.0' } as unknown as Manifest;
  checkManifest(manifest, {}, 'folder x');
  checkManifest(manifest, { ...defaults, sink: 'tasks' } as never, 'folder x');
  const refused = (wanted: object, of: Partial<Manifest> = {}) => {
    try {
      checkManifest({ ...manifest, ...of }, wanted, 'folder x');
    } catch (error) {
      const { code, message } = error as { code: string; message: string };
      return `${code}: ${message}`;
    }
    return assert.fail('it is accepted');
  };
  const instead = 'or start a new crawl in another --data';
  assert.equal(
    refused({ crawl: 'd' }),
    'DATA_FOLDER_FOREIGN: folder x belongs to crawl "c", not "d": choose another --data, or --crawl c',
  );
  assert.match(
    refused({ sink: 'pull' }),
    /^DATA_FOLDER_FOREIGN: folder x is crawled by fetchers, and a crawl cannot do/,
  );
  assert.match(refused({ sink: 'tasks' }, { sink: 'pull' }), /is served to clients by crawlstream urlfrontier/);
  assert.equal(
    refused({ partitions: 9 }),
    `TOPIC_MISMATCH: folder x was made with partitions 8, not 9: remove --partitions or set it to 8, ${instead}`,
  );
  assert.match(refused({ keyMode: 'domain' }), /with keyMode host, not domain: set the partition key to host, or/);
  for (const field of ['seenKeyVersion', 'fingerprintVersion'])
    assert.match(refused({ [field]: 2 }), new RegExp(`with ${field} 1, not 2: use crawlstream 0\\.3\\.0, or start`));
  // With partitions by host, nothing that is stored depends on the list.
  checkManifest(manifest, { pslHash: 'y' }, 'folder x');
  assert.match(refused({ pslHash: 'y' }, { keyMode: 'domain' }), /use the public-suffix list of crawlstream 0\.3\.0/);
});
