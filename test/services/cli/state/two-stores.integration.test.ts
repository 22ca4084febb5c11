/** Both stores under the real command: a crawl killed on either ends well, and its state moves to the other by rebuilding. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { cp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { lastJson, runCommand, startCommand } from '../../../../lab/process/command.ts';
import type { StoreName } from '../../../../services/runtime/store/open-store.ts';
import { rocksdbLoads } from '../../../../services/runtime/store/rocksdb-binding.ts';
import { temporaryFolder } from '../../runtime/store/temporary-folder.ts';
import { assertFlawless, startSmallWeb } from '../small-web.ts';

interface Standing {
  readonly position: number;
  readonly digest: string;
  readonly urls: number;
}

const skip = rocksdbLoads() ? false : 'rocksdb has no binary for this machine';
const on = (store: StoreName) => ({ env: { ...process.env, CRAWLSTREAM_STORE: store } });
const storeIn = (folder: string) => readFileSync(join(folder, 'STORE'), 'utf8').trim();

async function stateOf(store: StoreName, ...args: readonly string[]): Promise<readonly Standing[]> {
  const ended = await runCommand(['state', ...args, '--json'], on(store));
  assert.equal(ended.code, 0, ended.stderr);
  const partitions = (lastJson(ended) as unknown as { readonly partitions: readonly Standing[] }).partitions;
  return partitions.map(({ position, digest, urls }) => ({ position, digest, urls }));
}

for (const [store, other] of [
  ['rocksdb', 'classic-level'],
  ['classic-level', 'rocksdb'],
] as const) {
  describe(`a crawl killed on ${store}`, { timeout: 600_000, skip }, () => {
    it(`a crawl killed on ${store} is rebuilt on ${other} with an equal digest, continues, and ends without a fault`, async () => {
      const web = await startSmallWeb({ preset: 'plain', hosts: 12, pagesPerHost: 20, seed: 5 });
      const data = join(temporaryFolder(), 'data');
      const crawl = (folder: string) => [
        ...web.crawlArguments,
        ...['--delay', '20ms', '--partitions', '2', '--retries', '0.1s,0.2s', '--data', folder, '--json'],
      ];
      const running = startCommand(crawl(data), on(store));
      for (let waitedMs = 0; [...web.web.requests()].length < 100; waitedMs += 20) {
        assert.ok(waitedMs < 60_000, `100 requests before the kill: ${running.output()}`);
        await sleep(20);
      }
      running.child.kill('SIGKILL');
      await running.ended;
      assert.equal(storeIn(join(data, 'log')), store);

      const into = join(temporaryFolder(), 'rebuilt');
      const rebuilt = await stateOf(other, 'rebuild', '--all', '--into', into, '--data', data);
      assert.equal(storeIn(join(into, 'state', '0')), other);
      assert.ok(rebuilt.every(({ urls }) => urls > 0));
      const again = join(temporaryFolder(), 'again');
      assert.deepEqual(await stateOf(store, 'rebuild', '--all', '--into', again, '--data', data), rebuilt);

      const refused = await runCommand(crawl(data), on(other));
      assert.equal(refused.code, 1);
      assert.match(refused.stderr, new RegExp(`${data}.* was written by ${store}.*CRAWLSTREAM_STORE is ${other}`));
      assert.equal(refused.stderr.trimEnd().split('\n').length, 1, refused.stderr);

      // The states rebuilt on the other store in the place of the killed crawl's; the log stays where it is.
      const moved = join(temporaryFolder(), 'moved');
      await cp(data, moved, { recursive: true });
      await rm(join(moved, 'state'), { recursive: true, force: true });
      await cp(join(into, 'state'), join(moved, 'state'), { recursive: true });
      const { CRAWLSTREAM_STORE: _, ...nobodyAsks } = process.env;
      const ended = await runCommand(crawl(moved), { env: nobodyAsks });
      assert.equal(ended.code, 0, ended.stderr);
      assert.equal(storeIn(join(moved, 'state', '0')), other);
      const report = web.check({ delayMs: 20, abortToleranceMs: 25 });
      assert.deepEqual([report.missing.count, report.shortGaps.count, report.robotsViolations.count], [0, 0, 0]);
      const verified = await runCommand(['state', 'verify', '--data', moved], { env: nobodyAsks });
      assert.equal(verified.code, 0, verified.stdout + verified.stderr);
    });
  });
}

it('a crawl killed on classic-level alone ends without a fault, and can be inspected while it runs', {
  timeout: 600_000,
}, async () => {
  const web = await startSmallWeb({ preset: 'plain', hosts: 12, pagesPerHost: 20, seed: 6 });
  const data = join(temporaryFolder(), 'data');
  const running = startCommand(
    [...web.crawlArguments, '--delay', '20ms', '--data', data, '--json'],
    on('classic-level'),
  );
  for (let waitedMs = 0; [...web.web.requests()].length < 60; waitedMs += 20) {
    assert.ok(waitedMs < 60_000, `60 requests: ${running.output()}`);
    await sleep(20);
  }
  const stats = await runCommand(['stats', '--data', data, '--json'], on('classic-level'));
  assert.equal(stats.code, 0, stats.stderr);
  const ended = await running.ended;
  assert.equal(ended.code, 0, ended.stderr);
  assertFlawless(web.check({ delayMs: 20 }));
});
