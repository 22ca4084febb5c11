/** Records that nobody can read, on topics of which nothing is decided: who only looks passes over them, and says so. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { lastJson, runCommand } from '../../../../lab/process/command.ts';
import { SystemClock } from '../../../../services/runtime/clock.ts';
import { openEmbeddedLog } from '../../../../services/runtime/log/embedded-log.ts';
import { openStateStore } from '../../../../services/runtime/store/open-store.ts';
import { temporaryFolder } from '../../runtime/store/temporary-folder.ts';
import { startSmallWeb } from '../small-web.ts';

/** The last one is of a schema that nobody knows: those who decide wait for it, so it stands on no input. */
const poison = [Buffer.from('no Avro at all'), Buffer.alloc(0), Buffer.from([0, 0, 0, 3, 99, 1, 2, 3])];

test('a poison record breaks neither dlq nor pages, stats or dump', { timeout: 600_000 }, async () => {
  const web = await startSmallWeb({ preset: 'plain', hosts: 3, pagesPerHost: 4, domains: 1 });
  const data = join(temporaryFolder(), 'data');
  const crawled = await runCommand([...web.crawlArguments, '--delay', '0', '--data', data, '--json']);
  assert.equal(crawled.code, 0, crawled.stderr);
  const { pages, admitted } = lastJson(crawled);

  const store = await openStateStore(join(data, 'log'));
  const log = await openEmbeddedLog(store, new SystemClock());
  for (const topic of ['pages', 'dead-letters', 'frontier-changelog', 'results', 'tasks']) {
    const some = topic === 'results' || topic === 'tasks' ? poison.slice(0, -1) : poison;
    await log.append(some.map((value) => ({ topic: `crawl.${topic}`, partition: 0, key: null, value })));
  }
  await log.close();
  await store.close();

  const run = async (...args: string[]) => {
    const ended = await runCommand([...args, '--data', data]);
    assert.equal(ended.code, 0, `${args.join(' ')}: ${ended.stderr}`);
    return ended;
  };
  const printed = await run('pages');
  assert.equal(printed.stdout.trim().split('\n').length, pages);
  // An empty one is a tombstone there.
  assert.equal(printed.stderr.match(/crawl\.pages\/0, offset \d+, was skipped: /g)?.length, poison.length - 1);
  const listed = await run('dlq', 'list', '--json');
  assert.equal(listed.stdout, '');
  assert.equal(listed.stderr.match(/crawl\.dead-letters\/0, offset \d+, was skipped: /g)?.length, poison.length);
  assert.deepEqual([lastJson(await run('stats', '--json'))['pages']], [pages]);
  await run('stats');
  await run('dump', join(temporaryFolder(), 'dump.jsonl'));
  await run('state', 'verify');

  const again = await runCommand([...web.crawlArguments, '--delay', '0', '--data', data, '--json']);
  assert.equal(again.code, 0, again.stderr);
  const after = lastJson(again);
  assert.deepEqual([after['pages'], after['admitted'], after['foreignRecords']], [pages, admitted, poison.length]);
});
