/**
 * Snapshots in a real S3 server of a crawl on a real Kafka: taken on a schedule, topics trimmed below the oldest kept, a
 * partition restored from one equal to its owner, the newest damaged, and the crawl gone on with after kill -9.
 */
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { startBroker, type TestBroker } from '../../lab/kafka/broker.ts';
import { skipReason } from '../../lab/kafka/components.ts';
import { lastJson, type Running, runCommand, startCommand } from '../../lab/process/command.ts';
import { openKafkaLog } from '../../services/runtime/log/kafka/kafka-log.ts';
import { s3SkipReason, startS3, type TestS3 } from '../s3/server.ts';
import { assertFlawless, startSmallWeb } from '../services/cli/small-web.ts';

const skip = (await skipReason()) ?? (await s3SkipReason()) ?? false;

interface Snapshot {
  readonly partition: number;
  readonly snapshot: string;
  readonly position: number;
  readonly digest: string;
}

describe('snapshots in S3 of a crawl on Kafka', { skip, timeout: 600_000 }, () => {
  let broker: TestBroker;
  let s3: TestS3;
  let folder: string;
  let bucket: string;
  const children = new Set<Running>();
  const start = (args: readonly string[]) => {
    const running = startCommand(args, { patienceMs: 500_000 });
    children.add(running);
    running.ended.then(() => children.delete(running));
    return running;
  };

  before(async () => {
    [broker, s3] = await Promise.all([startBroker({ own: true }), startS3()]);
    folder = await mkdtemp(join(tmpdir(), 'crawlstream-snapshots-'));
    bucket = await s3.bucket();
    Object.assign(process.env, s3.env);
  });
  after(async () => {
    for (const { child } of children) child.kill('SIGKILL');
    await Promise.all([broker?.stop(), s3?.stop()]);
    if (folder !== undefined) await rm(folder, { recursive: true, force: true });
  });

  const at = () => ['--brokers', broker.brokers, '--crawl', 'kept'];
  const to = () => ['--to', `s3://${bucket}/snapshots`];
  const frontier = (name: string) =>
    start([
      ...['frontier', ...at(), '--data', join(folder, name), '--partitions', '2'],
      ...['--snapshot-every', '2s', '--snapshot-to', `s3://${bucket}/snapshots`, '--snapshots-kept', '2'],
    ]);
  const state = async (...args: string[]) => {
    const ended = await runCommand(['state', ...args, ...at(), '--json']);
    assert.equal(ended.code, 0, ended.stderr);
    return lastJson(ended);
  };
  const snapshots = async () => (await state('snapshots', ...to()))['snapshots'] as Snapshot[];
  /** Snapshots of a partition that count. */
  const filesOf = (partition: number) => {
    const names = readdirSync(s3.folderOf(bucket), { recursive: true }) as string[];
    return names.filter((name) => name.includes(`kept/0000${partition}/`) && name.endsWith('manifest.json'));
  };
  const until = async (holds: () => Promise<boolean>) => {
    while (!(await holds())) await sleep(300);
  };

  it('snapshots in S3 of a crawl on Kafka restore its partitions to their owners’ state after topics were trimmed', async () => {
    const web = await startSmallWeb({ preset: 'plain', hosts: 16, pagesPerHost: 24, seed: 3 });
    const first = frontier('first');
    const fetcher = start(['fetcher', ...at(), '--partitions', '2', '--resolve', `*:${web.port}:127.0.0.1`]);
    const inject = async () => {
      const injected = await runCommand(['inject', ...web.seeds, ...at(), '--partitions', '2', '--delay', '120ms']);
      assert.equal(injected.code, 0, injected.stderr);
    };
    await inject();
    const log = await openKafkaLog({ brokers: [broker.brokers], clientId: 'test' });
    const starts = async () =>
      Promise.all([0, 1].map(async (partition) => (await log.offsets('kept.frontier-changelog', partition)).start));
    await until(async () => [0, 1].every((one) => filesOf(one).length >= 1));
    // Of each partition the newest, and one before it: there is something new, even if the crawl is done by now.
    await inject();
    await until(async () => [0, 1].every((one) => filesOf(one).length >= 2));
    await until(async () => (await starts()).every((offset) => offset > 0));
    // All that is left of the first owner lies in S3, and in topics without their beginnings.
    first.child.kill('SIGKILL');
    await first.ended;
    await rm(join(folder, 'first'), { recursive: true });
    const [newest] = (await snapshots()).filter(({ partition }) => partition === 0);
    const files = join(s3.folderOf(bucket), 'snapshots', newest!.snapshot);
    for (const name of await readdir(files)) if (name.startsWith('rows')) await writeFile(join(files, name), 'damaged');
    const second = frontier('second');
    await until(async () => {
      assert.equal(second.child.exitCode, null, second.output());
      return second.output().includes('ready, crawl kept');
    });
    const pages = async () => {
      const ranges = await Promise.all([0, 1].map((partition) => log.offsets('kept.pages', partition)));
      return ranges.reduce((sum, { end }) => sum + end, 0);
    };
    await until(async () => (await pages()) >= web.plan.expected(web.port).fetch.size);
    const refused = await runCommand(['reset', ...at(), '--yes']);
    assert.equal(refused.code, 1);
    assert.match(
      refused.stderr,
      /kept still has running members \(kept\.fetcher \(1\), kept\.frontier \(1\)\): stop them first/,
    );
    for (const { child, ended } of [second, fetcher]) {
      child.kill('SIGTERM');
      await ended;
    }
    const said = second.output();
    assert.match(said, new RegExp(`${newest!.snapshot} is damaged: .*: trying an earlier one`));
    for (const partition of [0, 1])
      assert.match(said, new RegExp(`partition ${partition} restored from snapshot kept/`));
    assertFlawless(web.check({ delayMs: 120 }));
    // A partition restored from a snapshot in S3 equals its owner.
    const data = ['--data', join(folder, 'second')];
    const verified = await state('verify', ...data, '--snapshots', `s3://${bucket}/snapshots`);
    assert.equal(verified['equal'], true, JSON.stringify(verified));
    const owners = (await state('digest', ...data))['partitions'] as Snapshot[];
    const taken = (await state('snapshot', ...to()))['partitions'] as Snapshot[];
    assert.deepEqual(
      taken.map(({ digest, position }) => ({ digest, position })),
      owners.map(({ digest, position }) => ({ digest, position })),
    );
    const into = ['--into', join(folder, 'from-inputs'), '--all', '--from-inputs'];
    const fromInputs = await runCommand(['state', 'rebuild', ...at(), ...into]);
    assert.equal(fromInputs.code, 1);
    assert.match(fromInputs.stderr, /kept\.(control|discovered|results)\/0 begins at \d+, and older records were/);
    const changelogAlone = await runCommand(['state', 'verify', ...at(), '--data', join(folder, 'second')]);
    assert.equal(changelogAlone.code, 1);
    assert.match(changelogAlone.stderr, /needs its changelog from offset 0, but it begins at \d+/);
    const reset = await runCommand(['reset', ...at(), '--yes', '--json']);
    assert.equal(reset.code, 0, reset.stderr);
    assert.deepEqual(lastJson(reset)['groups'], ['kept.fetcher', 'kept.frontier']);
    for (const partition of [0, 1]) {
      const { start, end } = await log.offsets('kept.frontier-changelog', partition);
      assert.deepEqual([start > 0, end - start], [true, 2]);
    }
    assert.equal(await log.committed('kept.fetcher', 'kept.tasks', 0), undefined);
    await log.close();
  });
});
