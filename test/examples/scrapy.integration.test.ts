/** The example for Scrapy, as its first lines say: installed by pip, run by scrapy's own command. */
import assert from 'node:assert/strict';
import { execFile, execFileSync } from 'node:child_process';
import { cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { startCommand } from '../../lab/process/command.ts';
import { clientsFolder, scrapyPython } from '../clients/scrapy-run.ts';
import { listening, untilReady } from '../services/cli/listening.ts';
import { printedPages, startSmallWeb } from '../services/cli/small-web.ts';
import { temporaryFolder } from '../services/runtime/store/temporary-folder.ts';

const example = fileURLToPath(new URL('../../examples/scrapy-titles.py', import.meta.url));
const python = scrapyPython();

test('the Scrapy example prints titles of a site, crawled through the frontier', async () => {
  const folder = temporaryFolder();
  // pip writes beside what it builds.
  cpSync(clientsFolder, join(folder, 'client'), { recursive: true });
  const pip = ['-m', 'pip', 'install', '--quiet', '--no-deps', '--target', join(folder, 'installed')];
  execFileSync(python, [...pip, join(folder, 'client')], { stdio: ['ignore', 'ignore', 'pipe'] });
  const small = await startSmallWeb({ preset: 'plain', naming: 'addresses', hosts: 3, pagesPerHost: 8, domains: 1 });
  const data = join(folder, 'data');
  const flags = ['--clients', 'only', '--http', '0', '--data', data, '--contact', 'me@example.org'];
  const crawl = startCommand(['crawl', ...flags, '--allow-private', '--delay', '20ms', '--address-delay', '0']);
  const base = await listening(crawl);
  await untilReady(base);
  const titles = join(folder, 'titles.jsonl');
  const run = ['-m', 'scrapy', 'runspider', example, '-a', `site=${small.seeds[0]}`, '-o', titles];
  const env = { ...process.env, PYTHONPATH: join(folder, 'installed'), CRAWLSTREAM_URL: base };
  await new Promise<void>((resolve, reject) =>
    execFile(python, run, { env }, (error, _, stderr) => (error === null ? resolve() : reject(new Error(stderr)))),
  );
  crawl.child.kill('SIGINT');
  await crawl.ended;
  const items = readFileSync(titles, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { url: string; title: string });
  assert.deepEqual(items.map(({ url }) => url).sort(), await printedPages(data));
  assert.ok(items.length >= 8 && items.every(({ title }) => title !== null), `${items.length} items`);
});
