/** Frontier and fetchers together, where robots.txt redirects lead from host to host across processes. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { parseResolveOverride } from '../../services/fetcher/connect/resolve-override.ts';
import { type Fetcher, startFetcher } from '../../services/fetcher/fetcher.ts';
import { startFrontier } from '../../services/frontier/frontier.ts';
import { createMemoryRegistry } from '../../services/runtime/avro/memory-registry.ts';
import { openCodec } from '../../services/runtime/avro/record-codec.ts';
import { SystemClock } from '../../services/runtime/clock.ts';
import { policyRecords, seedRecords } from '../../services/runtime/crawl/requests.ts';
import { openEmbeddedLog } from '../../services/runtime/log/embedded-log.ts';
import { createMemoryStore } from '../../services/runtime/store/memory-store.ts';
import { defaultPolicy } from '../../topology/policy/policy.ts';
import { topicNames, topics } from '../../topology/topics.ts';
import { hostKeyOf } from '../../topology/url/host-key.ts';
import { compileNormalizer } from '../../topology/url/normalize.ts';
import { partitionOf } from '../../topology/url/partition.ts';
import { serveSite } from './fetcher/loopback.ts';
import { until } from './until.ts';

const delayMs = 150;
const partitions = 2;
const clock = new SystemClock();

/** Crawls the seeds with a fetcher for each partition, which knows nothing of the other's contacts. */
async function crawl(t: TestContext, seeds: readonly string[], done: () => boolean): Promise<void> {
  const log = await openEmbeddedLog(createMemoryStore(), clock);
  await log.createTopics(
    topicNames.map((name) => ({ name: `t.${name}`, partitions, retention: topics[name].retention })),
  );
  const codec = await openCodec(createMemoryRegistry(), 't');
  const names = { crawl: 't', partitions, keyMode: 'host' } as const;
  const policy = { ...defaultPolicy(), delayMs, delayFactor: 0 };
  await log.append(policyRecords(codec, names, policy, 'test', clock.nowMs()));
  await log.append(seedRecords(codec, names, seeds, clock.nowMs()));
  const frontier = startFrontier({
    ...{ log, codec, clock, crawl: 't', partitions, endsLeases: true, leasesMax: 10 },
    key: { hi: 1, lo: 2 },
    stores: Array.from({ length: partitions }, createMemoryStore),
  });
  const failures: unknown[] = [];
  const fetcherOf = (partition: number): Fetcher =>
    startFetcher({
      ...{ log, codec, clock, ...names, fetcherId: `${partition}`, normalize: compileNormalizer(), group: 't' },
      positions: [{ partition, offset: 0 }],
      onFailure: (error) => failures.push(error),
      config: {
        ...{ version: '0', contact: '', allowPrivate: true, addressDelayMs: 0, groupSize: () => 2, linksMax: 100 },
        resolve: [parseResolveOverride('*:127.0.0.1')],
      },
    });
  const fetchers = Array.from({ length: partitions }, (_, partition) => fetcherOf(partition));
  t.after(async () => {
    await Promise.all([...fetchers.map((fetcher) => fetcher.stop(0)), frontier.stop()]);
    await log.close();
    assert.deepEqual(failures, []);
  });
  await until(done);
}

test('hosts whose robots.txt redirect to each other, on two fetchers, are crawled with every delay kept', {
  timeout: 30_000,
}, async (t) => {
  const moved = new Map<string, [host: string, path: string]>();
  const site = await serveSite(t, (request, response, host) => {
    const { url } = request;
    if (url === '/robots.txt') response.writeHead(301, { location: site.url(...moved.get(host)!) }).end();
    else if (url?.startsWith('/for/')) response.end('User-agent: *\nDisallow: /no');
    else response.writeHead(200, { 'content-type': 'text/html' }).end('x');
  });
  // Two of a domain that lead to each other from different partitions, and a stranger that leads over one of them.
  const [a, other] = ['a.site.test', 'b'.repeat(3)];
  const partitionOfHost = (host: string) => partitionOf(hostKeyOf(site.url(host, '/')), partitions);
  let b = `${other}.site.test`;
  while (partitionOfHost(b) === partitionOfHost(a)) b = `b${b}`;
  const c = 'c.test';
  moved.set(a, [b, '/for/a/robots.txt']).set(b, [a, '/for/b/robots.txt']).set(c, [b, '/robots.txt']);
  const paths = ['/no', ...Array.from({ length: 6 }, (_, n) => `/${n}`)];
  const seeds = [a, b, c].flatMap((host) => paths.map((path) => site.url(host, path)));
  const pages = () => site.hits.filter(({ path }) => /^\/\d$/.test(path));
  await crawl(t, seeds, () => pages().length >= 18);
  assert.equal(pages().length, 18);
  assert.ok(site.hits.every(({ path }) => path !== '/no'));
  for (const host of [a, b, c]) {
    const hits = site.hits.filter((hit) => hit.host === host).sort((one, next) => one.startMs - next.startMs);
    const gapsMs = hits.slice(1).map(({ startMs }, n) => startMs - hits[n]!.endMs);
    assert.ok(Math.min(...gapsMs) >= delayMs, `${host}: ${gapsMs}`);
  }
});
