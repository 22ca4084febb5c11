/** Metrics and logs as a real collector has them, beside those that Prometheus scrapes and stderr shows. */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { runCommand, startCommand } from '../../lab/process/command.ts';
import { listening, scrape } from '../services/cli/listening.ts';
import { startSmallWeb } from '../services/cli/small-web.ts';
import { temporaryFolder } from '../services/runtime/store/temporary-folder.ts';
import { attributesOf, collectorSkipReason, type OtlpMetric, startCollector } from './collector.ts';

const skip = await collectorSkipReason();

describe('metrics and logs, with a real collector', { skip }, async () => {
  if (skip !== undefined) return;
  const collector = await startCollector();
  after(() => collector.stop());
  const metricsOf = (resource: OtlpExport): readonly OtlpMetric[] =>
    resource.resourceMetrics.flatMap(({ scopeMetrics }) => scopeMetrics.flatMap(({ metrics }) => metrics));
  type OtlpExport = (typeof collector.metrics)[number];

  it('a real collector gets the metrics of a scrape, by the same names, and the log lines', async () => {
    const small = await startSmallWeb({ preset: 'plain', hosts: 2, pagesPerHost: 4, domains: 2 });
    const env = { OTEL_METRIC_EXPORT_INTERVAL: '300', OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test' };
    const args = [
      ...small.crawlArguments,
      '--delay',
      '0',
      '--data',
      join(temporaryFolder(), 'data'),
      '--recrawl',
      'fixed',
    ];
    const crawl = startCommand([...args, '--http', '0', '--log', 'json', '--otlp', collector.endpoint], { env });
    const url = /^http:\/\/[\w.:]+/.exec(await listening(crawl))![0];
    const pages = async () => {
      const found = [...(await scrape(url))].filter(([name]) => name.startsWith('crawlstream_fetcher_fetches_total'));
      return found.reduce((sum, [, value]) => sum + value, 0);
    };
    while ((await pages()) < 8) await sleep(50);
    await sleep(1_000);
    const scraped = await scrape(url);
    const before = collector.metrics.length;
    while (collector.metrics.length < before + 2) await sleep(50);
    const newest = collector.metrics.at(-1)!;
    const [{ resource }] = newest.resourceMetrics as [OtlpExport['resourceMetrics'][number]];
    const about = attributesOf(resource.attributes);
    assert.equal(about['service.name'], 'crawlstream-crawl');
    assert.equal(about['deployment.environment.name'], 'test');
    const byName = new Map(metricsOf(newest).map((metric) => [metric.name, metric]));
    const names = new Set(
      [...scraped.keys()].map((series) => series.split('{')[0]!.replace(/_(bucket|sum|count)$/, '')),
    );
    const missing = [...names].filter((name) => !byName.has(name) && !byName.has(`${name}_count`));
    assert.deepEqual(missing, [], 'every scraped metric is exported');
    const fetches = byName.get('crawlstream_fetcher_fetches_total')!;
    assert.deepEqual([fetches.sum!.isMonotonic, fetches.sum!.aggregationTemporality], [true, 2]);
    const fetched = fetches.sum!.dataPoints.find((point) => attributesOf(point.attributes!)['outcome'] === 'fetched')!;
    assert.equal(fetched.asDouble, 8);
    assert.equal(attributesOf(fetched.attributes!)['crawl'], 'crawl');
    const requests = byName.get('crawlstream_fetcher_request_seconds')!;
    assert.equal(requests.unit, 's');
    const [point] = requests.histogram!.dataPoints;
    assert.equal(Number(point!.count), scraped.get('crawlstream_fetcher_request_seconds_count'));
    assert.equal(
      point!.bucketCounts!.reduce((sum, count) => sum + Number(count), 0),
      Number(point!.count),
    );
    assert.equal(point!.bucketCounts!.length, point!.explicitBounds!.length + 1);
    const asked = await fetch(`${url}/urls`, { method: 'POST', headers: { 'x-request-id': 'mine' } });
    assert.equal(asked.status, 400, await asked.text());
    crawl.child.kill('SIGINT');
    await crawl.ended;
    const records = collector.logs.flatMap(({ resourceLogs }) =>
      resourceLogs.flatMap(({ scopeLogs }) => scopeLogs.flatMap(({ logRecords }) => logRecords)),
    );
    const reported = records.find(({ body }) => body.stringValue === 'POST /urls: 400')!;
    assert.deepEqual([reported.severityNumber, reported.severityText], [9, 'info']);
    assert.equal(attributesOf(reported.attributes!)['crawlstream.component'], 'http');
    assert.equal(attributesOf(reported.attributes!)['crawlstream.request_id'], 'mine');
    assert.ok(Math.abs(Number(reported.timeUnixNano) / 1e6 - Date.now()) < 120_000);
  });

  it('a real collector gets a span with the method that a rule sent', async () => {
    const site = createServer((request, response) => {
      response.setHeader('content-type', 'text/html').end(`<p>${request.method}</p>`);
    }).listen(0, '127.0.0.1');
    after(() => site.close().closeAllConnections());
    await new Promise((resolve) => site.once('listening', resolve));
    const url = `http://127.0.0.1:${(site.address() as AddressInfo).port}/form`;
    const rules = join(temporaryFolder(), 'rules.yaml');
    await writeFile(rules, `- urls: ["${url}"]\n  method: POST\n  body: q=frontier\n`);
    const seen = collector.spans.length;
    const place = ['--allow-private', '--contact', 'me@example.org', '--data', join(temporaryFolder(), 'data')];
    const traced = ['--trace-ratio', '1', '--otlp', collector.endpoint, '--requests', rules];
    const ended = await runCommand(['crawl', url, ...place, ...traced]);
    assert.equal(ended.code, 0, ended.stderr);
    const fetch = collector.spans.slice(seen).find(({ name }) => name === 'fetch')!;
    assert.equal(fetch.attributes['http.request.method'], 'POST');
  });

  it('an absent collector costs a line a minute, and the crawl ends as usual', async () => {
    const small = await startSmallWeb({ preset: 'plain', hosts: 1, pagesPerHost: 3, domains: 1 });
    const args = [...small.crawlArguments, '--delay', '0', '--data', join(temporaryFolder(), 'data')];
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9', OTEL_METRIC_EXPORT_INTERVAL: '50' };
    const ended = await runCommand(args, { env });
    assert.equal(ended.code, 0, ended.stderr);
    assert.equal(ended.stderr.match(/accepts no metrics/g)?.length, 1, ended.stderr);
    const off = { ...env, OTEL_METRICS_EXPORTER: 'none', OTEL_LOGS_EXPORTER: 'none' };
    const quiet = await runCommand([...args.slice(0, -1), join(temporaryFolder(), 'data')], { env: off });
    assert.doesNotMatch(quiet.stderr, /accepts no (metrics|logs)/);
  });
});
