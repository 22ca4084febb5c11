import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import type { Response } from '../../../../schemas/types.ts';
import { forgetRecords } from '../../../../services/extras/archive/forget/forget-records.ts';
import { membersOf } from '../../../../services/extras/archive/forget/members.ts';
import { readWarc } from '../../../../services/extras/archive/warc-reader.ts';
import type { Received } from '../../../../services/runtime/consumer/received.ts';
import { createFaultStore } from '../../../../services/runtime/store/fault-store.ts';
import { createMemoryStore } from '../../../../services/runtime/store/memory-store.ts';
import type { StateStore } from '../../../../services/runtime/store/store.ts';
import { temporaryFolder } from '../../runtime/store/temporary-folder.ts';
import { archiverOn, response } from './responses.ts';

const signal = new AbortController().signal;
const etag = ['content-type', 'text/html', 'etag', '"1"'];
const payload = (deadLetter: string) => Buffer.alloc(400, deadLetter);
const [one, two] = ['http://one.test/', 'http://two.test/'] as const;

/** The capture of a URL that begins at a time. */
function capture(n: number, url: string, atMs: number, more: Partial<Response> = {}): Received<'responses'> {
  const given = response(n);
  const about = { url, hostKey: new URL(url).host, fetchedAtMs: atMs, durationMs: 0, headers: etag };
  return { ...given, value: { ...given.value, status: 200, truncated: false, ...about, ...more } };
}

/** Each file holds one of the batches. */
async function archived(...batches: (readonly Received<'responses'>[])[]) {
  const folder = temporaryFolder();
  const store = createMemoryStore();
  await added(folder, store, ...batches);
  return { folder, store };
}

async function added(folder: string, store: StateStore, ...batches: (readonly Received<'responses'>[])[]) {
  for (const batch of batches) {
    const archiver = await archiverOn(folder, store);
    await archiver.handle(batch, { positions: [], signal });
    await archiver.finish();
  }
}

async function answersIn(folder: string) {
  const found: { type: string; url: string; refersTo: string }[] = [];
  for (const name of readdirSync(folder)
    .filter((file) => file.endsWith('.warc.gz'))
    .sort()) {
    for await (const { type, fields } of readWarc(join(folder, name))) {
      if (type !== 'response' && type !== 'revisit') continue;
      const refersTo = fields.get('warc-refers-to-target-uri') ?? '';
      found.push({ type, url: fields.get('warc-target-uri')!, refersTo });
    }
  }
  return found;
}

describe('removing captures of a URL from an archive', () => {
  it('removing captures of a URL leaves pointers to its other captures', async () => {
    const { folder, store } = await archived(
      [capture(1, one, 1_000, { body: payload('x') }), capture(2, one, 2_000, { body: payload('y') })],
      [capture(3, two, 3_000, { body: payload('y') })],
    );
    const done = await forgetRecords(folder, store, (url, atMs) => url === one && atMs < 1_500);
    assert.deepEqual([done.promoted, done.redirected, done.dangling], [0, 0, 0]);
    assert.deepEqual(await answersIn(folder), [
      { type: 'response', url: one, refersTo: '' },
      { type: 'revisit', url: two, refersTo: one },
    ]);
  });

  it('removing captures of a URL moves the payload to what pointed to it from another file', async () => {
    const { folder, store } = await archived(
      [capture(1, one, 1_000, { body: payload('x') })],
      [capture(2, two, 2_000, { body: payload('x') })],
    );
    const { promoted } = await forgetRecords(folder, store, (url) => url === one);
    assert.equal(promoted, 1);
    assert.deepEqual(await answersIn(folder), [{ type: 'response', url: two, refersTo: '' }]);
  });

  it('removing captures of a URL leaves a 304 that points nowhere, and does not turn it into a response', async () => {
    const { folder, store } = await archived([
      capture(1, one, 1_000, { body: payload('x') }),
      capture(2, one, 2_000, { status: 304, body: Buffer.alloc(0) }),
    ]);
    const { dangling, promoted } = await forgetRecords(folder, store, (_, atMs) => atMs < 1_500);
    assert.deepEqual([dangling, promoted], [1, 0]);
    assert.deepEqual(await answersIn(folder), [{ type: 'revisit', url: one, refersTo: '' }]);
  });

  it('removing captures of a URL forgets what a 304 of the URL would point to, wherever that lies', async () => {
    const { folder, store } = await archived([
      capture(1, two, 1_000, { body: payload('x') }),
      capture(2, one, 2_000, { body: payload('x') }),
    ]);
    await forgetRecords(folder, store, (url) => url === one);
    await added(folder, store, [capture(3, one, 3_000, { status: 304, body: Buffer.alloc(0) })]);
    assert.deepEqual(await answersIn(folder), [
      { type: 'response', url: two, refersTo: '' },
      { type: 'response', url: one, refersTo: '' },
    ]);
  });

  it('removing captures of a URL covers the file that was open when the archive was killed', async () => {
    const folder = temporaryFolder();
    const store = createMemoryStore();
    const killed = await archiverOn(folder, store);
    await killed.handle([capture(1, one, 1_000, { body: payload('x') })], { positions: [], signal });
    const { records } = await forgetRecords(folder, store, (url) => url === one);
    assert.equal(records, 3);
    assert.deepEqual(
      readdirSync(folder).filter((name) => name.endsWith('.open')),
      [],
    );
  });

  it('removing captures of a URL leaves no pointer to them, whatever write of the archive’s state it dies at', async () => {
    const make = () => archived([capture(1, one, 1_000, { body: payload('x') })]);
    const whole = await make();
    const counting = createFaultStore(whole.store);
    await forgetRecords(whole.folder, counting, (url) => url === one);
    assert.ok(counting.writes() > 1);
    for (let crashAt = 1; crashAt <= counting.writes(); crashAt++) {
      for (const when of ['before', 'after'] as const) {
        const { folder, store } = await make();
        const dying = createFaultStore(store, { crashAt, when });
        await assert.rejects(
          forgetRecords(folder, dying, (url) => url === one),
          /planned crash/,
        );
        // At the last of them the files are in place: the archive goes on by itself. Before, the command is said again.
        await archiverOn(folder, store);
        if (crashAt < counting.writes()) await forgetRecords(folder, store, (url) => url === one);
        await added(folder, store, [capture(2, two, 2_000, { body: payload('x') })]);
        assert.deepEqual(await answersIn(folder), [{ type: 'response', url: two, refersTo: '' }], `${crashAt} ${when}`);
      }
    }
  });
});

describe('members of a file', () => {
  it('gzip members of a file are whole, wherever a read piece ends', async () => {
    const path = join(temporaryFolder(), 'a.warc.gz');
    // Not packed, so that its length can be chosen: the end of the first lies a few bytes behind the first piece.
    const ofLength = (bytes: number) => {
      for (let body = bytes - 200; ; body++) {
        const member = gzipSync(Buffer.alloc(body, 'x'), { level: 0 });
        if (member.length >= bytes) return member;
      }
    };
    for (const beyond of [-4, 0, 1, 4, 8]) {
      const file = Buffer.concat([ofLength((1 << 20) + beyond), gzipSync('second')]);
      writeFileSync(path, file);
      const bytes: Buffer[] = [];
      for await (const member of membersOf(path)) bytes.push(Buffer.from(member.bytes));
      assert.equal(bytes.length, 2);
      assert.ok(Buffer.concat(bytes).equals(file), `${beyond}`);
    }
  });

  it('gzip members of a file that ends in the middle of one are an error that names the file', async () => {
    const { folder } = await archived([capture(1, one, 1_000, { body: payload('x') })]);
    const path = join(folder, readdirSync(folder).find((name) => name.endsWith('.warc.gz'))!);
    writeFileSync(path, readFileSync(path).subarray(0, -5));
    await assert.rejects(
      async () => {
        for await (const _ of membersOf(path));
      },
      { code: 'INVALID_RECORD', message: /it ends in the middle of a record/ },
    );
  });
});
