/** Consumers of a live crawl on a real Kafka: the templates of the documentation, in TypeScript and in Python. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { TestBroker } from '../../lab/kafka/broker.ts';
import { startBroker } from '../../lab/kafka/broker.ts';
import { skipReason } from '../../lab/kafka/components.ts';
import { runCommand, startCommand } from '../../lab/process/command.ts';
import { readWarc } from '../../services/extras/archive/warc-reader.ts';
import { searchFolder } from '../../services/extras/index/sqlite-index.ts';
import { openKafkaLog } from '../../services/runtime/log/kafka/kafka-log.ts';
import { startSmallWeb } from '../services/cli/small-web.ts';
import { pythonSkipReason, startPython } from './python.ts';
import type { TestRegistry } from './registry.ts';
import { startRegistry } from './registry.ts';

const skip = (await skipReason()) ?? (await pythonSkipReason());
const kit = fileURLToPath(new URL('../../services/consumer/consume-pages.ts', import.meta.url));

const textOf = (file: string) => readFile(fileURLToPath(new URL(`../../${file}`, import.meta.url)), 'utf8');
const pythonExample = await textOf('examples/python/titles.py');

/** The README's block of TypeScript that is a consumer. */
async function typescriptExample(): Promise<string> {
  const blocks = [...(await textOf('README.md')).matchAll(/```ts\n([\s\S]*?)```/g)].map(([, text]) => text!);
  return blocks.find((text) => text.includes('consumePages')) ?? assert.fail('README.md has no consumer');
}

describe('consumers on Kafka', { skip: skip ?? false, timeout: 600_000 }, () => {
  let broker: TestBroker;
  let registry: TestRegistry;
  let folder: string;

  before(async () => {
    [broker, registry] = await Promise.all([startBroker(), startRegistry()]);
    folder = await mkdtemp(join(tmpdir(), 'crawlstream-consumers-'));
  });
  after(async () => {
    await Promise.all([broker?.stop(), registry?.stop()]);
    if (folder !== undefined) await rm(folder, { recursive: true, force: true });
  });

  it('the documented templates, in TypeScript and in Python, read a live crawl, each page once', async () => {
    const web = await startSmallWeb({ hosts: 8, pagesPerHost: 8, seed: 21 });
    const crawl = 'crawl';
    const at = ['--brokers', broker.brokers, '--registry', registry.url, '--crawl', crawl];
    const crawling = startCommand([
      ...web.crawlArguments,
      ...at,
      '--partitions',
      '3',
      '--delay',
      '60ms',
      '--responses',
      '--data',
      join(folder, 'live'),
    ]);
    // By now the topics are there, and there is more to come.
    while (web.web.requests().length === 0) {
      await Promise.race([sleep(50), crawling.ended.then(({ stderr }) => assert.fail(stderr))]);
    }
    const template = join(folder, 'template.mts');
    await writeFile(template, (await typescriptExample()).replace('crawlstream/consumer', kit));
    const typescript = startCommand([broker.brokers, registry.url], { script: template });
    const python = startPython(pythonExample, [broker.brokers, registry.url, crawl]);
    try {
      const { code, stderr } = await crawling.ended;
      assert.equal(code, 0, stderr);
      const { stdout } = await runCommand(['pages', ...at]);
      const pages = stdout
        .split('\n')
        .filter(Boolean)
        .map((line) => (JSON.parse(line) as { url: string }).url);
      assert.equal(pages.length, web.plan.expected(web.port).fetch.size);
      for (const { output } of [typescript, python]) {
        const untilMs = Date.now() + 30_000;
        const lines = () =>
          output()
            .split('\n')
            .filter((line) => /^\d+ \d+ http/.test(line));
        while (lines().length < pages.length && Date.now() < untilMs) await sleep(50);
        assert.deepEqual(
          lines()
            .map((line) => line.split(' ')[2])
            .sort(),
          pages.toSorted(),
          output().slice(-2_000),
        );
      }
      typescript.child.kill('SIGINT');
      const { code: stopped, stderr: stats } = await typescript.ended;
      assert.equal(stopped, 0, stats);
      assert.match(stats, new RegExp(`records: ${pages.length}`));
    } finally {
      await python.stop();
      typescript.child.kill('SIGKILL');
    }
  });

  it('dedup, index and archive run as separate processes, killed and started again', async () => {
    const at = ['--brokers', broker.brokers, '--registry', registry.url, '--crawl', 'crawl'];
    const { stdout } = await runCommand(['pages', ...at]);
    const pages = stdout
      .split('\n')
      .filter(Boolean)
      .map((line) => (JSON.parse(line) as { url: string }).url);
    const roles = ['dedup', 'index', 'archive'] as const;
    const start = (role: string) => startCommand([role, ...at, '--data', join(folder, role)]);
    const ready = async (running: ReturnType<typeof start>) => {
      while (!/ready, crawl crawl/.test(running.output())) {
        await Promise.race([sleep(30), running.ended.then(({ stderr }) => assert.fail(stderr))]);
      }
    };
    const killed = roles.map(start);
    await Promise.all(killed.map(ready));
    for (const { child } of killed) child.kill('SIGKILL');
    await Promise.all(killed.map(({ ended }) => ended));
    const running = roles.map(start);
    await Promise.all(running.map(ready));
    const found = () => {
      const index = join(folder, 'index', 'index');
      return existsSync(join(index, 'search.sqlite'))
        ? searchFolder(index, 'generated', { limit: 1_000 }).map(({ url }) => url)
        : [];
    };
    // Those who were killed keep their partitions until their sessions end.
    const untilRead = async (group: string, topic: string) => {
      const log = await openKafkaLog({ brokers: [broker.brokers], clientId: 'test' });
      const deadline = Date.now() + 60_000;
      try {
        for (let partition = 0; partition < (await log.partitionsOf(`crawl.${topic}`)); partition++) {
          const { end } = await log.offsets(`crawl.${topic}`, partition);
          while (((await log.committed(`crawl.${group}`, `crawl.${topic}`, partition)) ?? 0) < end) {
            assert.ok(Date.now() < deadline, `${group} has not read ${topic}/${partition} to ${end}`);
            await sleep(100);
          }
        }
      } finally {
        await log.close();
      }
    };
    const untilMs = Date.now() + 60_000;
    while (found().length < pages.length && Date.now() < untilMs) await sleep(100);
    await untilRead('archive', 'responses');
    for (const { child } of running) child.kill('SIGTERM');
    for (const { ended } of running) {
      const { code, stderr } = await ended;
      assert.equal(code, 0, stderr);
    }
    // No page of this web is a duplicate.
    assert.deepEqual(found().sort(), pages.toSorted());
    const archived = new Map<string, number>();
    const files = await readdir(join(folder, 'archive', 'archive'));
    for (const name of files.filter((one) => one.endsWith('.warc.gz'))) {
      for await (const { type, fields } of readWarc(join(folder, 'archive', 'archive', name))) {
        const url = fields.get('warc-target-uri') ?? '';
        if (type === 'response' || type === 'revisit') archived.set(url, (archived.get(url) ?? 0) + 1);
      }
    }
    for (const url of pages) assert.equal(archived.get(url), 1, url);
  });

  it('a purged host is withdrawn: roles follow, other clients see tombstones, WARC files are rewritten', async () => {
    const at = ['--brokers', broker.brokers, '--registry', registry.url, '--crawl', 'crawl'];
    const pagesNow = async () =>
      (await runCommand(['pages', ...at])).stdout
        .split('\n')
        .filter(Boolean)
        .map((line) => (JSON.parse(line) as { url: string }).url);
    const pages = await pagesNow();
    const { host } = new URL(pages[0]!);
    const gone = pages.filter((url) => new URL(url).host === host).sort();
    const roles = (['dedup', 'index', 'archive'] as const).map((role) =>
      startCommand([role, ...at, '--data', join(folder, role)]),
    );
    try {
      const purged = await runCommand(['purge', host, ...at, '--force']);
      assert.equal(purged.code, 0, purged.stderr);
      const { code, stdout, stderr } = await runCommand([
        'forget',
        ...at,
        '--json',
        '--receipt',
        join(folder, 'one.jws'),
      ]);
      assert.equal(code, 0, stderr);
      const { places } = JSON.parse(stdout) as { places: { place: string; more?: { tombstones?: number } }[] };
      assert.equal(places.find(({ place }) => place === 'topic pages')?.more?.tombstones, gone.length);
      const index = join(folder, 'index', 'index');
      const deadline = Date.now() + 60_000;
      const found = () => searchFolder(index, 'generated', { limit: 1_000 }).filter(({ url }) => gone.includes(url));
      while (found().length > 0) {
        assert.ok(Date.now() < deadline, 'the index has not followed');
        await sleep(100);
      }
      const python = startPython(pythonExample, [broker.brokers, registry.url, 'crawl']);
      try {
        const takenBack = () => [...python.output().matchAll(/^taken back: (\S+)$/gm)].map(([, url]) => url!).sort();
        while (takenBack().length < gone.length) {
          assert.ok(Date.now() < deadline, python.output().slice(-2_000));
          await sleep(50);
        }
        assert.deepEqual(takenBack(), gone);
      } finally {
        await python.stop();
      }
    } finally {
      for (const { child } of roles) child.kill('SIGTERM');
      await Promise.all(roles.map(({ ended }) => ended));
    }
    assert.deepEqual((await pagesNow()).sort(), pages.filter((url) => !gone.includes(url)).sort());
    const data = ['--data', join(folder, 'archive')];
    const done = await runCommand(['forget', ...at, ...data, '--json']);
    assert.equal(done.code, 0, done.stderr);
    const files = await readdir(join(folder, 'archive', 'archive'));
    let records = 0;
    for (const name of files.filter((one) => one.endsWith('.warc.gz'))) {
      for await (const { fields } of readWarc(join(folder, 'archive', 'archive', name))) {
        assert.ok(!gone.includes(fields.get('warc-target-uri') ?? ''));
        records += 1;
      }
    }
    assert.ok(records > pages.length);
  });
});
