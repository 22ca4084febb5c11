/** Metrics in OTLP’s JSON form (opentelemetry.io/docs/specs/otlp), of what Prometheus reads. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { metricsBody, type ReportedMetric } from '../../../../services/runtime/otlp/otlp-metrics.ts';

const about = {
  resource: { attributes: [{ key: 'service.name', value: { stringValue: 'pond' } }] },
  ...{ version: '1.2.3', startMs: 1_000, nowMs: 61_000.5 },
};
const times = { startTimeUnixNano: '1000000000', timeUnixNano: '61000500000' };

type Body = {
  readonly resourceMetrics: readonly { readonly scopeMetrics: readonly { readonly metrics: readonly object[] }[] }[];
};

async function metricsOf(...metrics: readonly ReportedMetric[]): Promise<readonly object[]> {
  const body = (await metricsBody({ read: async () => metrics as never }, about)) as Body;
  return body.resourceMetrics[0]!.scopeMetrics[0]!.metrics;
}

const metric = (type: string, name: string, ...values: ReportedMetric['values']): ReportedMetric => ({
  ...{ name, help: `about ${name}`, type, values },
});

test('an export names the resource, the program and its version', async () => {
  assert.deepEqual(await metricsBody({ read: async () => [] as never }, about), {
    resourceMetrics: [
      { resource: about.resource, scopeMetrics: [{ scope: { name: 'crawlstream', version: '1.2.3' }, metrics: [] }] },
    ],
  });
});

test('a counter is a monotonic sum from the start, a gauge a value of now', async () => {
  const values = [
    { value: 7, labels: { outcome: 'page', partition: 3 } },
    { value: 0.5, labels: {} },
  ];
  const dataPoints = [
    {
      ...times,
      attributes: [
        { key: 'outcome', value: { stringValue: 'page' } },
        { key: 'partition', value: { stringValue: '3' } },
      ],
      asDouble: 7,
    },
    { ...times, attributes: [], asDouble: 0.5 },
  ];
  assert.deepEqual(await metricsOf(metric('counter', 'pages_total', ...values)), [
    {
      ...{ name: 'pages_total', description: 'about pages_total', unit: '1' },
      sum: { aggregationTemporality: 2, isMonotonic: true, dataPoints },
    },
  ]);
  for (const type of ['gauge', 'summary'])
    assert.deepEqual(await metricsOf(metric(type, 'pages', ...values)), [
      { ...{ name: 'pages', description: 'about pages', unit: '1' }, gauge: { dataPoints } },
    ]);
});

test('a unit is that of the name, in UCUM', async () => {
  const unitOf = async (name: string) => {
    const [made] = await metricsOf(metric('gauge', name, { value: 1, labels: {} }));
    return (made as { readonly unit: string }).unit;
  };
  for (const [name, unit] of [
    ['wait_seconds', 's'],
    ['wait_seconds_total', 's'],
    ['read_bytes', 'By'],
    ['read_bytes_total', 'By'],
    ['seconds_total_count', '1'],
    ['bytes_read', '1'],
  ] as const)
    assert.equal(await unitOf(name), unit, name);
});

test('a histogram has its counts between two bounds, a point for each set of labels', async () => {
  const name = 'wait_seconds';
  const bucket = (host: string, le: number | string, value: number) => ({
    ...{ metricName: `${name}_bucket`, labels: { host, le }, value },
  });
  const of = (host: string, part: string, value: number) => ({
    metricName: `${name}_${part}`,
    labels: { host },
    value,
  });
  const [made] = await metricsOf(
    metric(
      'histogram',
      name,
      ...[bucket('a', 0.1, 2), bucket('a', 1, 5), bucket('a', 10, 5), bucket('a', '+Inf', 9)],
      ...[of('a', 'sum', 123.5), of('a', 'count', 9)],
      ...[bucket('b', 0.1, 0), bucket('b', '+Inf', 1), of('b', 'sum', 4), of('b', 'count', 1)],
    ),
  );
  const hostOf = (host: string) => [{ key: 'host', value: { stringValue: host } }];
  assert.deepEqual(made, {
    ...{ name, description: 'about wait_seconds', unit: 's' },
    histogram: {
      aggregationTemporality: 2,
      dataPoints: [
        {
          ...{ ...times, attributes: hostOf('a'), count: '9', sum: 123.5 },
          ...{ explicitBounds: [0.1, 1, 10], bucketCounts: ['2', '3', '0', '4'] },
        },
        {
          ...{ ...times, attributes: hostOf('b'), count: '1', sum: 4 },
          ...{ explicitBounds: [0.1], bucketCounts: ['0', '1'] },
        },
      ],
    },
  });
});

test('a metric without a value is left out', async () => {
  assert.deepEqual(await metricsOf(metric('gauge', 'none'), metric('histogram', 'none')), []);
});
