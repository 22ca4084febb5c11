/**
 * A crawl in several processes on a real Kafka with a real registry: two frontiers, two fetchers, as they are deployed.
 *
 * With CRAWLSTREAM_TEST_KAFKA_FULL the web is of 200 hosts × 100 pages; every process is killed in turn, and the broker.
 */
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { TestBroker } from '../../lab/kafka/broker.ts';
import { startBroker } from '../../lab/kafka/broker.ts';
import { skipReason } from '../../lab/kafka/components.ts';
import type { CommandOptions, Running } from '../../lab/process/command.ts';
import { lastJson, runCommand, startCommand } from '../../lab/process/command.ts';
import { openConfluentRegistry } from '../../services/runtime/avro/confluent-registry.ts';
import { openCodec } from '../../services/runtime/avro/record-codec.ts';
import { openKafkaLog } from '../../services/runtime/log/kafka/kafka-log.ts';
import { readCompose, rolesOf } from '../deploy/compose.ts';
import { crawlWithPushes } from '../services/cli/crawl-with-pushes.ts';
import { fetchedAgain, publishedTasks } from '../services/cli/fetched-again.ts';
import { listening, scrape, untilReady } from '../services/cli/listening.ts';
import type { SmallWeb } from '../services/cli/small-web.ts';
import { assertFlawless, startSmallWeb } from '../services/cli/small-web.ts';
import type { TestRegistry } from './registry.ts';
import { startRegistry } from './registry.ts';

const skip = await skipReason();
const full = process.env['CRAWLSTREAM_TEST_KAFKA_FULL'] !== undefined;
const [hosts, pagesPerHost] = full ? [200, 100] : [24, 20];
/** A fetcher's leases are given up when they expire: two minutes at most. ms */
const crawlMs = full ? 600_000 : 240_000;

describe('a crawl in several processes on Kafka', { skip: skip ?? false, timeout: full ? 2_700_000 : 900_000 }, () => {
  let broker: TestBroker;
  let registry: TestRegistry;
  let folder: string;
  const children = new Set<Running>();

  before(async () => {
    [broker, registry] = await Promise.all([startBroker({ own: true }), startRegistry()]);
    folder = await mkdtemp(join(tmpdir(), 'crawlstream-on-kafka-'));
  });
  after(async () => {
    for (const { child } of children) child.kill('SIGKILL');
    await Promise.all([broker?.stop(), registry?.stop()]);
    if (folder !== undefined) await rm(folder, { recursive: true, force: true });
  });

  const at = (crawl: string) => ['--brokers', broker.brokers, '--registry', registry.url, '--crawl', crawl];
  const start = (args: readonly string[], options: CommandOptions = {}): Running => {
    const running = startCommand(args, { patienceMs: crawlMs, ...options });
    children.add(running);
    running.ended.then(() => children.delete(running));
    return running;
  };
  const frontier = (crawl: string, name: string) =>
    start(['frontier', ...at(crawl), '--partitions', '6', '--http', '0', '--data', join(folder, `${crawl}-${name}`)]);
  const fetcher = (crawl: string, web: SmallWeb) =>
    start(['fetcher', ...at(crawl), '--partitions', '6', '--resolve', `*:${web.port}:127.0.0.1`]);
  const inject = async (crawl: string, web: SmallWeb, policy: readonly string[]) => {
    const ended = await runCommand(['inject', ...web.seeds, ...at(crawl), '--partitions', '6', ...policy]);
    assert.equal(ended.code, 0, ended.stderr);
  };
  const stats = async (crawl: string) => lastJson(await runCommand(['stats', ...at(crawl), '--json']));
  const untilPages = async (crawl: string, pages: number) => {
    const deadline = Date.now() + crawlMs;
    for (;;) {
      const now = await stats(crawl);
      if ((now['pages'] as number) >= pages || now['end'] !== null) return now;
      assert.ok(Date.now() < deadline, `the crawl stands still: ${JSON.stringify(now)}`);
      await sleep(250);
    }
  };
  const untilDone = async (crawl: string) => {
    const now = await untilPages(crawl, Number.POSITIVE_INFINITY);
    assert.equal(now['end'], 'done');
    return now;
  };
  const stop = async (...running: readonly Running[]) => {
    for (const { child } of running) child.kill('SIGTERM');
    for (const { ended } of running) {
      const { code, stderr } = await ended;
      assert.equal(code, 0, stderr);
    }
  };
  const printed = async (crawl: string) => {
    const { stdout } = await runCommand(['pages', ...at(crawl)]);
    return new Set(
      stdout
        .split('\n')
        .filter(Boolean)
        .map((line) => (JSON.parse(line) as { url: string }).url),
    );
  };

  const tasks = async (crawl: string) => {
    const log = await openKafkaLog({ brokers: [broker.brokers], clientId: 'test' });
    const codec = await openCodec(await openConfluentRegistry(registry.url), crawl);
    try {
      return await publishedTasks(log, codec, { crawl, partitions: 6 });
    } finally {
      await log.close();
    }
  };

  it('a crawl in several processes on Kafka fetches every reachable allowed page once, without violation, and says when it is done', async () => {
    // Some robots.txt have moved to another host, which another process may have on lease.
    const scaled = { crawlDelayMs: 60, slowMs: 30, robotsMoved: 0.16, seed: 5 };
    const web = await startSmallWeb({ preset: 'full', hosts, pagesPerHost, ...scaled });
    const processes = [frontier('clean', 'a'), frontier('clean', 'b'), fetcher('clean', web), fetcher('clean', web)];
    await inject('clean', web, ['--delay', '20ms', '--retries', '0.2s,0.5s,1s']);
    const end = await untilDone('clean');
    assertFlawless(web.check({ delayMs: 20 }));
    assert.equal(end['pages'], web.plan.expected(web.port).fetch.size);
    assert.equal((await printed('clean')).size, end['pages']);
    await stop(...processes);
  });

  it('a crawl in several processes on Kafka moves partitions to a joining frontier and back from a leaving one, without loss', async () => {
    const web = await startSmallWeb({ hosts, pagesPerHost, seed: 6 });
    const first = frontier('moving', 'a');
    const fetching = fetcher('moving', web);
    await inject('moving', web, ['--delay', '15ms']);
    await untilPages('moving', 20);
    const second = frontier('moving', 'b');
    await untilPages('moving', 150);
    // Each tells of its own partitions, and of no other.
    const owned = async (running: Running) => {
      const series = await scrape(await listening(running));
      return [...series.keys()].filter((name) => name.startsWith('crawlstream_frontier_leases{'));
    };
    for (let reported: string[] = []; new Set(reported).size !== 6; await sleep(100)) {
      const [here, there] = await Promise.all([owned(first), owned(second)]);
      reported = here.length === 3 && there.length === 3 ? [...here, ...there] : [];
      assert.equal(first.child.exitCode ?? second.child.exitCode, null);
    }
    await untilReady(await listening(second));
    await stop(first);
    await untilDone('moving');
    assertFlawless(web.check({ delayMs: 15 }));
    await stop(second, fetching);
    // What each of them keeps is what the changelog says: up to its end, or up to where a partition left.
    for (const name of ['a', 'b']) {
      const kept = join(folder, `moving-${name}`);
      const verified = lastJson(await runCommand(['state', 'verify', ...at('moving'), '--data', kept, '--json']));
      assert.equal(verified['equal'], true, JSON.stringify(verified));
      assert.equal((verified['partitions'] as unknown[]).length, 6);
    }
  });

  it('a crawl in several processes on Kafka gives the same pages after kill -9 of a frontier, of a fetcher, and of the broker', async (t) => {
    const web = await startSmallWeb({ hosts, pagesPerHost, seed: 7 });
    const killed = [frontier('kills', 'a'), fetcher('kills', web)];
    const processes = [frontier('kills', 'b'), fetcher('kills', web)];
    await inject('kills', web, ['--delay', '25ms', '--retries', '0.5s,1s,2s']);
    const total = hosts * pagesPerHost;
    await untilPages('kills', Math.floor(total / 10));
    killed[0]!.child.kill('SIGKILL');
    processes.push(frontier('kills', 'a'));
    await untilPages('kills', Math.floor(total / 4));
    await broker.kill();
    await sleep(1_500);
    await broker.restart();
    await untilPages('kills', Math.floor(total / 2));
    killed[1]!.child.kill('SIGKILL');
    await killed[1]!.ended;
    const deathMs = Date.now();
    processes.push(fetcher('kills', web));
    const end = await untilDone('kills');
    const report = web.check({ delayMs: 25, abortToleranceMs: 25 });
    for (const kind of ['missing', 'unexpected', 'shortGaps', 'concurrency', 'robotsViolations'] as const) {
      assert.equal(report[kind].count, 0, `${kind}: ${report[kind].details.join('; ')}`);
    }
    assert.equal(end['pages'], total);
    assert.equal((await printed('kills')).size, total);
    // Only the kill of a fetcher costs anything: a frontier's state is its log, and a broker keeps what it acked.
    const again = fetchedAgain(web.plan, [...web.web.requests()], await tasks('kills'), [{ deadMs: deathMs }]);
    assert.deepEqual(again.wrong, [], 'at most one lease per host is fetched again');
    t.diagnostic(`${report.requests} requests, fetched again ${again.pages}, of one host ${again.mostOfOneHost}`);
    await stop(...processes);
  });

  it('a crawl in several processes on Kafka obeys operators while it runs: a blocked host, a new policy, an explained URL', async () => {
    const web = await startSmallWeb({ preset: 'plain', hosts: 4, pagesPerHost: 30, domains: 4, linksPerPage: 20 });
    const processes = [frontier('told', 'a'), fetcher('told', web)];
    // Slow enough for a busy machine to have its say in time.
    await inject('told', web, ['--delay', '4000ms']);
    await untilPages('told', 6);
    const blocked = new URL(web.seeds[0]!);
    const requests = () => web.web.requests().filter(({ host }) => web.plan.hosts[host] === blocked.hostname).length;
    const run = async (...args: string[]) => {
      const ended = await runCommand([...args, ...at('told')]);
      assert.equal(ended.code, 0, ended.stderr);
      return ended;
    };
    const explain = async (url: string) => lastJson(await run('explain', url, '--json'));
    const versionOf = ({ filter }: Record<string, unknown>) => (filter as { policyVersion: number }).policyVersion;
    const policyBefore = versionOf(await explain(web.seeds[0]!));
    await run('block', blocked.origin, '--by', 'kafka test');
    // A lease of the host may be out: its fetcher hears of the block, too.
    await sleep(1_000);
    const before = requests();
    const policy = JSON.parse((await run('policy', 'show')).stdout) as Record<string, unknown>;
    const file = join(folder, 'told.json');
    await writeFile(file, JSON.stringify({ ...policy, delayMs: 10 }));
    await run('policy', 'set', file, '--by', 'kafka test');
    const end = await untilDone('told');
    const [all, ofHost] = [web.plan.expected(web.port).fetch, requests()];
    assert.equal(ofHost, before, 'nothing of a blocked host is fetched, by the new policy or the old');
    assert.ok((end['deferred'] as number) > 0 && (end['pages'] as number) < all.size);
    const waiting = await explain([...all].find((url) => url.startsWith(blocked.origin) && requested(url) === 0)!);
    assert.match(JSON.stringify(waiting['host']), /blocked/);
    assert.ok(versionOf(waiting) > policyBefore, 'explain tells of the policy in force');
    await stop(...processes);
    // Looked back at, from the topics alone.
    const timeline = (await run('story', web.seeds[1]!, '--json')).stdout.trimEnd().split('\n');
    const kinds = timeline.map((line) => (JSON.parse(line) as { kind: string }).kind);
    for (const kind of ['discovered', 'admitted', 'leased', 'task', 'fetched', 'page', 'ended'])
      assert.ok(kinds.includes(kind), `${kind} is in ${kinds}`);
    const then = lastJson(await run('state', 'at', '--time', new Date().toISOString(), '--json'));
    const pages = (then['partitions'] as { counters: { page: number } }[]).reduce(
      (sum, { counters }) => sum + counters.page,
      0,
    );
    assert.equal(pages, end['pages'], 'the frontier as it was at its end');
    const { compared, divergence } = lastJson(await run('what-if', '--policy', file, '--json'));
    assert.ok((compared as { commits: number }).commits > 0 && divergence !== null, 'the first policy was another');

    function requested(url: string): number {
      const { hostname, pathname } = new URL(url);
      return web.web.requests().filter(({ host, path }) => web.plan.hosts[host] === hostname && path === pathname)
        .length;
    }
  });

  it('a crawl in several processes on Kafka fetches pushed URLs in the next slot of their host', async () => {
    const data = join(folder, 'pushed');
    await crawlWithPushes([...at('pushed'), '--partitions', '2', '--data', data]);
    const { revisits, changesFound, scheduled } = await stats('pushed');
    assert.ok((revisits as number) >= 3 && (scheduled as number) >= 4 && changesFound === 0);
  });

  it('a crawl in several processes on Kafka runs every role as in the compose file', async () => {
    const services = await readCompose({ CONTACT: 'me@example.org', REGISTRY: registry.url });
    // A browser is another image's; a dashboard ends with its reader, and has a test of its own.
    const roles = rolesOf(services).filter(([name]) => name !== 'render' && name !== 'dashboard');
    const processes = roles.map(([name, { command, environment }]) =>
      start(command!, {
        env: {
          ...process.env,
          ...environment,
          CRAWLSTREAM_BROKERS: broker.brokers,
          CRAWLSTREAM_DATA: join(folder, name),
          // Ports here are one machine's.
          CRAWLSTREAM_HTTP: '',
        },
      }),
    );
    for (const { output, ended } of processes) {
      while (!/ready, crawl crawl/.test(output())) {
        await Promise.race([sleep(100), ended.then(({ stderr }) => assert.fail(stderr))]);
      }
    }
    await stop(...processes);
  });

  it('a crawl in several processes on Kafka refuses other partition counts by name, and a missing crawl', async () => {
    const other = await runCommand(['frontier', ...at('clean'), '--partitions', '3', '--data', join(folder, 'other')]);
    assert.notEqual(other.code, 0);
    assert.match(other.stderr, /^crawlstream: .*clean.*6.*3.*\n$/);
    const checked = await runCommand(['topics', 'check', ...at('clean')]);
    assert.equal(checked.code, 0, checked.stderr);
    const absent = await runCommand(['stats', ...at('absent')]);
    assert.notEqual(absent.code, 0);
    assert.match(absent.stderr, /^crawlstream: .*absent.*\n$/);
  });

  it('a crawl in several processes on Kafka reports an unreachable broker or registry in one line', async () => {
    const noBroker = await runCommand(['stats', '--brokers', '127.0.0.1:1', '--crawl', 'clean']);
    assert.equal(noBroker.code, 1);
    assert.match(noBroker.stderr, /^crawlstream: .*127\.0\.0\.1:1.*\n$/);
    const noRegistry = await runCommand([
      'stats',
      '--brokers',
      broker.brokers,
      '--registry',
      'http://127.0.0.1:8/',
      '--crawl',
      'clean',
    ]);
    assert.equal(noRegistry.code, 1);
    assert.match(noRegistry.stderr, /^crawlstream: .*127\.0\.0\.1:8.*\n$/);
  });
});
