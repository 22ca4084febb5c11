/** Archives on Kafka that put their files into an object store, with their machines gone: what was purged leaves the store all the same. */
import assert from 'node:assert/strict';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { startBroker } from '../../lab/kafka/broker.ts';
import { skipReason } from '../../lab/kafka/components.ts';
import { lastJson, runCommand } from '../../lab/process/command.ts';
import { openS3Objects } from '../../services/runtime/objects/s3-objects.ts';
import { s3SkipReason, startS3 } from '../s3/server.ts';
import { serveSite } from '../services/fetcher/loopback.ts';
import { temporaryFolder } from '../services/runtime/store/temporary-folder.ts';

test('a purged page leaves an archive in an object store whose machine is gone', {
  skip: (await skipReason()) ?? (await s3SkipReason()) ?? false,
  timeout: 600_000,
}, async (t) => {
  const [broker, s3] = await Promise.all([startBroker(), startS3()]);
  t.after(() => Promise.all([broker.stop(), s3.stop()]));
  Object.assign(process.env, s3.env);
  const place = `s3://${await s3.bucket()}/archives`;
  const site = await serveSite(t, ({ url = '/' }, response) => {
    if (url === '/robots.txt') return response.writeHead(404).end();
    const links = url === '/' ? [1, 2, 3, 4].map((n) => `<a href="/p/${n}">${n}</a>`).join('') : '';
    return response.setHeader('content-type', 'text/html').end(`<title>${url}</title>${links}<p>of ${url}`);
  });
  const at = (path: string) => `http://127.0.0.1:${site.port}${path}`;
  const on = ['--brokers', broker.brokers, '--crawl', 'one'];
  const folder = join(temporaryFolder(), 'one');
  const archiving = ['--with', 'archive', '--archive-to', place, '--data', folder];
  const ended = await runCommand([
    'crawl',
    at('/'),
    ...on,
    '--partitions',
    '2',
    '--allow-private',
    '--delay',
    '0',
    ...archiving,
  ]);
  assert.equal(ended.code, 0, ended.stderr);
  const objects = await openS3Objects(place);
  t.after(() => objects.close());
  const urls = async () => {
    const found: string[] = [];
    for (const name of (await objects.list('')).filter((one) => one.endsWith('.warc.gz')))
      for (const [, url = ''] of gunzipSync((await objects.get(name))!)
        .toString('latin1')
        .matchAll(/^WARC-Target-URI: (.*)\r$/gm))
        found.push(url);
    return found.sort();
  };
  const before = await urls();
  assert.ok(before.includes(at('/p/2')));
  await rm(folder, { recursive: true });
  const purged = await runCommand(['purge', at('/p/2'), ...on, '--force']);
  assert.equal(purged.code, 0, purged.stderr);
  const receipt = ['--json', '--receipt', join(temporaryFolder(), 'one.jws'), '--receipt-key', 'env:RECEIPT_KEY'];
  process.env['RECEIPT_KEY'] = key;
  const reported = async (...words: string[]) => {
    const done = await runCommand(['forget', ...on, ...receipt, ...words]);
    assert.equal(done.code, 0, done.stderr);
    return lastJson(done) as unknown as Report;
  };
  // Who does not say where the files are is told that they were not reached.
  assert.ok((await reported()).notReached.some((one) => /object stores/.test(one.place)));
  assert.deepEqual(await urls(), before);
  const { places, notReached } = await reported('--archive-to', place);
  assert.deepEqual(
    await urls(),
    before.filter((url) => url !== at('/p/2')),
  );
  assert.equal(places.find((one) => one.place === `archive ${objects.place}`)?.left, 0);
  assert.ok(!notReached.some((one) => /object stores/.test(one.place)));
});

interface Report {
  readonly places: readonly { readonly place: string; readonly left: number }[];
  readonly notReached: readonly { readonly place: string }[];
}

/** The example of RFC 8410 §10.3. */
const key = `-----BEGIN PRIVATE KEY-----
MC4CAQAwBQYDK2VwBCIEIJ1hsZ3v/VpguoRK9JLsLMREScVpezJpGXA7rAMcrn9g
-----END PRIVATE KEY-----
`;
