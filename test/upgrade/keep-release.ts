/**
 * Keeps what a release writes: `node --import tsx test/upgrade/keep-release.ts VERSION`, once it has its line in
 * releases.ts. What is kept is never made again: the next build could not show what that one wrote.
 */
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { storeNames } from '../../services/runtime/store/open-store.ts';
import {
  type Book,
  commandsOf,
  crawlOf,
  fileOf,
  pagesBefore,
  pagesOf,
  startKeptWeb,
  statsOf,
  tar,
  withFolder,
} from './kept-crawl.ts';
import { commandOf, releases } from './releases.ts';

const [version] = process.argv.slice(2);
const release = releases.find((one) => one.version === version);
if (release === undefined) throw new Error(`${version}: name one of ${releases.map((one) => one.version).join(', ')}`);
const script = await commandOf(release);
for (const store of storeNames) {
  if (existsSync(fileOf(release.version, store, 'json'))) continue;
  await withFolder(async (folder) => {
    const run = commandsOf(script, store);
    const data = join(folder, 'data');
    const web = await startKeptWeb();
    try {
      await run(...crawlOf(data), '--max-pages', `${pagesBefore}`);
    } finally {
      await web.close();
    }
    await run('state', 'snapshot', '--data', data, '--to', join(folder, 'snapshots'));
    await run('dump', join(folder, 'dump.jsonl.gz'), '--data', data);
    const book: Book = {
      version: release.version,
      store,
      pages: await pagesOf(run, data),
      stats: await statsOf(run, data),
      requests: web.requests().map(({ host, path }) => `${host} ${path}`),
    };
    await tar('-czf', fileOf(release.version, store, 'tar.gz'), '-C', folder, 'data', 'snapshots', 'dump.jsonl.gz');
    await writeFile(fileOf(release.version, store, 'json'), `${JSON.stringify(book, null, 2)}\n`);
    console.log(`kept ${release.version} with ${store}: ${book.pages.length} pages`);
  });
}
