/**
 * The graph is what runs: a crawl on the embedded log with every processor, over which each topic that is read or appended
 * to is noted. Each declared edge has to be met, and what is not declared is refused.
 */
import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { blankResult } from '../../../schemas/blank.ts';
import { createApplication, endOfTasks } from '../../../services/application/application.ts';
import { startWhole } from '../../../services/application/crawl/start-whole.ts';
import { declaredLog, type Edge } from '../../../services/application/processor/declared-log.ts';
import { startProcessor } from '../../../services/application/start-processors.ts';
import * as topology from '../../../services/application/topology.ts';
import { parseResolveOverride } from '../../../services/fetcher/connect/resolve-override.ts';
import { extractRulesSchema } from '../../../services/fetcher/pages/extract-rules.ts';
import { createMemoryRegistry } from '../../../services/runtime/avro/memory-registry.ts';
import { openCodec } from '../../../services/runtime/avro/record-codec.ts';
import { SystemClock } from '../../../services/runtime/clock.ts';
import { policyRecords, seedRecords } from '../../../services/runtime/crawl/requests.ts';
import type { Manifest } from '../../../services/runtime/data-folder/manifest.ts';
import { openEmbeddedLog } from '../../../services/runtime/log/embedded-log.ts';
import { createService } from '../../../services/runtime/metrics/service.ts';
import { createMemoryStore } from '../../../services/runtime/store/memory-store.ts';
import { defaultPolicy, type PolicyConfig } from '../../../topology/policy/policy.ts';
import { topicsOfCrawl } from '../../../topology/topics.ts';
import { compileNormalizer } from '../../../topology/url/normalize.ts';
import { chromiumHere, noBrowser } from '../../browser/chromium.ts';
import { serveSite } from '../fetcher/loopback.ts';
import { temporaryFolder } from '../runtime/store/temporary-folder.ts';

const crawl = 'probe';
const partitions = 2;
const key = { hi: 1, lo: 2 };

async function openCrawl(t: TestContext, own: Partial<PolicyConfig> = {}) {
  const clock = new SystemClock();
  const log = await openEmbeddedLog(createMemoryStore(), clock);
  // What reads it ends first.
  const stops: (() => Promise<unknown>)[] = [() => log.close()];
  t.after(async () => {
    for (const stop of stops.toReversed()) await stop();
  });
  await log.createTopics(topicsOfCrawl(crawl, partitions));
  const codec = await openCodec(createMemoryRegistry(), crawl);
  const manifest = { crawl, partitions, keyMode: 'host', fingerprintKey: '0'.repeat(32) } as unknown as Manifest;
  const seen = new Set<string>();
  const onEdge = ({ processor, way, topic }: Edge) => void seen.add(`${processor} ${way} ${topic}`);
  const policy = { ...defaultPolicy(), version: 1, delayMs: 0, delayFactor: 0, pageQuota: 1_000, ...own };
  await log.append(
    policyRecords(codec, manifest, { ...policy, scope: { kind: 'all', names: [] } }, 'test', clock.nowMs()),
  );
  const garbage = async (topic: string) => {
    const value = Buffer.from('no record at all');
    for (let partition = 0; partition < partitions; partition++)
      await log.append([{ topic: `${crawl}.${topic}`, partition, key: null, value }]);
  };
  return { clock, log, codec, manifest, seen, onEdge, garbage, stops };
}

/** Or until a minute is over: what is asked after it tells what was missing. */
async function until(isSo: () => boolean): Promise<void> {
  const untilMs = performance.now() + 60_000;
  while (!isSo() && performance.now() < untilMs) await sleep(50);
}

async function untilSeen(seen: ReadonlySet<string>, names: readonly string[]): Promise<void> {
  const wanted = topology.processors
    .filter(({ name }) => names.includes(name))
    .flatMap(({ name, reads, writes }) => [
      ...reads.map((topic) => `${name} reads ${topic}`),
      ...writes.map((topic) => `${name} writes ${topic}`),
    ]);
  const missing = () => wanted.filter((edge) => !seen.has(edge));
  await until(() => missing().length === 0);
  assert.deepEqual(missing(), [], 'declared, and not met');
  assert.deepEqual(
    [...seen].filter((edge) => names.includes(edge.split(' ')[0]!) && !wanted.includes(edge)),
    [],
  );
}

test('a crawl uses every edge of the graph, and no other', {
  skip: chromiumHere() === undefined ? noBrowser : false,
}, async (t) => {
  const site = await serveSite(t, (request, response) => {
    if (request.url === '/robots.txt') return response.end('User-agent: *\nAllow: /\n');
    response.setHeader('content-type', request.url === '/app.js' ? 'text/javascript' : 'text/html');
    if (request.url === '/app.js') return response.end('document.title = "made by a script"');
    if (request.url !== '/')
      return response.end(`<title>copy</title><p>${'The same text everywhere. '.repeat(20)}</p>`);
    const links = Array.from({ length: 40 }, (_, n) => `<a href="/copies/${n}">c</a>`).join('');
    return response.end(`<title>app</title>${links}<script src="/app.js"></script>`);
  });
  const { clock, log, codec, manifest, seen, onEdge, garbage, stops } = await openCrawl(t);
  const folder = temporaryFolder();
  const part = (name: string) => {
    const path = join(folder, name);
    mkdirSync(path, { recursive: true });
    return path;
  };
  const archive = { what: 'pages', bodyBytesMax: 1_000_000, messageBytesMax: 1_000_000 } as const;
  const reach = {
    allowPrivate: true,
    resolve: [parseResolveOverride(`*:${site.port}:127.0.0.1`)],
    contact: '',
    archive,
  };
  const failures: unknown[] = [];
  const onFailure = (error: unknown) => void failures.push(error);

  const rest = { shared: false, fromStart: false, reach, service: createService('probe'), say: () => {} };
  const running: Awaited<ReturnType<typeof startProcessor>>[] = [];
  for (const processor of topology.consumers) {
    const context = { log, codec, clock, manifest, part, ...rest };
    const one = await startProcessor(processor, context, {}, onEdge);
    one.ended.catch(onFailure);
    running.push(one);
    stops.push(() => one.stop());
  }
  const application = createApplication({ log, codec, clock, manifest, onEdge });
  // A member of a group looks for fetchers that take tasks; there is nobody to be found on the embedded log.
  const openStore = async () => createMemoryStore();
  const member = await application.frontierMember({ key, endsLeases: false, onFailure, openStore });
  await member.ready();
  await until(() => seen.has('frontier reads tasks'));
  await member.stop();
  const at = await endOfTasks({ log, manifest });
  const whole = startWhole(application, {
    at,
    frontier: { key, stores: [createMemoryStore(), createMemoryStore()], endsLeases: true, leasesMax: 10 },
    fetcher: {
      fetcherId: 'probe',
      normalize: compileNormalizer(),
      onFailure,
      config: {
        ...{ version: '0', ...reach, addressDelayMs: 0, groupSize: () => 1, linksMax: 100, outlinks: true },
        extract: extractRulesSchema.parse({ render: [{ hosts: ['a.test'] }] }),
      },
    },
  });
  whole.frontier.ended.catch(onFailure);
  stops.push(() => whole.stop());

  // What no processor of ours would write: records that nobody can read, and some on a partition of others.
  for (const topic of ['pages', 'results', 'discovered', 'tasks', 'render', 'responses', 'duplicates'])
    await garbage(topic);
  const hostKey = `a.test:${site.port}`;
  const seeds = seedRecords(codec, manifest, [{ url: `http://${hostKey}/` } as never], clock.nowMs());
  for (const partition of [0, 1]) {
    await log.append(seeds.map((record) => ({ ...record, partition })));
    const result = { ...blankResult, partition, hostKey, leaseId: 9, epoch: 9, fetcherId: 'other', last: true };
    await log.append([{ topic: `${crawl}.results`, partition, key: null, value: codec.encode('results', result) }]);
  }

  await untilSeen(seen, ['frontier', 'fetcher', ...topology.consumers.map(({ name }) => name)]);
  assert.deepEqual(failures, []);
});

test('a served crawl uses every edge of the gRPC server’s frontier, and no other', async (t) => {
  const { clock, log, codec, manifest, seen, onEdge, garbage, stops } = await openCrawl(t, { sink: 'pull' });
  const failures: unknown[] = [];
  const stores = [createMemoryStore(), createMemoryStore()];
  const options = {
    key,
    stores,
    endsLeases: false,
    leasesMax: 0,
    onFailure: (error: unknown) => void failures.push(error),
  };
  const frontier = createApplication({ log, codec, clock, manifest, onEdge }).frontier(options, 'pull');
  stops.push(() => frontier.stop());
  for (const topic of ['results', 'discovered', 'control']) await garbage(topic);
  const hostKey = 'a.test';
  const seeds = seedRecords(codec, manifest, [{ url: `http://${hostKey}/` } as never], clock.nowMs());
  for (const partition of [0, 1]) {
    await log.append(seeds.map((record) => ({ ...record, partition })));
    const result = { ...blankResult, partition, hostKey, leaseId: 9, epoch: 9, fetcherId: 'other', last: true };
    await log.append([{ topic: `${crawl}.results`, partition, key: null, value: codec.encode('results', result) }]);
  }
  await untilSeen(seen, ['urlfrontier']);
  await until(() => frontier.committed().every((one) => one?.counters.undecodable === 3));
  assert.deepEqual(failures, []);
});

test('a processor that exceeds its declaration is stopped, and named', async (t) => {
  const { log, onEdge } = await openCrawl(t);
  const guarded = declaredLog(log, topology.consumers.find(({ name }) => name === 'graph')!, crawl, onEdge);
  const record = { topic: `${crawl}.pages`, partition: 0, key: null, value: Buffer.alloc(1) };
  await assert.rejects(
    guarded.append([record]),
    /^CrawlstreamError: graph writes probe\.pages, which is not in its declaration \(a bug\)/,
  );
  assert.throws(() => guarded.reader().seek(`${crawl}.results`, 0, 0), /graph reads probe\.results/);
});
