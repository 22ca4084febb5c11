/**
 * Every metric of every service, by name.
 *
 * Prometheus's conventions: base units (seconds, bytes), `_total` on what only grows, labels of few values (never a
 * URL or a host). Nothing here costs a hot path anything: values are read from counters that exist anyway, when
 * somebody scrapes.
 */
export interface MetricSpec {
  readonly kind: 'counter' | 'gauge' | 'histogram';
  readonly help: string;
  readonly labels: readonly string[];
}

export const metrics = {
  crawlstream_info: {
    kind: 'gauge',
    help: 'Always 1; the release and the role of this process',
    labels: ['version', 'role'],
  },
  crawlstream_ready: { kind: 'gauge', help: '1 while everything this process holds is restored', labels: [] },
} as const satisfies Readonly<Record<string, MetricSpec>>;

export type MetricName = keyof typeof metrics;

/** Puts a value beside a name, at a scrape. */
export type Tell = (name: MetricName, value: number, labels?: Readonly<Record<string, string | number>>) => void;

/** Tells what it knows when it is asked. */
export type MetricSource = (tell: Tell) => void | Promise<void>;
