/** `crawlstream state`, on the folder of a crawl that was killed, lost a partition's state, and ran to its end. */
import assert from 'node:assert/strict';
import { cp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { lastJson, runCommand, startCommand } from '../../../../lab/process/command.ts';
import { openStateStore } from '../../../../services/runtime/store/open-store.ts';
import { ByteReader } from '../../../../topology/frontier/storage/bytes.ts';
import { temporaryFolder } from '../../runtime/store/temporary-folder.ts';
import { startSmallWeb } from '../small-web.ts';
import { readUrlRecords } from './url-records.ts';

interface Standing {
  readonly partition: number;
  readonly position: number;
  readonly digest: string;
  readonly urls: number;
  readonly from: string;
}

const state = async (...args: string[]) => lastJson(await runCommand(['state', ...args, '--json']));
const digestsOf = async (data: string) => (await state('digest', '--data', data))['partitions'] as Standing[];

const web = await startSmallWeb({
  ...{ preset: 'full', hosts: 12, pagesPerHost: 12, seed: 3, crawlDelayMs: 60, slowMs: 40 },
});

describe('the state of a crawl', { timeout: 600_000 }, () => {
  const data = join(temporaryFolder(), 'data');
  const crawl = () => [
    ...web.crawlArguments,
    ...['--delay', '30ms', '--partitions', '2', '--retries', '0.1s,0.2s', '--data', data, '--json'],
  ];

  it('the state of a crawl recovers if a partition’s folder is lost under load, with the same result', async () => {
    const running = startCommand(crawl());
    while ([...web.web.requests()].length < 60) await new Promise((resolve) => setTimeout(resolve, 20));
    running.child.kill('SIGKILL');
    await running.ended;
    await rm(join(data, 'state', '0'), { recursive: true });
    const ended = await runCommand(crawl());
    assert.equal(ended.code, 0, ended.stderr);
    const report = web.check({ delayMs: 30, abortToleranceMs: 25 });
    assert.deepEqual([report.missing.count, report.shortGaps.count, report.robotsViolations.count], [0, 0, 0]);
    const verified = await state('verify', '--data', data);
    assert.equal(verified['equal'], true, JSON.stringify(verified));
    assert.equal((verified['partitions'] as unknown[]).length, 2);
  });

  it('the state of a crawl is rebuilt from the changelog alone to the same digests, and a crawl continues from there', async () => {
    const into = join(temporaryFolder(), 'rebuilt');
    const rebuilt = (await state('rebuild', '--all', '--into', into, '--data', data))['partitions'] as Standing[];
    const kept = await digestsOf(data);
    assert.deepEqual(
      rebuilt.map(({ digest, position }) => ({ digest, position })),
      kept.map(({ digest, position }) => ({ digest, position })),
    );
    assert.ok(rebuilt.every(({ urls }) => urls > 0));
    // The rebuilt states in the place of the others.
    const other = join(temporaryFolder(), 'data');
    await cp(data, other, { recursive: true });
    await rm(join(other, 'state'), { recursive: true });
    await cp(join(into, 'state'), join(other, 'state'), { recursive: true });
    web.web.reset();
    const ended = await runCommand([...crawl().slice(0, -2), other, '--json']);
    assert.equal(ended.code, 0, ended.stderr);
    assert.equal([...web.web.requests()].length, 0, 'nothing is left to fetch');
  });

  it('the state of a crawl is rebuilt from the inputs with the same fetched URLs and statuses', async () => {
    const into = join(temporaryFolder(), 'inputs');
    await state('rebuild', '--all', '--from-inputs', '--into', into, '--data', data);
    for (const partition of ['0', '1']) {
      const kept = await readUrlRecords(join(data, 'state', partition));
      const rebuilt = await readUrlRecords(join(into, 'state', partition));
      assert.ok(kept.size > 20);
      assert.deepEqual(rebuilt, kept);
    }
  });

  it('the state of a crawl that differs from its changelog is reported with the first difference, and code 1', async () => {
    const other = join(temporaryFolder(), 'data');
    await cp(data, other, { recursive: true });
    const store = await openStateStore(join(other, 'state', '1'));
    for await (const [key] of store.scan({ gte: Buffer.from('h'), lt: Buffer.from('i'), limit: 1 })) {
      const value = Buffer.from((await store.get(key))!);
      const reader = new ByteReader(value);
      reader.uint();
      reader.string();
      // The first of the host's facts.
      value[reader.at]! ^= 1;
      await store.write([{ key, value }]);
    }
    await store.close();
    const verified = await runCommand(['state', 'verify', '--data', other, '--json']);
    assert.equal(verified.code, 1);
    const { equal, partitions } = lastJson(verified) as unknown as {
      readonly equal: boolean;
      readonly partitions: { readonly difference: string | null }[];
    };
    assert.equal(equal, false);
    assert.equal(partitions[0]!.difference, null);
    assert.match(partitions[1]!.difference!, /^host \S+ is .*rebuilt it is/);
    const inWords = await runCommand(['state', 'verify', '--data', other, '--partition', '1']);
    assert.match(inWords.stdout, /^partition 1 at \d+: host \S+ is /);
  });

  it('the state of a crawl: bad input is one line that names the option', async () => {
    const cases: [string[], RegExp][] = [
      [['digest'], /--data/],
      [['digest', '--data', data, '--partition', '9'], /--partition 9.*0 to 1/],
      [['rebuild', '--data', data, '--into', join(temporaryFolder(), 'x')], /--partition N, or --all/],
      [['rebuild', '--data', data, '--all', '--into', data], /--into .* already has a state of partition 0/],
      [['verify', '--data', join(temporaryFolder(), 'none')], /does not exist/],
    ];
    for (const [args, says] of cases) {
      const { code, stderr } = await runCommand(['state', ...args]);
      assert.equal(code, 2, stderr);
      assert.match(stderr, says);
      assert.equal(stderr.trimEnd().split('\n').length, 1, stderr);
    }
  });
});
