import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createSuccessiveMetrics, takeMetrics } from '../../../../services/application/workers/successive-metrics.ts';
import type { MetricSource } from '../../../../services/runtime/metrics/metrics.ts';

/** Of a process whose consumer has read so many records, and whose browser shares its network. */
const sourceOf =
  (records: number): MetricSource =>
  (report) => {
    for (const consumer of ['index', 'dedup'])
      report.value('crawlstream_consumer_records_total', records, { consumer });
    report.value('crawlstream_render_shared_network', 1);
  };

const spread = { bounds: [1, 2], counts: [3, 4, 5], sum: 6 };

test('counters continue over successive processes, and gauges end with their process', async () => {
  const metrics = createSuccessiveMetrics();
  const shown = async () => (await takeMetrics([metrics.source])).values.map(([, value]) => value);
  assert.deepEqual(await shown(), []);
  metrics.take(await takeMetrics([sourceOf(3)]));
  metrics.take(await takeMetrics([sourceOf(5)]));
  assert.deepEqual(await shown(), [5, 5, 1]);
  metrics.end();
  assert.deepEqual(await shown(), [5, 5]);
  metrics.end();
  metrics.take(await takeMetrics([sourceOf(2)]));
  assert.deepEqual(await shown(), [7, 7, 1]);
});

test('names, labels and distributions arrive as their sources report them', async () => {
  const metrics = createSuccessiveMetrics();
  metrics.take(
    await takeMetrics([sourceOf(1), (report) => report.spread('crawlstream_fetcher_request_seconds', spread)]),
  );
  const { values, spreads } = await takeMetrics([metrics.source]);
  assert.deepEqual(values[0], ['crawlstream_consumer_records_total', 1, { consumer: 'index' }]);
  assert.deepEqual(spreads, [['crawlstream_fetcher_request_seconds', spread]]);
});
