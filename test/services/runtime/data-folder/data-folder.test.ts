import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import {
  adoptDataFolder,
  openDataFolder,
  readDataFolder,
} from '../../../../services/runtime/data-folder/data-folder.ts';
import type { ManifestFacts } from '../../../../services/runtime/data-folder/manifest.ts';
import { CrawlstreamError, type ErrorCode } from '../../../../topology/errors.ts';
import { temporaryFolder } from '../store/temporary-folder.ts';

const defaults: ManifestFacts = {
  crawl: 'crawl',
  partitions: 8,
  keyMode: 'host',
  pslHash: 'abc',
  seenKeyVersion: 1,
  fingerprintVersion: 1,
};
const clock = { nowMs: () => Date.UTC(2026, 0, 2), sleepUntil: async () => {} };
const fresh = { defaults, createdBy: '0.1.0', clock };
const root = temporaryFolder();
let count = 0;
const newFolder = () => join(root, String(count++));
const refused =
  (code: ErrorCode, ...words: string[]) =>
  (error: unknown) =>
    error instanceof CrawlstreamError &&
    error.code === code &&
    !error.message.includes('\n') &&
    words.every((word) => error.message.includes(word));

async function edited(change: (manifest: Record<string, unknown>) => unknown): Promise<string> {
  const folder = newFolder();
  await openDataFolder(folder, {}, fresh);
  const file = join(folder, 'manifest.json');
  writeFileSync(file, JSON.stringify(change(JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>)));
  return folder;
}

describe('data folder', () => {
  it('a data folder is created if nothing is there, with the given options and defaults for the others', async () => {
    const folder = join(newFolder(), 'deep', 'er');
    const made = await openDataFolder(folder, { partitions: 3, crawl: undefined as unknown as string }, fresh);
    assert.ok(made.isNew);
    const { fingerprintKey, ...rest } = made.manifest;
    assert.match(fingerprintKey, /^[0-9a-f]{32}$/);
    assert.deepEqual(rest, {
      ...defaults,
      format: 1,
      partitions: 3,
      createdAt: '2026-01-02T00:00:00.000Z',
      createdBy: '0.1.0',
    });
    assert.deepEqual(readdirSync(folder), ['manifest.json']);
    assert.equal(made.part('log'), join(folder, 'log'));
  });

  it('a data folder is opened with the same manifest, whatever the defaults are by then', async () => {
    const folder = newFolder();
    const { manifest } = await openDataFolder(folder, { partitions: 3 }, fresh);
    const later = { ...fresh, defaults: { ...defaults, partitions: 64 }, createdBy: '9.9.9' };
    const again = await openDataFolder(folder, { crawl: 'crawl' }, later);
    assert.equal(again.isNew, false);
    assert.deepEqual(again.manifest, manifest);
    assert.deepEqual((await readDataFolder(folder)).manifest, manifest);
  });

  it('a data folder has its own fingerprint key', async () => {
    const [a, b] = [await openDataFolder(newFolder(), {}, fresh), await openDataFolder(newFolder(), {}, fresh)];
    assert.notEqual(a.manifest.fingerprintKey, b.manifest.fingerprintKey);
  });

  it('a data folder refuses another crawl’s folder by both names', async () => {
    const folder = newFolder();
    await openDataFolder(folder, { crawl: 'news' }, fresh);
    await assert.rejects(
      openDataFolder(folder, { crawl: 'shop' }, fresh),
      refused('DATA_FOLDER_FOREIGN', folder, 'news', 'shop', '--data'),
    );
  });

  it('a data folder of a newer format is refused', async () => {
    const folder = await edited((m) => ({ ...m, format: 2, partitions: { by: 'topic' } }));
    await assert.rejects(openDataFolder(folder, {}, fresh), refused('DATA_FOLDER_NEWER', folder, '2'));
  });

  it('a data folder refuses a change of fixed options, by name, with both values and the remedy', async () => {
    const folder = newFolder();
    await openDataFolder(folder, { keyMode: 'domain' }, fresh);
    const cases = [
      [{ partitions: 9 }, ['partitions', '8', '9']],
      [{ keyMode: 'host' }, ['keyMode', 'domain', 'host']],
      [{ seenKeyVersion: 2 }, ['seenKeyVersion', '0.1.0']],
      [{ fingerprintVersion: 2 }, ['fingerprintVersion']],
      [{ pslHash: 'def' }, ['pslHash']],
    ] as const;
    for (const [wanted, words] of cases) {
      await assert.rejects(
        openDataFolder(folder, wanted, fresh),
        refused('TOPIC_MISMATCH', folder, ...words, '--data'),
      );
    }
  });

  it('a data folder accepts another public-suffix list if keys are hosts', async () => {
    const folder = newFolder();
    await openDataFolder(folder, {}, fresh);
    await openDataFolder(folder, { pslHash: 'def' }, fresh);
  });

  it('a data folder refuses a folder with other files, and touches nothing', async () => {
    const folder = newFolder();
    mkdirSync(folder);
    writeFileSync(join(folder, 'thesis.txt'), 'x');
    await assert.rejects(
      openDataFolder(folder, {}, fresh),
      refused('DATA_FOLDER_FOREIGN', folder, 'thesis.txt', '--data'),
    );
    assert.deepEqual(readdirSync(folder), ['thesis.txt']);
  });

  it('a data folder starts over after its own interrupted start', async () => {
    const folder = newFolder();
    mkdirSync(join(folder, 'lost+found'), { recursive: true });
    writeFileSync(join(folder, 'manifest.json.new'), '{"form');
    assert.ok((await openDataFolder(folder, {}, fresh)).isNew);
  });

  it('a data folder says what is wrong with a damaged manifest', async () => {
    const folder = await edited(() => '');
    const file = join(folder, 'manifest.json');
    for (const text of ['', '{"format": 1', 'null', '[]', '"x"', '{}']) {
      writeFileSync(file, text);
      await assert.rejects(openDataFolder(folder, {}, fresh), refused('DATA_FOLDER_FOREIGN', file));
    }
    const noKey = await edited((m) => ({ ...m, fingerprintKey: 'zz' }));
    await assert.rejects(readDataFolder(noKey), refused('DATA_FOLDER_FOREIGN', 'fingerprintKey'));
  });

  it('a data folder that is a file, or missing where it must exist, is named', async () => {
    const file = newFolder();
    writeFileSync(file, '');
    await assert.rejects(openDataFolder(file, {}, fresh), refused('INVALID_ARGUMENT', file, '--data'));
    const none = newFolder();
    await assert.rejects(readDataFolder(none), refused('INVALID_ARGUMENT', none));
    mkdirSync(none);
    await assert.rejects(readDataFolder(none), refused('INVALID_ARGUMENT', none));
    assert.deepEqual(readdirSync(none), []);
  });
});

it('a new data folder and its key are readable by their owner only', {
  skip: process.platform === 'win32',
}, async () => {
  const folder = newFolder();
  await openDataFolder(folder, {}, fresh);
  const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);
  assert.equal(modeOf(folder), '700');
  for (const name of readdirSync(folder)) assert.equal(modeOf(join(folder, name)), '600', name);
});

describe("a process's own folder", () => {
  it('a process’s own folder belongs to one crawl, and not to another of the same name', async () => {
    const [one, other] = [await openDataFolder(newFolder(), {}, fresh), await openDataFolder(newFolder(), {}, fresh)];
    const mine = newFolder();
    assert.equal((await adoptDataFolder(mine, one.manifest)).isNew, true);
    const again = await adoptDataFolder(mine, one.manifest);
    assert.deepEqual([again.isNew, again.manifest], [false, one.manifest]);
    const before = readFileSync(join(mine, 'manifest.json'), 'utf8');
    await assert.rejects(
      adoptDataFolder(mine, other.manifest, '--state'),
      refused('DATA_FOLDER_FOREIGN', mine, 'another crawl', '--state'),
    );
    assert.equal(readFileSync(join(mine, 'manifest.json'), 'utf8'), before);
  });
});
