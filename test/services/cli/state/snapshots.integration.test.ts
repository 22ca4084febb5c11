/** Snapshots of a crawl in one process: beside it, on a schedule, and what they are good for when its state is lost. */
import assert from 'node:assert/strict';
import { cp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { lastJson, runCommand, startCommand } from '../../../../lab/process/command.ts';
import { temporaryFolder } from '../../runtime/store/temporary-folder.ts';
import { startSmallWeb } from '../small-web.ts';

interface Listed {
  readonly partition: number;
  readonly snapshot: string;
  readonly position: number;
  readonly digest: string;
  readonly damage: string | null;
}

const state = async (...args: string[]) => lastJson(await runCommand(['state', ...args, '--json']));
const listed = async (data: string, ...more: string[]) =>
  (await state('snapshots', '--data', data, ...more))['snapshots'] as Listed[];

const web = await startSmallWeb({
  ...{ preset: 'full', hosts: 8, pagesPerHost: 8, seed: 5, crawlDelayMs: 60, slowMs: 40 },
});

describe('snapshots of a crawl', { timeout: 600_000 }, () => {
  const data = join(temporaryFolder(), 'data');
  const crawl = (folder: string, ...more: string[]) => [
    ...web.crawlArguments,
    ...['--delay', '40ms', '--partitions', '2', '--retries', '0.1s,0.2s', '--data', folder, '--json', ...more],
  ];
  const scheduled = ['--snapshot-every', '1s', '--snapshots-kept', '2'];

  it('snapshots of a crawl are taken while it runs, and restore a partition whose folder was lost with the process', async () => {
    const running = startCommand(crawl(data, ...scheduled));
    // Taken by hand as well, beside the schedule.
    while ([...web.web.requests()].length < 25) await new Promise((resolve) => setTimeout(resolve, 20));
    const byHand = (await state('snapshot', '--data', data))['partitions'] as (Listed & { taken: boolean })[];
    assert.ok(byHand.every(({ taken, position }) => taken && position > 0));
    running.child.kill('SIGKILL');
    await running.ended;
    const there = await listed(data, '--verify');
    assert.deepEqual([...new Set(there.map(({ partition }) => partition))], [0, 1]);
    assert.ok(there.every(({ damage }) => damage === null));
    await rm(join(data, 'state', '0'), { recursive: true });
    const ended = await runCommand(crawl(data, ...scheduled));
    assert.equal(ended.code, 0, ended.stderr);
    assert.match(ended.stderr, /partition 0 restored from snapshot crawl\/00000\/\d+-/);
    const report = web.check({ delayMs: 40, abortToleranceMs: 25 });
    assert.deepEqual([report.missing.count, report.shortGaps.count, report.robotsViolations.count], [0, 0, 0]);
    const verified = await state('verify', '--data', data);
    assert.equal(verified['equal'], true, JSON.stringify(verified));
  });

  it('snapshots of a crawl and the changelog’s tail rebuild the owner’s state', async () => {
    await state('snapshot', '--data', data, '--keep', '2');
    const kept = (await state('digest', '--data', data))['partitions'] as Listed[];
    const newest = await listed(data);
    for (const { partition, digest, position } of kept) {
      const one = newest.find((snapshot) => snapshot.partition === partition);
      assert.deepEqual([one?.digest, one?.position], [digest, position]);
    }
    const into = join(temporaryFolder(), 'rebuilt');
    const from = join(data, 'snapshots');
    const rebuilt = await state('rebuild', '--all', '--into', into, '--data', data, '--snapshots', from);
    const digests = (rebuilt['partitions'] as Listed[]).map(({ digest }) => digest);
    assert.deepEqual(
      digests,
      kept.map(({ digest }) => digest),
    );
    assert.equal((await state('verify', '--data', data, '--snapshots', from))['equal'], true);
    const again = (await state('snapshot', '--data', data))['partitions'] as { taken: boolean }[];
    assert.ok(
      again.every(({ taken }) => !taken),
      'nothing has changed since',
    );
  });

  it('snapshots of a crawl that are damaged are refused by name, and the previous one is used', async () => {
    const other = join(temporaryFolder(), 'data');
    await cp(data, other, { recursive: true });
    const [newest, before] = (await listed(other)).filter(({ partition }) => partition === 1);
    await writeFile(join(other, 'snapshots', newest!.snapshot, 'rows-0.gz'), 'not what it was');
    const checked = await runCommand(['state', 'snapshots', '--data', other, '--verify']);
    assert.equal(checked.code, 1);
    assert.match(checked.stdout, new RegExp(`snapshot ${newest!.snapshot} is damaged: rows-0.gz has 15 bytes`));
    await rm(join(other, 'state', '1'), { recursive: true });
    const ended = await runCommand(crawl(other));
    assert.equal(ended.code, 0, ended.stderr);
    assert.match(ended.stderr, new RegExp(`${newest!.snapshot} is damaged: .*: trying an earlier one`));
    assert.match(ended.stderr, new RegExp(`partition 1 restored from snapshot ${before!.snapshot}`));
    assert.equal((await state('verify', '--data', other))['equal'], true);
  });

  it('snapshots of a crawl: bad input is one line that names the option', async () => {
    const cases: [string[], RegExp][] = [
      [['state', 'snapshot', '--data', data, '--trim'], /--trim works only on Kafka/],
      [['state', 'snapshot', '--data', data, '--partition', '0,7'], /--partition 7.*0 to 1/],
      [['state', 'snapshot', '--data', data, '--to', 's3:/bucket'], /s3:\/bucket: write s3:\/\/bucket/],
      [
        ['crawl', '--snapshot-every', '0.2s', 'http://a.test/'],
        /--snapshot-every "0.2s": give a number and ms, s, m, h or d, as in 36h, at least 1s/,
      ],
    ];
    for (const [args, says] of cases) {
      const { code, stderr } = await runCommand(args);
      assert.equal(code, 2, stderr);
      assert.match(stderr, says);
      assert.equal(stderr.trimEnd().split('\n').length, 1, stderr);
    }
  });
});
