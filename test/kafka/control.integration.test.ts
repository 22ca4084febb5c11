/** `control` on a real broker, which every process reads from its beginning: other people's records there, and its loss. */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { startBroker, type TestBroker } from '../../lab/kafka/broker.ts';
import { skipReason } from '../../lab/kafka/components.ts';
import { runCommand, startCommand } from '../../lab/process/command.ts';
import { type FrontierGroup, joinFrontierGroup } from '../../services/frontier/frontier-group.ts';
import { SystemClock } from '../../services/runtime/clock.ts';
import { accessOn, type CrawlAccess } from '../../services/runtime/crawl/kafka-access.ts';
import { policyRecords, seedRecords } from '../../services/runtime/crawl/requests.ts';
import { openKafkaLog } from '../../services/runtime/log/kafka/kafka-log.ts';
import type { Log } from '../../services/runtime/log/log.ts';
import { createMemoryStore } from '../../services/runtime/store/memory-store.ts';
import { defaultPolicy } from '../../topology/policy/policy.ts';
import { listening } from '../services/cli/listening.ts';

const skip = (await skipReason()) ?? false;
const clock = new SystemClock();

describe('control on a broker', { skip, timeout: 600_000 }, () => {
  let broker: TestBroker;
  let log: Log;

  before(async () => {
    broker = await startBroker({ own: true });
    log = await openKafkaLog({ brokers: [broker.brokers], clientId: 'test' });
  });
  after(async () => {
    await log?.close();
    await broker?.stop();
  });

  const at = (crawl: string) => ['--brokers', broker.brokers, '--crawl', crawl];
  const run = async (...args: string[]) => {
    const ended = await runCommand(args);
    assert.equal(ended.code, 0, ended.stderr);
    return ended.stdout;
  };
  const until = async (what: () => string, holds: () => boolean | Promise<boolean>) => {
    const deadlineMs = Date.now() + 60_000;
    while (!(await holds())) {
      assert.ok(Date.now() < deadlineMs, `waited: ${what()}`);
      await sleep(50);
    }
  };
  const joinGroup = (access: CrawlAccess, crawl: string, failures: unknown[]) =>
    joinFrontierGroup({
      ...{ log: access.log, codec: access.codec, clock, crawl, partitions: 1, key: { hi: 1, lo: 2 } },
      ...{ endsLeases: false, leasesPerPartition: 5 },
      openStore: async () => createMemoryStore(),
      onStopped: (error) => void failures.push(error),
      onFailure: (error) => void failures.push(error),
    });
  const admitted = (group: FrontierGroup) => group.committed().get(0)?.counters.admitted;

  it('foreign records on control are dead letters once refused by the command that the frontier names', async () => {
    const crawl = 'strangers';
    await run('topics', 'create', ...at(crawl), '--partitions', '1');
    const access = await accessOn(log, { crawl });
    const { codec } = access;
    const crawlTopics = { crawl, partitions: 1, keyMode: 'host' } as const;
    await access.log.append(policyRecords(codec, crawlTopics, defaultPolicy(), 'test', clock.nowMs()));
    const failures: unknown[] = [];
    const group = await joinGroup(access, crawl, failures);
    let seeds = 0;
    const admits = async () => {
      await access.log.append(seedRecords(codec, crawlTopics, [`http://h${seeds++}.test/`], clock.nowMs()));
      await until(
        () => `${seeds} seeds, ${codec.waits.waitsFor}`,
        () => admitted(group) === seeds,
      );
    };
    await admits();
    const strangers = [
      // A single object of eleven bytes whose fingerprint is zeros.
      Buffer.from([0xc3, 1, 0, 0, 0, 0, 0, 0, 0, 0, 7]),
      Buffer.from([0xc3, 1, ...Buffer.from('notours!'), 7]),
      Buffer.from([0, 0, 0, 0x10, 0x92, 1]),
      Buffer.from([0, 0xff, 0xff, 0xff, 0xff, 1]),
    ];
    for (const [i, value] of strangers.entries()) {
      const [offset] = await log.append([{ topic: `${crawl}.control`, partition: 0, key: null, value }]);
      await until(
        () => 'the frontier to wait',
        () => codec.waits.waitsFor !== null,
      );
      const named = / crawlstream (schemas refuse .*)$/.exec(codec.waits.waitsFor!)?.[1]?.split(' ');
      assert.ok(named, codec.waits.waitsFor!);
      const byOffset = ['--topic', 'control', '--partition', '0', '--offset', `${offset}`];
      await run(
        ...(i % 2 === 0 ? named : ['schemas', 'refuse', '--crawl', crawl, ...byOffset]),
        ...at(crawl).slice(0, 2),
      );
      await admits();
      assert.match(await run('stats', ...at(crawl)), /unreadable records/);
      const again = await runCommand(['schemas', 'refuse', ...byOffset, ...at(crawl)]);
      assert.match(again.stderr, /is already a dead letter/);
    }
    await group.stop();
    const { end } = await log.offsets(`${crawl}.dead-letters`, 0);
    assert.deepEqual([end, failures], [strangers.length, []]);
  });

  it('a deleted control topic is restored by a frontier on its folder, with manifest, policy and orders', async () => {
    const crawl = 'deleted';
    const folder = await mkdtemp(join(tmpdir(), 'crawlstream-deleted-'));
    const frontier = async (act: () => Promise<void>) => {
      const running = startCommand(['frontier', ...at(crawl), '--partitions', '1', '--data', folder, '--http', '0']);
      try {
        await listening(running);
        await act();
      } finally {
        running.child.kill('SIGTERM');
      }
      const { code, stderr } = await running.ended;
      assert.equal(code, 0, stderr);
      return running.output();
    };
    const owned = async () => {
      const deadlineMs = Date.now() + 60_000;
      for (;;) {
        const { code, stdout } = await runCommand(['explain', 'http://bad.test/', ...at(crawl)]);
        if (code === 0 && /block/i.test(stdout)) return;
        assert.ok(Date.now() < deadlineMs, stdout);
      }
    };
    try {
      await frontier(async () => {
        await run('inject', 'http://good.test/', 'http://bad.test/', '--max-depth', '7', ...at(crawl));
        await run('block', 'bad.test', '--force', ...at(crawl));
        await owned();
      });
      const before = await run('policy', 'show', ...at(crawl));
      await log.deleteTopics!([`${crawl}.control`]);
      const refused = await runCommand(['stats', ...at(crawl)]);
      assert.notEqual(refused.code, 0);
      const other = await mkdtemp(join(tmpdir(), 'crawlstream-deleted-other-'));
      const unknown = startCommand(['frontier', ...at(crawl), '--data', other]);
      await until(
        () => unknown.output(),
        () => /; retrying/.test(unknown.output()),
      );
      unknown.child.kill('SIGTERM');
      await unknown.ended;
      await rm(other, { recursive: true });
      assert.match(unknown.output(), /If deleted\.control was deleted, start a frontier on the data folder/);
      const said = await frontier(owned);
      assert.match(said, /its manifest is sent again/);
      assert.equal(await run('policy', 'show', ...at(crawl)), before);
      assert.match(await run('stats', ...at(crawl)), /URLs admitted +2/);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});
