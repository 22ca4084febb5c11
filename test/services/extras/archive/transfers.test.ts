import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { readCaptures } from '../../../../services/extras/archive/captures.ts';
import { bringBack } from '../../../../services/extras/archive/forget/bring-back.ts';
import { learnIndexes } from '../../../../services/extras/archive/known-indexes.ts';
import { mergedIndex } from '../../../../services/extras/archive/merged-index.ts';
import { createUploads } from '../../../../services/extras/archive/uploads.ts';
import { createFolderObjects } from '../../../../services/runtime/objects/folder-objects.ts';
import { createFaultStore } from '../../../../services/runtime/store/fault-store.ts';
import { createMemoryStore } from '../../../../services/runtime/store/memory-store.ts';
import type { StateStore } from '../../../../services/runtime/store/store.ts';
import { CrawlstreamError } from '../../../../topology/errors.ts';
import { temporaryFolder } from '../../runtime/store/temporary-folder.ts';
import { response } from './responses.ts';

const clock = { nowMs: () => 0, sleepUntil: async () => {} };

function finished(...names: string[]): string {
  const folder = temporaryFolder();
  for (const name of names) {
    writeFileSync(join(folder, `${name}.warc.gz`), `warc of ${name}`);
    writeFileSync(join(folder, `${name}.cdxj`), `index of ${name}`);
  }
  return folder;
}

const wholeIn = async (folder: string) =>
  readdirSync(folder)
    .filter((name) => name.endsWith('.warc.gz'))
    .map((name) => name.slice(0, -8))
    .sort();

describe('uploads of an archive', () => {
  it('uploads of an archive keep each local file until it is stored, its index first', async () => {
    const folder = finished('a', 'b');
    const there: [string, string[]][] = [];
    const putFile = async (name: string) => {
      await new Promise((resolve) => setImmediate(resolve));
      there.push([name, readdirSync(folder).sort()]);
    };
    const uploads = createUploads(folder, { putFile }, clock, () => wholeIn(folder));
    uploads.start();
    await uploads.settled();
    assert.deepEqual(there, [
      ['a.cdxj', ['a.cdxj', 'a.warc.gz', 'b.cdxj', 'b.warc.gz']],
      ['a.warc.gz', ['a.cdxj', 'a.warc.gz', 'b.cdxj', 'b.warc.gz']],
      ['b.cdxj', ['b.cdxj', 'b.warc.gz']],
      ['b.warc.gz', ['b.cdxj', 'b.warc.gz']],
    ]);
    assert.deepEqual(readdirSync(folder), []);
  });

  it('uploads of an archive give up after some tries, keep both local files, and are retried with the next file', async () => {
    const folder = finished('a');
    let isAway = true;
    const putFile = async () => {
      if (isAway) throw new CrawlstreamError('DESTINATION_UNREACHABLE', 'away');
    };
    const uploads = createUploads(folder, { putFile }, clock, () => wholeIn(folder));
    uploads.start();
    await assert.rejects(uploads.settled(), { code: 'DESTINATION_UNREACHABLE' });
    assert.deepEqual(readdirSync(folder).sort(), ['a.cdxj', 'a.warc.gz']);
    isAway = false;
    uploads.start();
    await uploads.settled();
    assert.deepEqual(readdirSync(folder), []);
  });
});

describe('the waits of uploads', () => {
  /** Times of the attempts of one file, by a clock that sleeps at once. */
  async function attemptsOf(error: Error): Promise<readonly number[]> {
    let nowMs = 0;
    const sleeping = { nowMs: () => nowMs, sleepUntil: async (untilMs: number) => void (nowMs = untilMs) };
    const times: number[] = [];
    const folder = finished('a');
    const putFile = async () => {
      times.push(nowMs);
      throw error;
    };
    const uploads = createUploads(folder, { putFile }, sleeping, () => wholeIn(folder));
    uploads.start();
    await assert.rejects(uploads.settled(), error);
    return times;
  }

  it('an upload to a store that is away is tried again after 1, 5 and 30 s', async () => {
    const away = new CrawlstreamError('DESTINATION_UNREACHABLE', 'away');
    assert.deepEqual(await attemptsOf(away), [0, 1_000, 6_000, 36_000]);
  });

  it('an upload that is refused is not tried again', async () => {
    assert.deepEqual(await attemptsOf(new CrawlstreamError('DESTINATION_REFUSED', 'no')), [0]);
    assert.deepEqual(await attemptsOf(new Error('a bug')), [0]);
  });

  it('an upload that fails while nobody waits ends no process, and the next start tries again', async () => {
    const folder = finished('a', 'b');
    const tried: string[] = [];
    const putFile = async (name: string) => {
      tried.push(name);
      if (tried.length === 1) throw new CrawlstreamError('DESTINATION_REFUSED', 'no');
    };
    const uploads = createUploads(folder, { putFile }, clock, () => wholeIn(folder));
    await uploads.settled();
    uploads.start();
    for (let turn = 0; turn < 100; turn++) await new Promise((resolve) => setImmediate(resolve));
    assert.deepEqual(tried, ['a.cdxj']);
    uploads.start();
    uploads.start();
    await uploads.settled();
    assert.deepEqual(tried, ['a.cdxj', 'a.cdxj', 'a.warc.gz', 'b.cdxj', 'b.warc.gz']);
    assert.deepEqual(readdirSync(folder), []);
  });
});

describe('archive files that are downloaded', () => {
  it('archive files that are downloaded belong to this archive, and replace no newer local file', async () => {
    const objects = createFolderObjects(finished('c-1', 'c-2', 'other-1'));
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'c-1.warc.gz'), 'rewritten');
    assert.deepEqual(await bringBack(folder, objects, (name) => name.startsWith('c-')), ['c-2']);
    assert.deepEqual(readdirSync(folder).sort(), ['c-1.warc.gz', 'c-2.cdxj', 'c-2.warc.gz']);
    assert.equal(readFileSync(join(folder, 'c-1.warc.gz'), 'utf8'), 'rewritten');
    assert.equal(readFileSync(join(folder, 'c-2.warc.gz'), 'utf8'), 'warc of c-2');
  });

  it('archive files that are downloaded get their index before they count as whole, wherever a kill falls', async () => {
    const source = createFolderObjects(finished('c-1'));
    for (const killedAt of [1, 2]) {
      const folder = temporaryFolder();
      let gets = 0;
      const get = async (name: string) => {
        if (++gets === killedAt) throw new Error('killed');
        return source.get(name);
      };
      await assert.rejects(
        bringBack(folder, { ...source, get }, () => true),
        /killed/,
      );
      assert.deepEqual(await wholeIn(folder), []);
      await bringBack(folder, source, () => true);
      assert.deepEqual(readdirSync(folder).sort(), ['c-1.cdxj', 'c-1.warc.gz']);
    }
  });
});

const digest = 'A'.repeat(32);
const lineOf = (more: Readonly<Record<string, string>> = {}) =>
  `test,a)/ 20260101000000 ${JSON.stringify({
    ...{ url: 'http://a.test/', mime: 'text/html', status: '200', digest: `sha1:${digest}` },
    ...{ length: '9', offset: '7', filename: 'f.warc.gz' },
    ...more,
  })}`;

function indexFile(...lines: string[]): string {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'f.cdxj'), lines.map((line) => `${line}\n`).join(''));
  return join(folder, 'f.cdxj');
}

describe('indexes of other archives', () => {
  const knows = async (store: StateStore) => {
    const one = { value: { ...response(1).value, truncated: false } };
    return (await readCaptures(store, [one], [`sha1:${digest}`])).payloadOf(one.value, `sha1:${digest}`) !== undefined;
  };

  it('indexes of other archives count whole payloads only, and no pointers', async () => {
    for (const [more, isKnown] of [
      [{}, true],
      [{ digest }, true],
      [{ mime: 'warc/revisit' }, false],
      [{ status: '404' }, false],
    ] as const) {
      const store = createMemoryStore();
      await learnIndexes(store, [indexFile(lineOf(more))]);
      assert.equal(await knows(store), isKnown, JSON.stringify(more));
    }
  });

  it('indexes of other archives are read again if a kill fell before their end, and not after it', async () => {
    const path = indexFile(lineOf());
    const store = createMemoryStore();
    await assert.rejects(
      learnIndexes(createFaultStore(store, { crashAt: 1, when: 'before' }), [path]),
      /planned crash/,
    );
    await learnIndexes(store, [path]);
    assert.equal(await knows(store), true);
    const again = createFaultStore(store);
    await learnIndexes(again, [path]);
    assert.equal(again.writes(), 0);
  });

  it('indexes of other archives are read again after a wrong line is corrected', async () => {
    const store = createMemoryStore();
    const path = indexFile(lineOf(), 'no line');
    await assert.rejects(learnIndexes(store, [path]), /line 2: not a line of a CDXJ index/);
    await assert.rejects(learnIndexes(store, [path]), /line 2: not a line of a CDXJ index/);
  });
});

describe('a merged index of several files', () => {
  const merged = async (...lines: string[]) => {
    for await (const _ of mergedIndex([indexFile(...lines).replace('.cdxj', '.warc.gz')]));
  };

  it('a merged index of several files refuses an unsorted part, or one that names another file', async () => {
    const before = lineOf().replace('test,a)/', 'test,A)/');
    await merged(before, lineOf());
    await assert.rejects(merged(lineOf(), before), /line 2: the index is not sorted/);
    await assert.rejects(merged(lineOf({ filename: '../f.warc.gz' })), /line 1: not a CDXJ line of /);
  });
});
