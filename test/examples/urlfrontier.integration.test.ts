/** The example for clients of URLFrontier's API, as its first lines say: beside grpc-js and the package's schemas. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdirSync, symlinkSync } from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { startServed } from '../../lab/urlfrontier/served.ts';
import { startSmallWeb } from '../services/cli/small-web.ts';
import { temporaryFolder } from '../services/runtime/store/temporary-folder.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const patienceMs = 300_000;

test('the URLFrontier client example prints titles of a site, crawled through this frontier', async () => {
  const folder = temporaryFolder();
  mkdirSync(join(folder, 'node_modules/crawlstream'), { recursive: true });
  symlinkSync(join(root, 'schemas'), join(folder, 'node_modules/crawlstream/schemas'));
  symlinkSync(join(root, 'node_modules/@grpc'), join(folder, 'node_modules/@grpc'));
  const example = join(folder, 'urlfrontier-titles.mjs');
  await copyFile(join(root, 'examples/urlfrontier-titles.mjs'), example);
  const small = await startSmallWeb({ preset: 'plain', naming: 'addresses', hosts: 1, pagesPerHost: 6, domains: 1 });
  const served = await startServed(join(folder, 'data'));
  try {
    const env = { ...process.env, URLFRONTIER_ADDRESS: `127.0.0.1:${served.port}` };
    const { stdout } = await promisify(execFile)(process.execPath, [example, small.seeds[0]!], {
      cwd: folder,
      env,
      timeout: patienceMs,
    });
    const items = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { url: string; title: string });
    assert.ok(items.length >= 4 && items.every(({ title }) => title !== ''), stdout);
    const fetched = small.web.requests().map(({ path }) => path);
    assert.deepEqual(
      items.map(({ url }) => url.slice(new URL(url).origin.length)).sort(),
      [...fetched].sort(),
      'each once',
    );
    // A queue gives a second after it last gave; the first request of the client may have been late.
    const times = small.web.requests().map(({ startMs }) => startMs);
    const tookMs = Math.max(...times) - Math.min(...times);
    assert.ok(tookMs > 500 * (times.length - 1), `${times.length} requests within ${tookMs} ms`);
  } finally {
    await served.stop();
  }
});
