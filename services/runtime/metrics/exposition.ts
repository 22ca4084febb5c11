/** Metrics as Prometheus reads them. The one file that knows prom-client; loaded only by a service that listens. */
import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import { type MetricName, type MetricSource, type MetricSpec, metrics } from './metrics.ts';

export interface Exposition {
  /** Asks all sources. */
  scrape(): Promise<{ readonly type: string; readonly text: string }>;
}

/** A source that fails leaves its values out; `onFailure` hears of it, and the others are told all the same. */
export function createExposition(sources: Iterable<MetricSource>, onFailure: (error: unknown) => void): Exposition {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const byName = new Map(
    Object.entries<MetricSpec>(metrics).map(([name, { kind, help, labels }]) => {
      const options = { name, help, labelNames: labels, registers: [registry] };
      return [name as MetricName, kind === 'counter' ? new Counter(options) : new Gauge(options)] as const;
    }),
  );
  return {
    async scrape() {
      for (const metric of byName.values()) metric.reset();
      for (const source of sources) {
        try {
          await source((name, value, labels) => byName.get(name)!.inc(labels ?? {}, value));
        } catch (error) {
          onFailure(error);
        }
      }
      return { type: registry.contentType, text: await registry.metrics() };
    },
  };
}
