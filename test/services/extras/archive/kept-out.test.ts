import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { purgeOf } from '../../../../lab/pages/records.ts';
import type { Response } from '../../../../schemas/types.ts';
import { readWarc } from '../../../../services/extras/archive/warc-reader.ts';
import type { Received } from '../../../../services/runtime/consumer/received.ts';
import { createMemoryStore } from '../../../../services/runtime/store/memory-store.ts';
import { temporaryFolder } from '../../runtime/store/temporary-folder.ts';
import { all, archiverOn, response } from './responses.ts';

const signal = new AbortController().signal;
const body = '00000000-0000-4000-8000-000000000000';

function of(n: number, more: Partial<Response>): Received<'responses'> {
  const one = response(n);
  return { ...one, value: { ...one.value, truncated: false, ...more } };
}

/** What an archive of these batches holds, by type and URL. */
async function archived(...batches: (readonly Received<'responses' | 'control'>[])[]) {
  const folder = temporaryFolder();
  mkdirSync(join(folder, 'bodies'));
  writeFileSync(join(folder, 'bodies', body), Buffer.alloc(400, 'x'));
  const store = createMemoryStore();
  const archiver = await archiverOn(folder, store);
  for (const batch of batches) await archiver.handle(batch, { positions: [], signal });
  if (batches.length > 0) await archiver.finish();
  const records: { type: string; url: string }[] = [];
  for (const name of await archiver.files()) {
    for await (const { type, fields } of readWarc(join(folder, `${name}.warc.gz`)))
      records.push({ type, url: fields.get('warc-target-uri') ?? '' });
  }
  const kinds = records.filter(({ type }) => type === 'response' || type === 'revisit').map(({ type }) => type);
  return { folder, store, archiver, records, kinds };
}

describe('an archive', () => {
  it('an archive holds nothing purged, also if the purge comes in the same batch', async () => {
    const purge = purgeOf('www.a1.test:8080', 5) as unknown as Received<'control'>;
    const { records } = await archived([response(0), response(1), purge]);
    assert.ok(records.some(({ url }) => url === response(0).value.url));
    assert.deepEqual(
      records.filter(({ url }) => url === response(1).value.url),
      [],
    );
  });

  it('an archive holds nothing that its site asked not to archive, from that time on', async () => {
    const { fetchedAtMs } = response(0).value;
    const asks = (noArchiveFromMs: number) => archived([response(1), of(0, { noArchiveFromMs })]);
    const urls = async (noArchiveFromMs: number) =>
      (await asks(noArchiveFromMs)).records.filter(({ url }) => url === response(0).value.url).length;
    assert.deepEqual([await urls(0), await urls(fetchedAtMs - 1), await urls(fetchedAtMs)], [0, 0, 0]);
    assert.ok((await urls(fetchedAtMs + 1)) > 0);
  });

  it('an archive points to no payload whose first body was lost', async () => {
    const bytes = Buffer.alloc(400, 'x');
    const bodyDigest = createHash('sha1').update(bytes).digest('hex');
    const file = { bodyBytes: bytes.length, bodyDigest, body: Buffer.alloc(0) };
    const lost = of(1, { ...file, bodyFile: '00000000-0000-4000-8000-0000000000ff' });
    const { kinds } = await archived([lost, of(2, { ...file, bodyFile: body })]);
    assert.deepEqual(kinds, ['response', 'response']);
  });

  it('an archive removes the file of a body once it holds the body', async () => {
    const bytes = Buffer.alloc(400, 'x');
    const bodyDigest = createHash('sha1').update(bytes).digest('hex');
    const one = of(1, { bodyFile: body, bodyBytes: 400, bodyDigest, body: Buffer.alloc(0) });
    const { folder, archiver } = await archived();
    await archiver.handle([one], { positions: [], signal });
    assert.equal(existsSync(join(folder, 'bodies', body)), false);
  });

  it('an archive points to payloads of a batch that filled a file once the batch is done', async () => {
    // So many that a file ends in their midst; the payload of the first comes again later.
    const { archiver, folder } = await archived(all.slice(0, 30));
    assert.ok((await archiver.files()).length > 1);
    const again = of(61, { body: all[1]!.value.body });
    const before = readdirSync(folder).length;
    await archiver.handle([again], { positions: [], signal });
    await archiver.finish();
    const name = (await archiver.files()).find((one) => one.endsWith('-61'))!;
    const types: string[] = [];
    for await (const { type } of readWarc(join(folder, `${name}.warc.gz`))) types.push(type);
    assert.ok(types.includes('revisit'), types.join());
    assert.ok(readdirSync(folder).length > before);
  });

  it('an archive points a 304 only to a whole 200 with a validator', async () => {
    const etag = ['content-type', 'text/html', 'etag', '"1"'];
    const url = 'http://www.a0.test:8080/asked';
    const host = { url, hostKey: 'www.a0.test:8080' };
    const unchanged = of(2, { ...host, status: 304, headers: ['etag', '"1"'], body: Buffer.alloc(0) });
    const first = (more: Partial<Response>) => of(1, { ...host, headers: etag, ...more });
    for (const [given, kind] of [
      [first({}), 'revisit'],
      [first({ truncated: true }), 'response'],
      [first({ headers: ['content-type', 'text/html'] }), 'response'],
      [first({ status: 404 }), 'response'],
    ] as const) {
      for (const batches of [[[given, unchanged]], [[given], [unchanged]]]) {
        const { kinds } = await archived(...batches);
        assert.deepEqual(kinds, ['response', kind], JSON.stringify(given.value.headers));
      }
    }
  });
});

it('the file of a body archived before a kill is removed at the next start', async () => {
  const { folder, store } = await archived([
    of(1, { bodyFile: body, bodyBytes: 400, bodyDigest: 'ab', body: Buffer.alloc(0) }),
  ]);
  // It was killed between the checkpoint and the removal.
  writeFileSync(join(folder, 'bodies', body), 'x');
  await archiverOn(folder, store);
  assert.equal(existsSync(join(folder, 'bodies', body)), false);
});
