/** The archive as a part of a crawl: what its options, its positions and its place in the crawl decide. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { Response } from '../../../../schemas/types.ts';
import type { ProcessorContext } from '../../../../services/application/processor/processor.ts';
import { archive } from '../../../../services/extras/archive/archive.ts';
import { openArchiver } from '../../../../services/extras/archive/archiver.ts';
import { createMemoryRegistry } from '../../../../services/runtime/avro/memory-registry.ts';
import { openCodec } from '../../../../services/runtime/avro/record-codec.ts';
import { SystemClock } from '../../../../services/runtime/clock.ts';
import { openEmbeddedLog } from '../../../../services/runtime/log/embedded-log.ts';
import { createService } from '../../../../services/runtime/metrics/service.ts';
import { createMemoryStore } from '../../../../services/runtime/store/memory-store.ts';
import { temporaryFolder } from '../../runtime/store/temporary-folder.ts';
import { response } from './responses.ts';

const whole = { status: 200, truncated: false };

async function crawl(t: TestContext) {
  const clock = new SystemClock();
  const log = await openEmbeddedLog(createMemoryStore(), clock);
  t.after(() => log.close());
  const names = ['responses', 'control', 'dead-letters'];
  await log.createTopics(names.map((name) => ({ name: `c.${name}`, partitions: 1, retention: 'time' as const })));
  const codec = await openCodec(createMemoryRegistry(), 'c');
  const folder = temporaryFolder();
  const context = (more: Partial<ProcessorContext> = {}): ProcessorContext =>
    ({
      ...{ log, codec, clock, part: (name: string) => join(folder, name), shared: false, fromStart: false },
      ...{ manifest: { crawl: 'c', partitions: 1, keyMode: 'host' }, service: createService('archive'), say: () => {} },
      ...more,
    }) as unknown as ProcessorContext;
  const append = (...responses: readonly Partial<Response>[]) =>
    log.append(
      responses.map((one, n) => ({
        ...{ topic: 'c.responses', partition: 0, key: null },
        value: codec.encode('responses', { ...response(n).value, requestBody: Buffer.alloc(0), ...whole, ...one }),
      })),
    );
  /** Starts the archive, lets it handle everything, and stops it. */
  const run = async (options: Readonly<Record<string, unknown>> = {}, more: Partial<ProcessorContext> = {}) => {
    const running = await archive.start(context(more), options as never);
    await running.drain();
    await running.stop();
  };
  const warcs = () => readdirSync(join(folder, 'archive')).filter((name) => name.endsWith('.warc.gz'));
  return { log, folder, append, run, warcs };
}

test('an archive writes what was published before, in files of the size that it was given', async (t) => {
  const { append, run, warcs } = await crawl(t);
  await append(...Array.from({ length: 3 }, () => ({ body: randomBytes(700_000) })));
  await run({ archiveFileMb: 1 });
  assert.equal(warcs().length, 2);
});

test('an archive goes on where its own state ends, although its group does not say so', async (t) => {
  const { log, append, run, warcs } = await crawl(t);
  await append({ body: Buffer.from('one') });
  await run();
  await log.commit('c.archive', [{ topic: 'c.responses', partition: 0, offset: 0 }]);
  await append({ body: Buffer.from('two') });
  for (const shared of [false, true]) await run({}, { shared });
  assert.deepEqual(
    warcs().map((name) => name.replace(/^c-\d{14}-/, '')),
    ['0-0.warc.gz', '0-1.warc.gz'],
  );
});

test('an archive on brokers goes on where the group ends, if another archive was further', async (t) => {
  for (const [shared, files] of [
    [true, ['0-1.warc.gz']],
    [false, ['0-0.warc.gz']],
  ] as const) {
    const { log, append, run, warcs } = await crawl(t);
    await append({ body: Buffer.from('one') }, { body: Buffer.from('two') });
    await log.commit('c.archive', [{ topic: 'c.responses', partition: 0, offset: 1 }]);
    await run({}, { shared });
    assert.deepEqual(
      warcs().map((name) => name.replace(/^c-\d{14}-/, '')),
      files,
      `${shared}`,
    );
  }
});

test('a body that no record names is removed after an hour, or once its topic would have lost its record', async (t) => {
  const hour = 3_600_000;
  const name = (n: number) => `${n}`.padStart(36, '0');
  for (const [shared, ages] of [
    [false, [hour - 60_000, hour + 60_000]],
    [true, [24 * hour, 8 * 24 * hour]],
  ] as const) {
    const { folder, run } = await crawl(t);
    const bodies = join(folder, 'bodies');
    mkdirSync(bodies);
    for (const [n, ageMs] of ages.entries()) {
      writeFileSync(join(bodies, name(n)), 'x');
      const at = (Date.now() - ageMs) / 1_000;
      utimesSync(join(bodies, name(n)), at, at);
    }
    await run({}, { shared });
    assert.deepEqual(readdirSync(bodies), [name(0)], `${shared}`);
  }
});

test('an archive with credentials that are missing begins nothing', async (t) => {
  const { folder, run } = await crawl(t);
  const before = process.env['AWS_ACCESS_KEY_ID'];
  delete process.env['AWS_ACCESS_KEY_ID'];
  try {
    await assert.rejects(run({ archiveTo: 'no place' }), { code: 'INVALID_ARGUMENT' });
  } finally {
    if (before !== undefined) process.env['AWS_ACCESS_KEY_ID'] = before;
  }
  assert.equal(existsSync(join(folder, 'archive')), false);
});

test('an archive with an index that cannot be read releases its state', async (t) => {
  const { append, run, warcs, folder } = await crawl(t);
  await append({ body: Buffer.from('one') });
  await assert.rejects(run({ archiveKnown: [join(folder, 'none.cdxj')] }), { code: 'INVALID_ARGUMENT' });
  await run();
  assert.equal(warcs().length, 1);
});

test('a file is whole once it has the size at which it is to be closed, to the byte', async () => {
  const sizeOf = async (fileBytesMax: number) => {
    const folder = temporaryFolder();
    const finished: string[] = [];
    const archiver = await openArchiver({
      ...{ folder, bodies: join(folder, 'bodies'), orphanMs: 0, store: createMemoryStore(), crawl: 'c', version: '0' },
      ...{ fileBytesMax, onFile: (name: string) => finished.push(name) },
    });
    await archiver.handle([response(1)], { positions: [], signal: new AbortController().signal });
    const [open] = readdirSync(folder).filter((name) => /\.warc\.gz/.test(name));
    return { bytes: statSync(join(folder, open!)).size, finished };
  };
  const { bytes, finished } = await sizeOf(2 ** 30);
  assert.deepEqual(finished, []);
  assert.equal((await sizeOf(bytes)).finished.length, 1);
  assert.equal((await sizeOf(bytes + 1)).finished.length, 0);
});
