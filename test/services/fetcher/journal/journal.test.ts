/** What a fetcher asks of a drawn web, and publishes of it, to the last field, as it was when it was kept. */
import { before, it } from 'node:test';
import { blankTask, blankTaskUrl } from '../../../../schemas/blank.ts';
import type { Task } from '../../../../schemas/types.ts';
import { startFetcher } from '../../../../services/fetcher/fetcher.ts';
import type { FetcherConfig } from '../../../../services/fetcher/fetcher-config.ts';
import type { NamedHooks } from '../../../../services/fetcher/hooks/fetch-hooks.ts';
import { loadWholeParser } from '../../../../services/fetcher/pages/extract.ts';
import { extractRulesSchema } from '../../../../services/fetcher/pages/extract-rules.ts';
import { createMemoryRegistry } from '../../../../services/runtime/avro/memory-registry.ts';
import { openCodec } from '../../../../services/runtime/avro/record-codec.ts';
import { controlEvent } from '../../../../services/runtime/crawl/control-log.ts';
import { openEmbeddedLog } from '../../../../services/runtime/log/embedded-log.ts';
import type { Log } from '../../../../services/runtime/log/log.ts';
import { recordsOf } from '../../../../services/runtime/log/records-of.ts';
import { createMemoryStore } from '../../../../services/runtime/store/memory-store.ts';
import { defaultPolicy } from '../../../../topology/policy/policy.ts';
import { topicNames, topics } from '../../../../topology/topics.ts';
import { compileNormalizer } from '../../../../topology/url/normalize.ts';
import { assertKept } from '../../../kept/assert-kept.ts';
import { type Draw, drawFrom } from '../../../kept/drawn.ts';
import { createFakeClock } from '../fake-clock.ts';
import { type Asked, drawnWeb, hosts } from './drawn-web.ts';

const seeds = 14;
const rounds = 16;
const reported = ['pages', 'discovered', 'results', 'responses', 'render', 'robots', 'dead-letters'] as const;

const plugin: NamedHooks = {
  name: 'own',
  request: ({ url }) => (url.endsWith('/5') ? { skip: 'not five' } : { headers: { 'x-own': url.slice(-1) } }),
  urlFilter: ({ url }) => !url.endsWith('/6'),
  page: (page) => ({ ...page, title: `${page.title}!` }),
};

function config(draw: Draw): FetcherConfig {
  const maybe = <K extends keyof FetcherConfig>(key: K, value: FetcherConfig[K]) =>
    draw.percent(50) ? { [key]: value } : {};
  const fields = [{ name: 'price', selector: '.price', type: 'number', hosts: ['a.test'] }];
  return {
    ...{ version: '0.0.0', contact: 'https://example.org/bot', allowPrivate: draw.percent(80), resolve: [] },
    ...{
      addressDelayMs: draw.of([0, 300]),
      groupSize: () => 2,
      linksMax: draw.of([2, 100]),
      leasesMax: draw.of([1, 4]),
    },
    ...maybe('outlinks', true),
    ...maybe('archive', { what: 'pages', bodyBytesMax: 60, messageBytesMax: 60 }),
    ...maybe('requestsMax', 2),
    ...maybe('linkCacheEntries', 16),
    ...maybe('hooks', [plugin]),
    ...maybe(
      'extract',
      extractRulesSchema.parse({ mainText: true, language: true, metadata: true, links: { images: true } }),
    ),
    ...(draw.percent(20) && {
      extract: extractRulesSchema.parse({ render: [{ hosts: ['a.test'] }], fields: fields.slice(0, 0) }),
    }),
    ...maybe('userAgent', 'ownbot/1.0'),
  };
}

function task(draw: Draw, leaseId: number, nowMs: number): Task {
  const hostKey = draw.of(hosts);
  const path = () => `${draw.of(['', 'p/', 'q?x='])}${draw.below(9)}`;
  const since = draw.of([0, 0, -1, nowMs - 1_000]);
  return {
    ...{ ...blankTask, epoch: 1, leaseId, hostKey, grantedAtMs: nowMs - draw.below(900), policyVersion: 1 },
    deadlineMs: nowMs + draw.of([20_000, 60_000, 300_000]),
    notBeforeMs: draw.percent(30) ? nowMs + draw.below(3_000) : 0,
    delayMs: draw.of([0, 100, 1_000]),
    crawlDelayCapMs: draw.of([0, 10_000]),
    delayFactor: draw.of([0, 2]),
    lanes: draw.of([1, 1, 2]),
    signatures: draw.percent(50),
    urls: draw.list(draw.below(6), () => ({
      ...blankTaskUrl,
      url: `http${draw.percent(85) ? '' : 's'}://${hostKey}/${path()}`,
      depth: draw.below(4),
      hop: draw.percent(10) ? 1 : 0,
      attempt: draw.below(2),
      etag: draw.of(['', '"e1"']),
      lastModified: draw.of(['', 'Mon, 06 Nov 2023 08:00:00 GMT']),
      cash: draw.of([0, 0.5]),
      traceparent: draw.percent(10) ? `00-${'a1'.repeat(16)}-${'b2'.repeat(8)}-01` : '',
    })),
    robotsHops: draw.percent(8)
      ? [{ url: `http://${hostKey}/robots.txt`, asked: ['http://d.test/robots.txt'], partition: 0 }]
      : [],
    sitemaps: {
      sinceMs: since,
      origin: since > 0 ? `http://${hostKey}` : '',
      urls: draw.percent(20) ? [`http://${hostKey}/own-map.xml`] : [],
    },
  };
}

function order(draw: Draw, nowMs: number) {
  const hostKey = draw.of(hosts);
  const policy = { ...defaultPolicy(), version: 2, bytesPerSecond: 900, scope: { kind: 'domain', names: ['a.test'] } };
  const kind = draw.of(['blockHost', 'releaseHost', 'pauseHost', 'policy', 'hostDelay'] as const);
  const payload = kind === 'policy' ? JSON.stringify(policy) : '';
  return controlEvent({
    kind,
    hostKey: kind === 'policy' ? '' : hostKey,
    atMs: nowMs,
    by: 'test',
    version: draw.below(9),
    payload,
  });
}

async function played(seed: number): Promise<unknown[]> {
  const draw = drawFrom(seed + 1);
  const clock = createFakeClock();
  const { isAtomic: _, ...oneByOne } = await openEmbeddedLog(createMemoryStore(), clock);
  // As on Kafka in every other seed: a log that takes the records of an append one by one.
  const log: Log = seed % 2 === 0 ? { ...oneByOne, isAtomic: true } : oneByOne;
  await log.createTopics(
    topicNames.map((name) => ({ name: `t.${name}`, partitions: 1, retention: topics[name].retention })),
  );
  const codec = await openCodec(createMemoryRegistry(), 't');
  const asked: Asked[] = [];
  const spans: unknown[] = [];
  const failed: unknown[] = [];
  const fetcher = startFetcher({
    ...{ log, codec, clock, crawl: 't', partitions: 1, keyMode: 'host', fetcherId: 'f1', group: 't.fetchers' },
    ...{
      normalize: compileNormalizer(),
      positions: [{ partition: 0, offset: 0 }],
      randomInt: (max) => draw.below(max),
    },
    dnsLookup: async (name) => ({
      addresses: name === 'd.test' ? [] : [`93.184.216.${name.length}`, '10.0.0.1'],
      ttlMs: 60_000,
    }),
    openHttp: drawnWeb(draw, asked),
    onSpan: ({ name, attributes }) => spans.push([name, attributes]),
    onFailure: (error) => failed.push(`${error}`),
    // No page goes to a worker because the machine is busy.
    extractor: { inlineRichMs: 60_000 },
    config: config(draw),
  });
  const put = (topic: 'tasks' | 'control', value: Uint8Array) =>
    log.append([{ topic: `t.${topic}`, partition: 0, key: null, value }]);
  const parts: unknown[] = [];
  for (let round = 0, leases = 0; round < rounds; round++) {
    for (let more = 2 + draw.below(3); more > 0; more--)
      await put('tasks', codec.encode('tasks', task(draw, ++leases, clock.nowMs())));
    if (draw.percent(30)) await put('control', codec.encode('control', order(draw, clock.nowMs())));
    await clock.advance(draw.of([100, 5_000, 90_000]));
    parts.push(asked.splice(0));
  }
  await clock.advance(400_000);
  const { requestSeconds: __, hostIntervalSeconds: ___, hooks, ...stats } = fetcher.stats();
  parts.push(
    asked.splice(0),
    spans,
    failed,
    stats,
    hooks.map(({ seconds: ____, ...use }) => use),
  );
  const stopped = fetcher.stop(0);
  await clock.advance(60_000);
  await stopped;
  for (const name of reported) {
    const { end } = await log.offsets(`t.${name}`, 0);
    const records: unknown[] = [];
    for await (const { value, key, headers } of recordsOf(log, `t.${name}`, 0, 0, end))
      records.push([`${key}`, headers, codec.decode(name, value)]);
    parts.push(...records);
  }
  await log.close();
  return parts;
}

// Its loading takes time that no clock here counts.
before(loadWholeParser);

it('leases of a drawn web', async () => {
  const cases = new Map<string, unknown[]>();
  for (let seed = 0; seed < seeds; seed++) cases.set(`seed ${seed}`, await played(seed));
  assertKept(new URL('fetched.json', import.meta.url), cases);
});
