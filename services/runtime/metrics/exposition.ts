/**
 * Metrics in Prometheus's format. Only this file uses prom-client, and only a service that listens loads it.
 *
 * Every scrape starts empty. So values that are no longer reported, such as the counters of a partition that has
 * moved, disappear from the answer, and a process shows no zeros for work that it does not do.
 */
import { performance } from 'node:perf_hooks';
import { Counter, collectDefaultMetrics, Gauge, type Metric, Registry } from 'prom-client';
import {
  type MetricName,
  type MetricSink,
  type MetricSource,
  type MetricSpec,
  metrics,
  type Spread,
} from './metrics.ts';

export interface Scrape {
  readonly type: string;
  readonly text: string;
}

export interface Exposition {
  /** Queries all sources, or returns an answer of a moment ago (SharedScrape). */
  scrape(): Promise<Scrape>;
  /** The metrics as values. */
  read(): Promise<object[]>;
}

/**
 * If a source fails, its values are left out and `onFailure` is called; the others are reported. `labels`: added to
 * every series, including those of the process.
 */
export function createExposition(
  sources: () => Iterable<MetricSource>,
  onFailure: (error: unknown) => void,
  labels: () => Readonly<Record<string, string>> = () => ({}),
): Exposition {
  const ofProcess = new Registry();
  collectDefaultMetrics({ register: ofProcess });
  // Gauges with the ending of a counter; the same by type are nodejs_active_handles and its like.
  for (const what of ['handles', 'requests', 'resources']) ofProcess.removeSingleMetric(`nodejs_active_${what}_total`);
  const counts = new RisingCounts();
  const filled = async () => {
    const registry = new Registry();
    const values = new Values(registry);
    let whole = true;
    for (const source of sources()) {
      try {
        await source(values);
      } catch (error) {
        whole = false;
        onFailure(error);
      }
    }
    values.show(counts, whole);
    for (const one of [registry, ofProcess]) one.setDefaultLabels({ ...labels() });
    return registry;
  };
  const scrape = async () => {
    const registry = await filled();
    return { type: registry.contentType, text: `${await registry.metrics()}${await ofProcess.metrics()}` };
  };
  const shared = new SharedScrape(scrape);
  return {
    scrape: () => shared.get(),
    async read() {
      const registry = await filled();
      return [...(await registry.getMetricsAsJSON()), ...(await ofProcess.getMetricsAsJSON())];
    },
  };
}

/** Part of a process's time that scrapes may take, however often it is scraped, and the time that is free at first, ms. */
const [scrapeShareMax, freeMs] = [0.1, 500];
/** Longest time for which a scrape is shared, ms, finished or not: values may not be much older than Prometheus expects. */
const sharedMsMax = 5_000;

/** Scrapes at the same time share one answer. Once scrapes have taken more than their share, later ones get the last. */
export class SharedScrape {
  readonly #make: () => Promise<Scrape>;
  readonly #nowMs: () => number;
  #last: { readonly made: Promise<Scrape>; readonly beganMs: number; isOver: boolean } | undefined;
  #leftMs: number = freeMs;
  #countedMs: number;

  constructor(make: () => Promise<Scrape>, nowMs: () => number = () => performance.now()) {
    this.#make = make;
    this.#nowMs = nowMs;
    this.#countedMs = nowMs();
  }

  get(): Promise<Scrape> {
    const nowMs = this.#nowMs();
    this.#leftMs = Math.min(freeMs, this.#leftMs + scrapeShareMax * (nowMs - this.#countedMs));
    this.#countedMs = nowMs;
    const last = this.#last;
    if (last !== undefined && nowMs < last.beganMs + sharedMsMax && (!last.isOver || this.#leftMs <= 0))
      return last.made;
    const made = this.#make();
    const mine = { made, beganMs: nowMs, isOver: false };
    this.#last = mine;
    made.then(
      () => {
        mine.isOver = true;
        this.#leftMs -= this.#nowMs() - nowMs;
      },
      () => {
        if (this.#last === mine) this.#last = undefined;
      },
    );
    return made;
  }
}

interface Series {
  readonly labels: Readonly<Record<string, string | number>>;
  value: number;
}

/** Samples of the sources in one scrape. */
class Values implements MetricSink {
  readonly #registry: Registry;
  readonly #value = new Map<MetricName, Map<string, Series>>();
  readonly #spreads = new Map<MetricName, Spread[]>();

  constructor(registry: Registry) {
    this.#registry = registry;
  }

  value(name: MetricName, value: number, labels: Readonly<Record<string, string | number>> = {}): void {
    let series = this.#value.get(name);
    if (series === undefined) {
      series = new Map();
      this.#value.set(name, series);
    }
    const key = keyOf(labels);
    const one = series.get(key);
    if (one === undefined) series.set(key, { labels, value });
    else one.value += value;
  }

  spread(name: MetricName, spread: Spread): void {
    const value = this.#spreads.get(name);
    if (value !== undefined) value.push(spread);
    else {
      const all = [spread];
      this.#spreads.set(name, all);
      this.#registry.registerMetric(histogramOf(name, metrics[name].help, all));
    }
  }

  /** `whole`: every source has reported. */
  show(counts: RisingCounts, whole: boolean): void {
    for (const [name, series] of this.#value) {
      const { kind, help, labels: labelNames }: MetricSpec = metrics[name];
      const options = { name, help, labelNames, registers: [this.#registry] };
      if (kind === 'counter') {
        const counter = new Counter(options);
        for (const [key, { labels, value }] of series)
          counter.inc({ ...labels }, counts.shown(`${name} ${key}`, value, whole));
      } else {
        const gauge = new Gauge(options);
        for (const { labels, value } of series.values()) gauge.set({ ...labels }, value);
      }
    }
  }
}

/**
 * Keeps counters of a process from falling: Prometheus would take a fall for a restart, and count everything again.
 * The counts of sources may fall, when URLs are purged, or when one of several sources of a series has ended. The
 * series then stays constant, and continues from there.
 */
class RisingCounts {
  readonly #seen = new Map<string, { value: number; shown: number }>();

  /** `whole` false: a part of `value` may be missing now, and return later. */
  shown(series: string, value: number, whole: boolean): number {
    const seen = this.#seen.get(series);
    if (seen === undefined) {
      if (whole) this.#seen.set(series, { value, shown: value });
      return value;
    }
    const shown = seen.shown + Math.max(0, value - seen.value);
    if (whole) {
      seen.value = value;
      seen.shown = shown;
    }
    return shown;
  }
}

function keyOf(labels: Readonly<Record<string, string | number>>): string {
  return Object.entries(labels)
    .map(([name, value]) => `${name}=${JSON.stringify(`${value}`)}`)
    .sort()
    .join();
}

/** Histograms of prom-client count themselves; this one exports existing counts. */
function histogramOf(name: string, help: string, value: readonly Spread[]): Metric {
  const shown = { name, help, type: 'histogram', aggregator: 'sum' };
  const metric = { ...shown, get: async () => ({ ...shown, values: samplesOf(name, value) }), reset: () => {} };
  return metric as unknown as Metric;
}

function samplesOf(name: string, value: readonly Spread[]): object[] {
  const samples: object[] = [];
  const bounds = value[0]?.bounds ?? [];
  let total = 0;
  for (let bucket = 0; bucket <= bounds.length; bucket++) {
    for (const { counts } of value) total += counts[bucket] ?? 0;
    const le = bounds[bucket] ?? '+Inf';
    samples.push({ metricName: `${name}_bucket`, labels: { le }, value: total });
  }
  const sum = value.reduce((all, one) => all + one.sum, 0);
  samples.push({ metricName: `${name}_sum`, labels: {}, value: sum });
  samples.push({ metricName: `${name}_count`, labels: {}, value: total });
  return samples;
}
