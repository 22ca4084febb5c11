/**
 * Metrics as Prometheus reads them. The one file that knows prom-client; loaded only by a service that listens.
 *
 * Every scrape begins with nothing, so that values which are no longer reported, such as the counters of a partition
 * that has moved, are gone from the answer, and a process shows no zeros for what it does not do.
 */
import { Counter, collectDefaultMetrics, Gauge, type Metric, Registry } from 'prom-client';
import { type MetricName, type MetricSource, type MetricSpec, metrics, type Spread, type Telling } from './metrics.ts';

export interface Exposition {
  /** Asks all sources. */
  scrape(): Promise<{ readonly type: string; readonly text: string }>;
  /** The same as values. */
  read(): Promise<object[]>;
}

/**
 * If a source fails, its values are left out and `onFailure` is called; the others are answered all the same. `labels`:
 * of every series, those of the process among them.
 */
export function createExposition(
  sources: () => Iterable<MetricSource>,
  onFailure: (error: unknown) => void,
  labels: () => Readonly<Record<string, string>> = () => ({}),
): Exposition {
  const ofProcess = new Registry();
  collectDefaultMetrics({ register: ofProcess });
  const filled = async () => {
    const registry = new Registry();
    const tell = tellInto(registry);
    for (const source of sources()) {
      try {
        await source(tell);
      } catch (error) {
        onFailure(error);
      }
    }
    for (const one of [registry, ofProcess]) one.setDefaultLabels({ ...labels() });
    return registry;
  };
  return {
    async scrape() {
      const registry = await filled();
      return { type: registry.contentType, text: `${await registry.metrics()}${await ofProcess.metrics()}` };
    },
    async read() {
      const registry = await filled();
      return [...(await registry.getMetricsAsJSON()), ...(await ofProcess.getMetricsAsJSON())];
    },
  };
}

function tellInto(registry: Registry): Telling {
  const values = new Map<MetricName, Counter | Gauge>();
  const spreads = new Map<MetricName, Spread[]>();
  return {
    value(name, value, labels = {}) {
      let metric = values.get(name);
      if (metric === undefined) {
        const { kind, help, labels: labelNames }: MetricSpec = metrics[name];
        const options = { name, help, labelNames, registers: [registry] };
        metric = kind === 'counter' ? new Counter(options) : new Gauge(options);
        values.set(name, metric);
      }
      metric.inc(labels, value);
    },
    spread(name, spread) {
      const told = spreads.get(name);
      if (told !== undefined) told.push(spread);
      else {
        const all = [spread];
        spreads.set(name, all);
        registry.registerMetric(histogramOf(name, metrics[name].help, all));
      }
    },
  };
}

/** prom-client's own histograms do the counting; this one shows what others have counted. */
function histogramOf(name: string, help: string, told: readonly Spread[]): Metric {
  const shown = { name, help, type: 'histogram', aggregator: 'sum' };
  const metric = { ...shown, get: async () => ({ ...shown, values: samplesOf(name, told) }), reset: () => {} };
  return metric as unknown as Metric;
}

function samplesOf(name: string, told: readonly Spread[]): object[] {
  const samples: object[] = [];
  const bounds = told[0]?.bounds ?? [];
  let total = 0;
  for (let bucket = 0; bucket <= bounds.length; bucket++) {
    for (const { counts } of told) total += counts[bucket] ?? 0;
    const le = bounds[bucket] ?? '+Inf';
    samples.push({ metricName: `${name}_bucket`, labels: { le }, value: total });
  }
  const sum = told.reduce((all, one) => all + one.sum, 0);
  samples.push({ metricName: `${name}_sum`, labels: {}, value: sum });
  samples.push({ metricName: `${name}_count`, labels: {}, value: total });
  return samples;
}
