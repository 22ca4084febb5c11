/**
 * Metrics of another process: its sources' samples are sent here from time to time, and exported here together with its
 * predecessors' counts, so that a counter never goes back.
 */
import {
  type MetricName,
  type MetricSource,
  type MetricSpec,
  metrics,
  type Spread,
} from '../../runtime/metrics/metrics.ts';

type Labels = Readonly<Record<string, string | number>>;

/** The form that is sent over a channel. */
export interface WorkerMetrics {
  readonly values: readonly (readonly [name: MetricName, value: number, labels: Labels])[];
  readonly spreads: readonly (readonly [name: MetricName, spread: Spread])[];
}

/** The sources' present samples. */
export async function takeMetrics(sources: Iterable<MetricSource>): Promise<WorkerMetrics> {
  const values: [MetricName, number, Labels][] = [];
  const spreads: [MetricName, Spread][] = [];
  for (const source of sources)
    await source({
      value: (name, value, labels = {}) => values.push([name, value, labels]),
      spread: (name, { bounds, counts, sum }) =>
        spreads.push([name, { bounds: [...bounds], counts: [...counts], sum }]),
    });
  return { values, spreads };
}

export interface SuccessiveMetrics {
  readonly source: MetricSource;
  /** The last samples of the present process. */
  take(given: WorkerMetrics): void;
  /** The present process is gone: its counters stay, its gauges are dropped. */
  end(): void;
}

export function createSuccessiveMetrics(): SuccessiveMetrics {
  const ended = new Map<string, readonly [name: MetricName, value: number, labels: Labels]>();
  let present: WorkerMetrics = { values: [], spreads: [] };
  const sumsNow = () => {
    const sums = new Map(ended);
    for (const [name, value, labels] of present.values) {
      const key = `${name} ${JSON.stringify(labels)}`;
      sums.set(key, [name, value + (sums.get(key)?.[1] ?? 0), labels]);
    }
    return sums;
  };
  return {
    source(sink) {
      for (const [name, value, labels] of sumsNow().values()) sink.value(name, value, labels);
      for (const [name, spread] of present.spreads) sink.spread(name, spread);
    },
    take: (given) => (present = given),
    end() {
      for (const [key, given] of sumsNow()) {
        const { kind }: MetricSpec = metrics[given[0]];
        if (kind === 'counter') ended.set(key, given);
      }
      present = { values: [], spreads: [] };
    },
  };
}
