/** A crawl that was begun on one storage engine goes on in a copy on the other. */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { lastJson, runCommand, startCommand } from '../../../../lab/process/command.ts';
import { rocksdbLoads } from '../../../../services/runtime/store/rocksdb-binding.ts';
import { temporaryFolder } from '../../runtime/store/temporary-folder.ts';
import { until } from '../../until.ts';
import { printedPages, startSmallWeb } from '../small-web.ts';

const skip = rocksdbLoads() ? false : 'rocksdb has no binary for this machine';
const kindsIn = (data: string) =>
  new Set(
    (readdirSync(data, { recursive: true }) as string[])
      .filter((name) => name.endsWith('STORE'))
      .map((name) => readFileSync(join(data, name), 'utf8').trim()),
  );
const digestsOf = async (data: string) => {
  const { partitions } = lastJson(await runCommand(['state', 'digest', '--data', data, '--json'])) as {
    readonly partitions: readonly { readonly digest: string; readonly position: number }[];
  };
  return partitions.map(({ digest, position }) => ({ digest, position }));
};

test('a stopped crawl is copied onto the other storage engine, with every topic and state, and goes on there and back', {
  skip,
}, async () => {
  const small = await startSmallWeb({ preset: 'plain', hosts: 4, pagesPerHost: 12, domains: 2 });
  const folder = temporaryFolder();
  const [first, second, third] = ['first', 'second', 'third'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  const env = { ...process.env, CRAWLSTREAM_STORE: 'rocksdb' };
  const flags = ['--delay', '0', '--partitions', '2', '--with', 'dedup,graph', '--max-pages', '20', '--data', first];
  const begun = await runCommand([...small.crawlArguments, ...flags], { env });
  assert.equal(begun.code, 0, begun.stderr);
  assert.deepEqual(kindsIn(first), new Set(['rocksdb']));

  const moved = lastJson(await runCommand(['state', 'move', '--data', first, '--into', second, '--json']));
  assert.ok((moved['stores'] as number) >= 5 && (moved['rows'] as number) > 100, JSON.stringify(moved));
  assert.deepEqual(kindsIn(second), new Set(['classic-level']));
  assert.deepEqual(await printedPages(second), await printedPages(first));
  assert.deepEqual(await digestsOf(second), await digestsOf(first));

  const ended = await runCommand(['crawl', '--data', second, '--max-pages', 'none'], { env: process.env });
  assert.equal(ended.code, 0, ended.stderr);
  const { missing, unexpected, duplicates } = small.check({ delayMs: 0 });
  assert.deepEqual([missing.count, unexpected.count, duplicates.count], [0, 0, 0], duplicates.details.join());

  const back = await runCommand(['state', 'move', '--data', second, '--into', third, '--store', 'rocksdb']);
  assert.equal(back.code, 0, back.stderr);
  assert.deepEqual(kindsIn(third), new Set(['rocksdb']));
  assert.deepEqual(await printedPages(third), await printedPages(second));
});

test('a folder is not copied while its crawl runs, into its own folder, or over anything', async () => {
  const small = await startSmallWeb({ preset: 'plain', hosts: 1, pagesPerHost: 40, domains: 1 });
  const folder = temporaryFolder();
  const data = join(folder, 'data');
  const running = startCommand([...small.crawlArguments, '--delay', '200ms', '--data', data]);
  after(() => running.child.kill('SIGKILL'));
  await until(() => small.web.requests().length > 3);
  const into = join(folder, 'into');
  const move = (to: string) => runCommand(['state', 'move', '--data', data, '--into', to]);
  const busy = await move(into);
  assert.deepEqual([busy.code, /is in use by another process/.test(busy.stderr)], [1, true], busy.stderr);
  assert.equal(existsSync(join(into, 'manifest.json')), false);
  running.child.kill('SIGKILL');
  await running.ended;
  mkdirSync(join(folder, 'full'));
  writeFileSync(join(folder, 'full', 'mine'), 'kept');
  for (const [to, said] of [
    [join(folder, 'full'), /full is not empty: choose a new folder/],
    [join(data, 'inner'), /is in the copied folder: choose another one/],
  ] as const) {
    const refused = await move(to);
    assert.deepEqual([refused.code !== 0, said.test(refused.stderr)], [true, true], refused.stderr);
  }
  assert.deepEqual(readdirSync(join(folder, 'full')), ['mine']);
});
