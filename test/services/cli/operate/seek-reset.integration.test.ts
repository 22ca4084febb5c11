/** `crawlstream seek` and `crawlstream reset`, on the folder of a crawl that is done. */
import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { lastJson, runCommand, startCommand } from '../../../../lab/process/command.ts';
import { temporaryFolder } from '../../runtime/store/temporary-folder.ts';
import { startSmallWeb } from '../small-web.ts';

const web = await startSmallWeb({ preset: 'plain', hosts: 6, pagesPerHost: 6, seed: 2 });

describe('a finished crawl', { timeout: 600_000 }, () => {
  const data = join(temporaryFolder(), 'data');
  const crawl = (...more: string[]) => [...web.crawlArguments, '--data', data, '--json', '--delay', '0', ...more];
  const counts = async () => {
    const ended = await runCommand(crawl());
    assert.equal(ended.code, 0, ended.stderr);
    return lastJson(ended) as Record<string, number>;
  };

  it('a finished crawl refuses a reset while it runs, and reads its links again if asked', async () => {
    const running = startCommand(crawl('--delay', '8000ms'));
    while ([...web.web.requests()].length < 3) await new Promise((resolve) => setTimeout(resolve, 20));
    const refused = await runCommand(['reset', '--data', data, '--yes']);
    assert.equal(refused.code, 1);
    assert.match(refused.stderr, /is in use by another process \(process \d+\): stop that process/);
    running.child.kill('SIGKILL');
    await running.ended;
    const before = await counts();
    const sought = await runCommand(['seek', '--topic', 'discovered', '--to', 'earliest', '--data', data, '--json']);
    assert.equal(sought.code, 0, sought.stderr);
    const { seeks } = lastJson(sought) as unknown as { seeks: { from: number; to: number; control: number }[] };
    assert.ok(seeks.length === 1 && seeks[0]!.to === 0 && seeks[0]!.from > 0 && seeks[0]!.control > 0);
    const after = await counts();
    assert.deepEqual([after['admitted'], after['discovered']], [before['admitted'], 2 * before['discovered']!]);
    const verified = await runCommand(['state', 'verify', '--data', data]);
    assert.equal(verified.code, 0, verified.stdout);
  });

  it('a finished crawl is crawled again from its beginning after a reset, which is announced before it is done', async () => {
    web.web.reset();
    const dry = await runCommand(['reset', '--data', data]);
    assert.match(dry.stdout, /This would reset .*\n {2}partition 0: changelog of \d+ records and \d+ tasks removed/);
    assert.match(dry.stdout, /Nothing was done: add --yes/);
    assert.deepEqual(await readdir(join(data, 'state')), ['0']);
    const done = lastJson(await runCommand(['reset', '--data', data, '--yes', '--json']));
    assert.equal(done['dryRun'], false);
    assert.deepEqual(await readdir(join(data, 'state')), []);
    assert.equal((await counts())['pages'], 36);
    assert.equal(web.check({ delayMs: 0 }).missing.count, 0);
  });

  it('a finished crawl reports bad input in one line that names the option', async () => {
    const cases: [string[], RegExp][] = [
      [['--topic', 'control', '--to', 'earliest'], /--topic "control": .* discovered and results/],
      [['--topic', 'discovered', '--to', '7'], /--to "7": .* add --partition/],
      [['--topic', 'pages', '--to', 'latest', '--group', 'dedup'], /--group "dedup": .*--from-start/],
    ];
    for (const [args, says] of cases) {
      const { code, stderr } = await runCommand(['seek', ...args, '--data', data]);
      assert.equal(code, 2, stderr);
      assert.match(stderr, says);
      assert.equal(stderr.trimEnd().split('\n').length, 1, stderr);
    }
  });
});
