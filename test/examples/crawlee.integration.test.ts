/** The example for Crawlee, as its first lines say: beside Crawlee and the package as npm would publish it. */
import assert from 'node:assert/strict';
import { execFile, execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync } from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { startCommand } from '../../lab/process/command.ts';
import { crawleeModules } from '../clients/crawlee-run.ts';
import { listening, untilReady } from '../services/cli/listening.ts';
import { printedPages, startSmallWeb } from '../services/cli/small-web.ts';
import { temporaryFolder } from '../services/runtime/store/temporary-folder.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
crawleeModules();

test('the Crawlee example prints titles of a site, crawled through the frontier', async () => {
  const folder = temporaryFolder();
  const packed = execFileSync('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', folder], {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const [{ filename }] = JSON.parse(packed) as [{ filename: string }];
  const installed = join(folder, 'node_modules/crawlstream');
  mkdirSync(installed, { recursive: true });
  // Its queue for Crawlee has no dependencies.
  execFileSync('tar', ['-xzf', join(folder, filename), '-C', installed, '--strip-components=1']);
  symlinkSync(join(crawleeModules(), 'crawlee'), join(folder, 'node_modules/crawlee'));
  const example = join(folder, 'crawlee-titles.mjs');
  await copyFile(join(installed, 'examples/crawlee-titles.mjs'), example);

  const small = await startSmallWeb({ preset: 'plain', naming: 'addresses', hosts: 3, pagesPerHost: 8, domains: 1 });
  const data = join(folder, 'data');
  const flags = ['--clients', 'only', '--http', '0', '--data', data, '--contact', 'me@example.org'];
  const crawl = startCommand(['crawl', ...flags, '--allow-private', '--delay', '20ms', '--address-delay', '0']);
  const base = await listening(crawl);
  await untilReady(base);
  const env = { ...process.env, CRAWLSTREAM_URL: base };
  const { stdout } = await promisify(execFile)(process.execPath, [example, small.seeds[0]!], { cwd: folder, env });
  crawl.child.kill('SIGINT');
  await crawl.ended;
  const items = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { url: string; title: string });
  assert.deepEqual(items.map(({ url }) => url).sort(), await printedPages(data));
  assert.ok(items.length >= 8 && items.every(({ title }) => title !== ''), `${items.length} items`);
});
