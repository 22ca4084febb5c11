/**
 * The chart's ScaledObject over two crawls on one broker: Prometheus's own code runs its query over what their frontiers
 * export, and the number of fetchers is computed as a HorizontalPodAutoscaler computes it.
 */
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { stringify } from 'yaml';
import { skipReason } from '../../lab/kafka/components.ts';
import { runCommand } from '../../lab/process/command.ts';
import { openKafkaLog } from '../../services/runtime/log/kafka/kafka-log.ts';
import { besideBroker } from '../kafka/beside-broker.ts';
import { listening, untilReady } from '../services/cli/listening.ts';
import { helm, manifestsOf, required } from './helm.ts';
import { promtool, tested } from './promtool.ts';

const skip = (await skipReason()) ?? (await helm.skipReason()) ?? (await promtool.skipReason()) ?? false;
const patienceMs = 120_000;
const hosts = { news: 1_700, shop: 10 } as const;
type Crawl = keyof typeof hosts;
const crawls = Object.keys(hosts) as Crawl[];

test('KEDA scales the fetchers of a crawl by the ready hosts and the lag of this crawl alone, and down again at its end', {
  skip,
  timeout: 500_000,
}, async (t) => {
  const { broker, root, command, atEnd } = await besideBroker(t, patienceMs);
  const web = createServer((request, response) => {
    response.writeHead(request.url === '/robots.txt' ? 404 : 200, { 'content-type': 'text/html' }).end('<p>hello');
  });
  await new Promise<void>((resolve) => web.listen(0, '127.0.0.1', resolve));
  atEnd(() => web.closeAllConnections() ?? web.close());
  const { port } = web.address() as AddressInfo;

  const at = (crawl: Crawl) => ['--brokers', broker.brokers, '--crawl', crawl];
  const frontiers = new Map<Crawl, string>();
  for (const crawl of crawls) {
    const made = await runCommand(['topics', 'create', ...at(crawl), '--partitions', '4']);
    assert.equal(made.code, 0, made.stderr);
    const frontier = command([
      'frontier',
      ...at(crawl),
      '--data',
      join(root, crawl),
      '--http',
      '0',
      '--http-open',
      'metrics',
    ]);
    const base = await listening(frontier);
    await untilReady(base);
    frontiers.set(crawl, base);
    const seeds = join(root, `${crawl}.txt`);
    const urls = Array.from({ length: hosts[crawl] }, (_, host) => `http://h${host}.${crawl}.test:${port}/`);
    writeFileSync(seeds, urls.join('\n'));
    const injected = await runCommand(['inject', seeds, ...at(crawl), '--delay', '0', '--address-delay', '0']);
    assert.equal(injected.code, 0, injected.stderr);
  }

  /** What a Prometheus of the cluster has of both: samples of the metric that the query is about. */
  const scraped = async () => {
    const texts = await Promise.all(
      [...frontiers.values()].map(async (base) => (await fetch(`${base}/metrics`)).text()),
    );
    return texts.flatMap((text) => text.split('\n').filter((line) => line.startsWith('crawlstream_frontier_hosts{')));
  };
  const countOf = (samples: readonly string[], crawl: Crawl, states: readonly string[]) =>
    samples
      .filter((line) => line.includes(`crawl="${crawl}"`) && states.some((state) => line.includes(`state="${state}"`)))
      .reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
  const waitFor = async (what: string, crawl: Crawl, states: readonly string[], count: number) => {
    for (const untilMs = Date.now() + patienceMs; ; await sleep(200)) {
      const samples = await scraped();
      if (countOf(samples, crawl, states) === count) return samples;
      if (Date.now() > untilMs) assert.fail(`waited in vain: ${what}: ${samples.join('\n')}`);
    }
  };

  /** As a HorizontalPodAutoscaler computes it of a total. Fails if the query has another result. */
  const fetchersOf = async (crawl: Crawl, samples: readonly string[], expected: number) => {
    const { minReplicaCount, maxReplicaCount, triggers } = await scalingOf(crawl);
    const { query, threshold } = triggers.find(({ type }) => type === 'prometheus')!.metadata;
    const folder = join(root, 'promtool');
    mkdirSync(folder, { recursive: true });
    const series = samples
      .map((line) => line.split(' '))
      .map(([one, value]) => ({ series: one, values: `${value}x2` }));
    const promql = { expr: query, eval_time: '1m', exp_samples: [{ labels: '{}', value: expected }] };
    const tests = [{ interval: '1m', input_series: series, promql_expr_test: [promql] }];
    writeFileSync(join(folder, 'test.yaml'), stringify({ evaluation_interval: '1m', tests }));
    assert.equal(await tested(folder, 'test.yaml'), '');
    return Math.min(maxReplicaCount, Math.max(minReplicaCount, Math.ceil(expected / Number(threshold))));
  };

  await waitFor('hosts of shop are ready', 'shop', ['ready'], hosts.shop);
  const ready = await waitFor('hosts of news are ready', 'news', ['ready'], hosts.news);
  assert.equal(await fetchersOf('shop', ready, hosts.shop), 1);
  const wanted = await fetchersOf('news', ready, hosts.news);
  assert.equal(wanted, 3);

  const reach = ['--resolve', `*.test:${port}:127.0.0.1`];
  for (let fetcher = 0; fetcher < wanted; fetcher++) command(['fetcher', ...at('news'), ...reach]);
  const done = await waitFor('no host of news is ready or leased', 'news', ['ready', 'leased'], 0);
  assert.equal(await fetchersOf('news', done, 0), 1);
  assert.equal(await fetchersOf('shop', done, hosts.shop), 1);

  const { consumerGroup, topic } = (await scalingOf('news')).triggers.find(({ type }) => type === 'kafka')!.metadata;
  const log = await openKafkaLog({ brokers: [broker.brokers], clientId: 'scaling' });
  atEnd(() => log.close());
  assert.equal((await log.membersOf(consumerGroup!)).length, wanted);
  for (const untilMs = Date.now() + patienceMs; (await lagOf(log, consumerGroup!, topic!)) > 0; await sleep(200))
    assert.ok(Date.now() < untilMs, 'the fetchers’ lag does not end');
});

interface Scaling {
  readonly minReplicaCount: number;
  readonly maxReplicaCount: number;
  readonly triggers: readonly { readonly type: string; readonly metadata: Readonly<Record<string, string>> }[];
}

async function scalingOf(crawl: Crawl): Promise<Scaling> {
  const set = ['--set', 'autoscaling.enabled=true', '--set', `settings.CRAWL=${crawl}`];
  return (await manifestsOf(crawl, [...required, ...set])).find(({ kind }) => kind === 'ScaledObject')!['spec'];
}

/** As KEDA's scaler for Kafka sums it. */
async function lagOf(log: Awaited<ReturnType<typeof openKafkaLog>>, group: string, topic: string): Promise<number> {
  let lag = 0;
  for (let partition = 0; partition < (await log.partitionsOf(topic)); partition++) {
    const { end } = await log.offsets(topic, partition);
    lag += end - ((await log.committed(group, topic, partition)) ?? end);
  }
  return lag;
}
