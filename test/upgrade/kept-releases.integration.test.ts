/** What every release wrote is read in full by today's build: folders, changelogs, states, topics, snapshots and dumps. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { type StoreName, storeNames } from '../../services/runtime/store/open-store.ts';
import {
  type Book,
  commandsOf,
  crawlOf,
  expected,
  fileOf,
  keptPlan,
  keptPort,
  pagesOf,
  startKeptWeb,
  statsOf,
  tar,
  withFolder,
} from './kept-crawl.ts';
import { releases } from './releases.ts';

describe('data of a release', { timeout: 600_000 }, () => {
  for (const { version } of releases) {
    for (const store of storeNames) {
      const book = JSON.parse(readFileSync(fileOf(version, store, 'json'), 'utf8')) as Book;
      const kept = <T>(act: (folder: string) => Promise<T>) =>
        withFolder(async (folder) => {
          await tar('-xzf', fileOf(version, store, 'tar.gz'), '-C', folder);
          return act(folder);
        });

      it(`${version}, ${store}: its pages and counts read as they did, and its states equal its changelogs’`, () =>
        kept(async (folder) => {
          const run = commandsOf(undefined, store);
          const data = join(folder, 'data');
          assert.deepEqual(await pagesOf(run, data), book.pages);
          assertSameCounts(await statsOf(run, data), book);
          await run('state', 'verify', '--data', data);
          await run('state', 'verify', '--data', data, '--snapshots', join(folder, 'snapshots'));
          await run('state', 'snapshots', '--data', data, '--to', join(folder, 'snapshots'), '--verify');
          await run('state', 'rebuild', '--data', data, '--all', '--into', join(folder, 'rebuilt'));
        }));

      it(`${version}, ${store}: its crawl continues to its end, and refetches nothing`, () =>
        kept((folder) => goesOn(join(folder, 'data'), store, book)));

      it(`${version}, ${store}: its dump loads completely`, () =>
        kept(async (folder) => {
          const run = commandsOf(undefined, store);
          const data = join(folder, 'loaded');
          await run('load', join(folder, 'dump.jsonl.gz'), '--data', data);
          const { queued, hosts } = await statsOf(run, data);
          assert.deepEqual({ queued, hosts }, { queued: book.stats['queued'], hosts: book.stats['hosts'] });
        }));
    }
  }
});

async function goesOn(data: string, store: StoreName, book: Book): Promise<void> {
  const run = commandsOf(undefined, store);
  const web = await startKeptWeb();
  try {
    await run(...crawlOf(data), '--max-pages', 'none');
  } finally {
    await web.close();
  }
  assert.deepEqual(await pagesOf(run, data), [...expected.fetch].sort());
  const before = new Set(book.pages);
  const fetched = web.requests().filter(({ status }) => status === 200);
  const urls = fetched.map(({ host, path }) => keptPlan.url(host, path, keptPort));
  assert.deepEqual(
    urls.filter((url) => before.has(url)),
    [],
  );
}

/** Of every count that the release knew. */
function assertSameCounts(now: Readonly<Record<string, unknown>>, { stats }: Book): void {
  const counts = Object.entries(stats).filter(([, value]) => typeof value === 'number');
  assert.ok(counts.length > 20);
  assert.deepEqual(Object.fromEntries(counts.map(([name]) => [name, now[name]])), Object.fromEntries(counts));
}
