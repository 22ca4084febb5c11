/** `crawl --brokers` run again without its options keeps them, as a crawl in a data folder does. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { TestBroker } from '../../lab/kafka/broker.ts';
import { startBroker } from '../../lab/kafka/broker.ts';
import { skipReason } from '../../lab/kafka/components.ts';
import { lastJson, runCommand } from '../../lab/process/command.ts';
import { startSmallWeb } from '../services/cli/small-web.ts';
import { temporaryFolder } from '../services/runtime/store/temporary-folder.ts';

const skip = (await skipReason()) ?? false;
let broker: TestBroker | undefined;

before(async () => {
  if (skip === false) broker = await startBroker();
});
after(() => broker?.stop());

test('a crawl on Kafka that is resumed without its options keeps its policy and those of its process', {
  skip,
}, async () => {
  const small = await startSmallWeb({ hosts: 1, pagesPerHost: 12, domains: 1 });
  const cwd = temporaryFolder();
  const place = ['--brokers', broker!.brokers, '--crawl', `remembered-${process.pid}`, '--partitions', '1'];
  const run = (...words: string[]) => runCommand(words, { cwd, patienceMs: 180_000 });
  const first = await run(...small.crawlArguments, ...place, '--delay', '7ms', '--max-pages', '4', '--json');
  assert.equal(first.code, 0, first.stderr);
  assert.equal(lastJson(first)['pages'], 4);
  const kept = JSON.parse(await readFile(join(cwd, 'crawl-data', place[3]!, 'crawl.json'), 'utf8')) as {
    readonly options: Readonly<Record<string, unknown>>;
  };
  assert.ok('resolve' in kept.options || 'allowPrivate' in kept.options, JSON.stringify(kept));
  assert.ok(!('brokers' in kept.options) && !('delay' in kept.options), 'where it is, and its policy, are elsewhere');
  const second = await run('crawl', ...place, '--max-pages', '9', '--json');
  assert.equal(second.code, 0, second.stderr);
  assert.match(second.stderr, /options from the last run: .*--(resolve|allow-private)/);
  assert.equal(lastJson(second)['pages'], 9, 'its addresses are reached as before');
  const policy = await run('policy', 'show', ...place.slice(0, 4), '--json');
  assert.match(policy.stdout, /"delayMs":7\b/, policy.stderr);
  const third = await run('crawl', ...place, '--new-options', '--max-pages', '10', '--json');
  assert.doesNotMatch(third.stderr, /options from the last run/);
});
