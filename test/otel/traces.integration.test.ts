import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { lastJson, runCommand } from '../../lab/process/command.ts';
import { consumePages } from '../../services/consumer/consume-pages.ts';
import { parseTraceparent } from '../../topology/trace/trace-context.ts';
import { startSmallWeb } from '../services/cli/small-web.ts';
import { temporaryFolder } from '../services/runtime/store/temporary-folder.ts';
import { collectorSkipReason, type ReceivedSpan, startCollector } from './collector.ts';

const skip = await collectorSkipReason();

describe('traces, with a real collector', { skip }, async () => {
  if (skip !== undefined) return;
  const collector = await startCollector();
  after(() => collector.stop());
  const small = await startSmallWeb({ hosts: 3, pagesPerHost: 6, domains: 3, redirects: 0.4, errors: 0.2 });
  const data = join(temporaryFolder(), 'data');
  const traced = ['--trace-ratio', '1', '--otlp', collector.endpoint];
  const quick = ['--delay', '0', '--retries', '0.1s', '--json'];
  const first = await runCommand([...small.crawlArguments, ...quick, '--data', data, ...traced]);
  assert.equal(first.code, 0, first.stderr);
  const pages = lastJson(first)['pages'] as number;
  const spans: readonly ReceivedSpan[] = [...collector.spans];
  /** By trace, and there by name. */
  const traces = new Map<string, Map<string, ReceivedSpan[]>>();
  for (const span of spans) {
    const trace = traces.get(span.traceId) ?? new Map<string, ReceivedSpan[]>();
    trace.set(span.name, [...(trace.get(span.name) ?? []), span]);
    traces.set(span.traceId, trace);
  }

  const of = (trace: ReadonlyMap<string, ReceivedSpan[]>, name: string) => trace.get(name)?.[0] as ReceivedSpan;

  it('every page has one trace, with every step of its way under the right parent', async () => {
    assert.ok(pages > 10);
    const withPage = [...traces.values()].filter((trace) =>
      trace.get('lease')?.some(({ attributes }) => attributes['crawlstream.outcome'] === 'fetched'),
    );
    assert.equal(withPage.length, pages);
    for (const trace of withPage) {
      const [admit, queue, lease] = ['admit', 'queue', 'lease'].map((name) => of(trace, name));
      assert.equal(admit!.parentSpanId, '', 'the trace begins with the admission');
      assert.equal(queue!.parentSpanId, admit!.spanId);
      assert.equal(lease!.parentSpanId, queue!.spanId);
      for (const name of ['robots', 'fetch', 'parse', 'publish', 'resolve'])
        assert.equal(of(trace, name).parentSpanId, lease!.spanId, name);
      const urls = new Set([...trace.values()].flat().flatMap(({ attributes }) => attributes['url.full'] ?? []));
      assert.equal(urls.size, 1);
      assert.equal(of(trace, 'fetch').attributes['http.response.status_code'], 200);
      assert.equal(of(trace, 'fetch').attributes['http.request.method'], 'GET');
      for (const [name, topic] of [
        ['admit', 'discovered'],
        ['lease', 'tasks'],
        ['resolve', 'results'],
      ] as const) {
        const { attributes } = of(trace, name);
        assert.equal(attributes['messaging.destination.name'], `crawl.${topic}`, name);
        assert.equal(attributes['messaging.system'], 'crawlstream', 'a log in a folder is no Kafka');
      }
    }
    assert.equal(new Set(spans.map(({ spanId }) => spanId)).size, spans.length, 'no span is told of twice');
    assert.ok(spans.every(({ service }) => service === 'crawlstream-crawl'));
    const { traceId, attributes } = of(withPage[0]!, 'admit');
    const explained = await runCommand(['explain', String(attributes['url.full']), '--data', data, '--json']);
    assert.deepEqual(lastJson(explained)['trace'], { traceId });
  });

  it('span times are those of the crawl, and each step follows the previous one', () => {
    const order = ['admit', 'queue', 'lease', 'robots', 'fetch', 'parse', 'publish', 'resolve'];
    for (const trace of traces.values()) {
      const attempts = trace.get('lease')!.length;
      if (attempts > 1) continue;
      const way = order.flatMap((name) => trace.get(name) ?? []);
      way.forEach((span, index) => {
        assert.ok(span.endMs >= span.startMs, span.name);
        assert.ok(Math.abs(span.startMs - Date.now()) < 120_000, `${span.name} is of now`);
        const earlier = way[index - 1];
        if (earlier) assert.ok(span.startMs >= earlier.startMs, `${span.name} begins after ${earlier.name}`);
      });
      const [lease, fetch, publish] = [of(trace, 'lease'), of(trace, 'fetch'), trace.get('publish')?.[0]];
      if (fetch) assert.ok(fetch.startMs >= lease.startMs && fetch.endMs <= lease.endMs);
      if (publish) assert.ok(publish.endMs <= lease.endMs && publish.endMs <= of(trace, 'resolve').endMs);
    }
  });

  it('a linked page has its own trace, which refers to the fetch that found it', () => {
    const fetches = new Map(
      spans.filter(({ name }) => name === 'fetch').map((span) => [`${span.traceId} ${span.spanId}`, span]),
    );
    const admitted = spans.filter(({ name }) => name === 'admit');
    assert.equal(admitted.length, traces.size);
    const seeds = admitted.filter(({ links }) => links.length === 0);
    assert.deepEqual(seeds.map(({ attributes }) => attributes['url.full']).sort(), [...small.seeds].sort());
    for (const { traceId, links, startMs } of admitted) {
      for (const link of links) {
        const fetch = fetches.get(`${link.traceId} ${link.spanId}`);
        assert.ok(fetch, 'the fetch is there');
        assert.notEqual(fetch.traceId, traceId);
        assert.ok(startMs >= fetch.startMs);
      }
    }
  });

  it('a failed attempt is followed by the next in the same trace', () => {
    const retried = [...traces.values()].filter((trace) => trace.get('lease')!.length > 1);
    assert.ok(retried.length > 0, 'some URL of this web fails');
    for (const trace of retried) {
      assert.equal(trace.get('queue')!.length, trace.get('lease')!.length);
      assert.equal(new Set(trace.get('queue')!.map(({ parentSpanId }) => parentSpanId)).size, 1);
      assert.ok(trace.get('fetch')!.some(({ status }) => status === 2));
      const goes = trace.get('resolve')!.map(({ attributes }) => attributes['crawlstream.goes']);
      assert.equal(goes[0], 'again');
    }
  });

  it('page records carry the trace context, so that consumers can continue the trace', async () => {
    const contexts: string[] = [];
    const consumer = await consumePages({
      data,
      group: 'traced',
      untilEnd: true,
      handle: async (batch) => {
        for (const { record } of batch) contexts.push(record.headers['traceparent'] ?? '');
      },
    });
    await consumer.ended;
    assert.equal(contexts.length, pages);
    const published = new Set(
      spans.filter(({ name }) => name === 'publish').map(({ traceId, spanId }) => `${traceId} ${spanId}`),
    );
    for (const context of contexts) {
      const { traceId, spanId } = parseTraceparent(context)!;
      assert.ok(published.has(`${traceId} ${spanId}`));
    }
  });

  it('a host is traced by name, and an operator sets which hosts, and how many others', async () => {
    const folder = join(temporaryFolder(), 'data');
    const where = ['--data', folder, '--json'];
    const { host, hostname } = new URL(small.seeds[1]!);
    const seen = collector.spans.length;
    const named = ['--trace-hosts', hostname, '--otlp', collector.endpoint];
    const ended = await runCommand([...small.crawlArguments, ...quick, ...where, ...named]);
    assert.equal(ended.code, 0, ended.stderr);
    const hosts = collector.spans.slice(seen).map(({ attributes }) => attributes['crawlstream.host']);
    assert.deepEqual([...new Set(hosts.filter((one) => one !== undefined))], [host]);

    const report = async (...words: string[]) => lastJson(await runCommand(['trace', ...words, ...where]));
    const policy = async () => lastJson(await runCommand(['policy', 'show', ...where]))['trace'];
    assert.deepEqual(await policy(), { ratio: 0, hosts: [hostname] });
    assert.deepEqual(await report(hostname), { ratio: 0, hosts: [hostname], changed: false });
    assert.ok((await report('--ratio', '0.5'))['version']);
    assert.deepEqual(await policy(), { ratio: 0.5, hosts: [hostname] });
    assert.ok((await report(hostname, '--off', '--ratio', '0'))['version']);
    assert.equal(await policy(), undefined);
    assert.equal((await runCommand(['trace', ...where])).code, 2, 'trace what?');
  });

  it('an absent collector costs spans, not pages', async () => {
    const folder = join(temporaryFolder(), 'data');
    const nobody = ['--trace-ratio', '1', '--otlp', 'http://127.0.0.1:9'];
    const ended = await runCommand([...small.crawlArguments, ...quick, '--data', folder, ...nobody]);
    assert.equal(ended.code, 0, ended.stderr);
    assert.equal(lastJson(ended)['pages'], pages);
    assert.equal(ended.stderr.match(/accepts no spans/g)?.length, 1, ended.stderr);
  });
});
