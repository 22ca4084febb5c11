/** An archive whose files are in an object store, and an archive of another crawl beside it: what was purged leaves the one, and the other stays. */
import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { lastJson, runCommand } from '../../../../lab/process/command.ts';
import { openS3Objects } from '../../../../services/runtime/objects/s3-objects.ts';
import { s3SkipReason, startS3 } from '../../../s3/server.ts';
import { serveSite } from '../../fetcher/loopback.ts';
import { temporaryFolder } from '../../runtime/store/temporary-folder.ts';

test('a purged page leaves an archive in an object store, and nothing else does', {
  skip: (await s3SkipReason()) ?? false,
  timeout: 600_000,
}, async (t) => {
  const s3 = await startS3();
  t.after(() => s3.stop());
  Object.assign(process.env, s3.env);
  const place = `s3://${await s3.bucket()}/archives`;
  const site = await serveSite(t, ({ url = '/' }, response) => {
    if (url === '/robots.txt') return response.writeHead(404).end();
    const links = url === '/' ? Array.from({ length: 20 }, (_, n) => `<a href="/p/${n}">${n}</a>`).join('') : '';
    const words = Array.from({ length: 60 }, (_, n) => `word${(url.length * 7 + n * n) % 97}${url}`).join(' ');
    return response.setHeader('content-type', 'text/html').end(`<title>${url}</title>${links}<p>${words}`);
  });
  const at = (path: string) => `http://127.0.0.1:${site.port}${path}`;
  const crawl = async (name: string) => {
    const data = join(temporaryFolder(), name);
    const flags = ['--allow-private', '--delay', '0', '--crawl', name, '--with', 'archive', '--archive-to', place];
    const ended = await runCommand(['crawl', at('/'), '--data', data, ...flags]);
    assert.equal(ended.code, 0, ended.stderr);
    return data;
  };
  const objects = await openS3Objects(place);
  t.after(() => objects.close());
  const records = async () => {
    const found = new Map<string, string>();
    for (const name of (await objects.list('')).filter((one) => one.endsWith('.warc.gz')))
      for (const record of gunzipSync((await objects.get(name))!)
        .toString('latin1')
        .split('WARC/1.1\r\n')
        .slice(1))
        found.set(`${name} ${/^WARC-Record-ID: (.*)\r$/m.exec(record)![1]!}`, record);
    return found;
  };
  const [data] = [await crawl('one'), await crawl('other')];
  const before = await records();
  const purged = await runCommand(['purge', at('/p/7'), '--data', data]);
  assert.equal(purged.code, 0, purged.stderr);
  const done = await runCommand(['forget', '--data', data, '--json']);
  assert.equal(done.code, 0, done.stderr);
  const left = [...before].filter(
    ([key, text]) => !(key.startsWith('one-') && text.includes(`WARC-Target-URI: ${at('/p/7')}\r\n`)),
  );
  assert.ok(left.length < before.size);
  assert.deepEqual([...(await records())].sort(), left.sort());
  const indexes = (await objects.list('')).filter((one) => one.startsWith('one-') && one.endsWith('.cdxj'));
  for (const name of indexes) assert.ok(!(await objects.get(name))!.toString().includes('/p/7"'), name);
  const { places } = lastJson(done) as unknown as { places: { place: string; removed?: number; left: number }[] };
  const archive = places.find((one) => one.place === `archive ${objects.place}`)!;
  assert.deepEqual([archive.removed, archive.left], [before.size - left.length, 0]);
  const here = await readdir(join(data, 'archive'));
  assert.deepEqual(
    here.filter((name) => /\.(warc\.gz|cdxj)$/.test(name)),
    [],
  );
});
