/** The metrics of /metrics as OTLP: the same names and labels, so that a board and an alert can read either. */
import type { Exposition } from '../metrics/exposition.ts';
import { type KeyValue, keyValues, nanoseconds } from './otlp-post.ts';

/** A metric in the format of prom-client. */
export interface ReportedMetric {
  readonly name: string;
  readonly help: string;
  readonly type: string | number;
  readonly values: readonly ReportedValue[];
}

interface ReportedValue {
  readonly value: number;
  readonly labels: Readonly<Partial<Record<string, string | number>>>;
  readonly metricName?: string;
}

export interface MetricsExport {
  readonly resource: { readonly attributes: readonly KeyValue[] };
  readonly version: string;
  /** Time when counters were 0, and the current time, ms. */
  readonly startMs: number;
  readonly nowMs: number;
}

/** One export of all metrics. */
export async function metricsBody(exposition: Pick<Exposition, 'read'>, about: MetricsExport): Promise<object> {
  const metrics = (await exposition.read()).flatMap((metric) => metricOf(metric as ReportedMetric, about));
  const scope = { name: 'crawlstream', version: about.version };
  return { resourceMetrics: [{ resource: about.resource, scopeMetrics: [{ scope, metrics }] }] };
}

const cumulative = 2;

function metricOf(metric: ReportedMetric, about: MetricsExport): object[] {
  const { name, help: description, type, values } = metric;
  if (values.length === 0) return [];
  const about_ = { name, description, unit: unitOf(name) };
  const times = { startTimeUnixNano: nanoseconds(about.startMs), timeUnixNano: nanoseconds(about.nowMs) };
  const dataPoints = () =>
    values.map(({ value, labels }) => ({ ...times, attributes: attributesOf(labels), asDouble: value }));
  if (type === 'counter')
    return [{ ...about_, sum: { aggregationTemporality: cumulative, isMonotonic: true, dataPoints: dataPoints() } }];
  if (type === 'histogram')
    return [{ ...about_, histogram: { aggregationTemporality: cumulative, dataPoints: histogramsOf(metric, times) } }];
  // A summary of prom-client has quantiles as labels: export them as gauges.
  return [{ ...about_, gauge: { dataPoints: dataPoints() } }];
}

/** Converts histograms: Prometheus counts up to each bound, OTLP between two bounds. */
function histogramsOf({ name, values }: ReportedMetric, times: object): object[] {
  const points = new Map<
    string,
    { labels: ReportedValue['labels']; upTo: [number, number][]; sum: number; count: number }
  >();
  for (const { value, labels, metricName = name } of values) {
    const { le, ...others } = labels;
    const key = JSON.stringify(others);
    let point = points.get(key);
    if (point === undefined) points.set(key, (point = { labels: others, upTo: [], sum: 0, count: 0 }));
    if (metricName.endsWith('_sum')) point.sum = value;
    else if (metricName.endsWith('_count')) point.count = value;
    else if (le !== '+Inf') point.upTo.push([Number(le), value]);
  }
  return [...points.values()].map(({ labels, upTo, sum, count }) => {
    const counts = [...upTo.map(([, value]) => value), count];
    return {
      ...times,
      attributes: attributesOf(labels),
      count: `${count}`,
      sum,
      explicitBounds: upTo.map(([bound]) => bound),
      bucketCounts: counts.map((value, at) => `${value - (counts[at - 1] ?? 0)}`),
    };
  });
}

function attributesOf(labels: ReportedValue['labels']): KeyValue[] {
  return keyValues(Object.fromEntries(Object.entries(labels).map(([key, value]) => [key, `${value}`])));
}

/** In UCUM, as OpenTelemetry has units. */
function unitOf(name: string): string {
  const base = name.replace(/_total$/, '');
  if (base.endsWith('_seconds')) return 's';
  if (base.endsWith('_bytes')) return 'By';
  return '1';
}
