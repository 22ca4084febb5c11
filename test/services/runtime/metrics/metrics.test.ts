import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Distribution } from '../../../../services/runtime/metrics/distribution.ts';
import { createExposition } from '../../../../services/runtime/metrics/exposition.ts';
import { type MetricSource, type MetricSpec, metrics } from '../../../../services/runtime/metrics/metrics.ts';

/** Our own series of a scrape, by name and labels. */
async function scraped(...sources: readonly MetricSource[]): Promise<Map<string, string>> {
  const failures: unknown[] = [];
  const { text } = await createExposition(
    () => sources,
    (error) => failures.push(error),
  ).scrape();
  assert.deepEqual(failures, []);
  return seriesOf(text);
}

function seriesOf(text: string): Map<string, string> {
  const lines = text.split('\n').filter((line) => line.startsWith('crawlstream_'));
  return new Map(lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), line.slice(line.lastIndexOf(' ') + 1)]));
}

test('metric names follow the conventions of Prometheus: a prefix, base units last, _total on counters only', () => {
  for (const [name, { kind, help, labels }] of Object.entries<MetricSpec>(metrics)) {
    assert.match(name, /^crawlstream_[a-z]+(_[a-z]+)*$/);
    assert.equal(name.endsWith('_total'), kind === 'counter', name);
    assert.doesNotMatch(name, /_(ms|millis|milliseconds|kb|mb|minutes|percent)(_|$)/);
    if (kind === 'histogram') assert.match(name, /_(seconds|bytes)$/);
    assert.ok(help.length > 10, name);
    for (const label of labels) assert.ok(!['url', 'host', 'le', 'quantile'].includes(label), `${name} ${label}`);
  }
});

test('samples of one series from several sources add up, and a series without samples is absent', async () => {
  const series = await scraped(
    (report) => report.value('crawlstream_frontier_leases', 2, { partition: 0 }),
    (report) => report.value('crawlstream_frontier_leases', 3, { partition: 0 }),
    (report) => report.value('crawlstream_frontier_leases', 4, { partition: 1 }),
  );
  assert.deepEqual(
    [...series],
    [
      ['crawlstream_frontier_leases{partition="0"}', '5'],
      ['crawlstream_frontier_leases{partition="1"}', '4'],
    ],
  );
});

test('a scrape shows current series only: those of a moved partition are gone', async () => {
  let partition = 0;
  const source: MetricSource = (report) => report.value('crawlstream_frontier_links_total', 7, { partition });
  const exposition = createExposition(
    () => [source],
    (error) => assert.fail(String(error)),
  );
  assert.deepEqual(
    [...seriesOf((await exposition.scrape()).text).keys()],
    ['crawlstream_frontier_links_total{partition="0"}'],
  );
  partition = 1;
  assert.deepEqual(
    [...seriesOf((await exposition.scrape()).text).keys()],
    ['crawlstream_frontier_links_total{partition="1"}'],
  );
});

test('a distribution is a histogram over all sources: cumulative buckets, sum and count', async () => {
  const [one, other] = [new Distribution([1, 5]), new Distribution([1, 5])];
  for (const value of [0.5, 1, 3]) one.observe(value);
  for (const value of [5, 100]) other.observe(value);
  const series = await scraped(
    (report) => report.spread('crawlstream_fetcher_request_seconds', one),
    (report) => report.spread('crawlstream_fetcher_request_seconds', other),
  );
  assert.deepEqual(Object.fromEntries(series), {
    'crawlstream_fetcher_request_seconds_bucket{le="1"}': '2',
    'crawlstream_fetcher_request_seconds_bucket{le="5"}': '4',
    'crawlstream_fetcher_request_seconds_bucket{le="+Inf"}': '5',
    crawlstream_fetcher_request_seconds_sum: '109.5',
    crawlstream_fetcher_request_seconds_count: '5',
  });
});

test('a failing source is reported, and the other sources are still exported', async () => {
  const failures: unknown[] = [];
  const sources: MetricSource[] = [
    () => {
      throw new Error('the log is closed');
    },
    (report) => report.value('crawlstream_ready', 1),
  ];
  const { text } = await createExposition(
    () => sources,
    (error) => failures.push(error),
  ).scrape();
  assert.match(text, /^crawlstream_ready 1$/m);
  assert.match(String(failures), /the log is closed/);
});

test('every series has the labels of the service and of the process', async () => {
  let crawl = 'news';
  const exposition = createExposition(
    () => [(report) => report.value('crawlstream_frontier_leases', 2, { partition: 0 })],
    (error) => assert.fail(String(error)),
    () => ({ crawl }),
  );
  for (crawl of ['news', 'other']) {
    const { text } = await exposition.scrape();
    const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
    assert.ok(lines.length > 20 && lines.some((line) => line.startsWith('process_')), text);
    for (const line of lines) assert.ok(line.includes(`crawl="${crawl}"`), line);
  }
});

test('a counter never falls, whatever its sources report: it stands still, then continues', async () => {
  let admitted = 100;
  let other: number | Error = 50;
  const shown = async () => {
    const [, value] = [...seriesOf((await exposition.scrape()).text)][0]!;
    return Number(value);
  };
  const exposition = createExposition(
    () => [
      (report) => report.value('crawlstream_frontier_admissions_total', admitted, { partition: 0 }),
      (report) => {
        if (other instanceof Error) throw other;
        if (other > 0) report.value('crawlstream_frontier_admissions_total', other, { partition: '0' });
      },
    ],
    () => {},
  );
  assert.equal(await shown(), 150);
  admitted = 60;
  assert.equal(await shown(), 150, 'URLs were purged');
  admitted = 65;
  assert.equal(await shown(), 155);
  other = new Error('the log is closed');
  assert.equal(await shown(), 155, 'a source that fails for now');
  other = 52;
  assert.equal(await shown(), 157, 'is not counted twice once it tells again');
  other = 0;
  assert.equal(await shown(), 157, 'a source that has ended');
  admitted = 70;
  assert.equal(await shown(), 162);
});

test('every exported metric passes the lint of promtool, including those of Node', async () => {
  const sources: MetricSource[] = Object.entries<MetricSpec>(metrics).map(([name, { kind, labels }]) => (report) => {
    if (kind === 'histogram') report.spread(name as 'crawlstream_fetcher_request_seconds', new Distribution([1]));
    else report.value(name as 'crawlstream_ready', 1, Object.fromEntries(labels.map((label) => [label, 'x'])));
  });
  const { text } = await createExposition(
    () => sources,
    (error) => assert.fail(String(error)),
  ).scrape();
  // Its rules: github.com/prometheus/client_golang, prometheus/testutil/promlint/validations.
  const types = [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name, type]) => [name!, type!] as const);
  assert.ok(types.length > 100, `${types.length}`);
  for (const [name, type] of types) {
    assert.match(text, new RegExp(`^# HELP ${name} \\S`, 'm'), name);
    assert.equal(name.endsWith('_total'), type === 'counter', `${name} is a ${type}`);
    assert.doesNotMatch(name, /:|[A-Z]/);
    assert.doesNotMatch(name, /_(counter|gauge|histogram|summary|untyped)(_|$)/);
    assert.doesNotMatch(
      name,
      /_(s|ms|us|ns|sec|b|kb|mb|gb|tb|m|h|d|milliseconds|minutes|hours|kilobytes|megabytes)(_|$)/,
    );
    if (type === 'gauge') assert.doesNotMatch(name, /_(count|sum|bucket)$/, name);
  }
});
