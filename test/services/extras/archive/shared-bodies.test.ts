import assert from 'node:assert/strict';
import { createHash, randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { httpMessageOf } from '../../../../services/extras/archive/http-message.ts';
import { openSharedBodies } from '../../../../services/extras/archive/shared-bodies.ts';
import { readWarc } from '../../../../services/extras/archive/warc-reader.ts';
import { digestOf } from '../../../../services/extras/archive/warc-record.ts';
import { createFaultStore } from '../../../../services/runtime/store/fault-store.ts';
import { createMemoryStore } from '../../../../services/runtime/store/memory-store.ts';
import type { StateStore } from '../../../../services/runtime/store/store.ts';
import { temporaryFolder } from '../../runtime/store/temporary-folder.ts';
import { archiverOn, response } from './responses.ts';

const names = Array.from({ length: 6 }, (_, n) => `00000000-0000-4000-8000-00000000000${n}`);
const bodyOf = (n: number) => Buffer.alloc(70_000, `body ${n % 5} `);
const count = 12;

/** Every other response has its body in a file. */
function received(n: number) {
  const one = response(n);
  const name = names[n / 2];
  if (name === undefined) return one;
  const bytes = bodyOf(n);
  const bodyDigest = createHash('sha1').update(bytes).digest('hex');
  const file = { bodyFile: name, bodyBytes: bytes.length, bodyDigest, body: Buffer.alloc(0) };
  return { ...one, value: { ...one.value, truncated: false, ...file } };
}

async function archiveOn(folder: string, store: StateStore, from: number): Promise<void> {
  const archiver = await archiverOn(folder, store);
  for (let at = from; at < count; at += 3) {
    const some = [at, at + 1, at + 2].filter((n) => n < count).map(received);
    const positions = [{ topic: 'c.responses', partition: 0, offset: at + some.length }];
    await archiver.handle(some, { positions, signal: new AbortController().signal });
  }
  await archiver.finish();
}

function newFolder(): string {
  const folder = temporaryFolder();
  mkdirSync(join(folder, 'bodies'));
  for (const [at, name] of names.entries()) writeFileSync(join(folder, 'bodies', name), bodyOf(at * 2));
  return folder;
}

function contents(folder: string): Map<string, string> {
  const files = readdirSync(folder).filter((name) => name !== 'bodies');
  return new Map(files.sort().map((name) => [name, readFileSync(join(folder, name), 'latin1')]));
}

describe('bodies in files', () => {
  it('bodies in files are archived once, and removed, whatever checkpoint write the archiver dies at', async () => {
    const whole = newFolder();
    const counting = createFaultStore(createMemoryStore());
    await archiveOn(whole, counting, 0);
    const expected = contents(whole);
    const seen: number[] = [];
    for (const name of expected.keys()) {
      if (!name.endsWith('.warc.gz')) continue;
      for await (const { type, fields, block } of readWarc(join(whole, name))) {
        if (type !== 'response') continue;
        const { body } = httpMessageOf(block)!;
        assert.equal(fields.get('warc-payload-digest'), digestOf(body));
        assert.equal(fields.get('warc-block-digest'), digestOf(block));
        if (body.length === 70_000) seen.push(70_000);
      }
    }
    // The sixth body is that of the first, and is a revisit.
    assert.equal(seen.length, 5);
    assert.deepEqual(readdirSync(join(whole, 'bodies')), []);
    for (let crashAt = 1; crashAt <= counting.writes(); crashAt++) {
      for (const when of ['before', 'after'] as const) {
        const folder = newFolder();
        const store = createMemoryStore();
        await assert.rejects(archiveOn(folder, createFaultStore(store, { crashAt, when }), 0), /planned crash/);
        const from = (await (await archiverOn(folder, store)).positions.load('c.responses', 0)) ?? 0;
        await archiveOn(folder, store, from);
        assert.deepEqual(contents(folder), expected, `write ${crashAt}, ${when}`);
        assert.deepEqual(readdirSync(join(folder, 'bodies')), []);
      }
    }
  });

  it('bodies in files are read only from their folder, and only whole', async () => {
    const folder = newFolder();
    const bodies = await openSharedBodies(join(folder, 'bodies'), createMemoryStore());
    writeFileSync(join(folder, 'secret'), 'x');
    const one = received(0).value;
    assert.equal(await bodies.pathOf(one), join(folder, 'bodies', names[0]!));
    assert.equal(await bodies.pathOf({ ...one, bodyBytes: 1 }), null);
    for (const bodyFile of ['../secret', join(folder, 'secret'), 'none', ''])
      assert.equal(await bodies.pathOf({ ...one, bodyFile, bodyBytes: 1 }), null);
    bodies.spend({ ...one, bodyFile: '../secret' });
    await bodies.removeSpent();
    assert.ok(existsSync(join(folder, 'secret')));
  });

  it('bodies in files leave no row behind once they are removed, also by a start after a kill', async () => {
    const folder = newFolder();
    const store = createMemoryStore();
    const rows = async () => {
      const found: string[] = [];
      for await (const [key] of store.scan({ gte: Buffer.from('B'), lt: Buffer.from('C') })) found.push(`${key}`);
      return found;
    };
    const record = (at: number) => ({ ...received(0).value, bodyFile: names[at]! });
    const bodies = await openSharedBodies(join(folder, 'bodies'), store);
    await store.write(bodies.spend(record(0)));
    assert.deepEqual(await rows(), [`B${names[0]}`]);
    await bodies.removeSpent();
    await store.write(bodies.spend(record(1)));
    assert.deepEqual(await rows(), [`B${names[1]}`], 'the first is gone for good');
    // The process is killed before it removes the second.
    const next = await openSharedBodies(join(folder, 'bodies'), store);
    assert.ok(!existsSync(join(folder, 'bodies', names[1]!)));
    await store.write(next.spend({ ...record(0), bodyFile: '' }));
    assert.deepEqual(await rows(), []);
  });

  it('bodies in files without a record are swept in time, and nothing else is', async () => {
    const folder = newFolder();
    const within = join(folder, 'bodies');
    const bodies = await openSharedBodies(within, createMemoryStore());
    const old = [names[0]!, `${randomUUID()}.part`];
    writeFileSync(join(within, old[1]!), 'x');
    writeFileSync(join(within, 'notes.txt'), 'x');
    for (const name of [...old, 'notes.txt']) utimesSync(join(within, name), 1_000, 1_000);
    await bodies.sweep(2_000_000);
    assert.deepEqual(readdirSync(within).sort(), [...names.slice(1), 'notes.txt'].sort());
  });
});
