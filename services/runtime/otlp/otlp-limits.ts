/** Bounds of what is sent to a collector beside traces: a collector that is slow or away costs lines, never memory. */
export const otlpLimits = {
  /** Lines that wait for the collector, half a kilobyte each; of more, the newest are dropped and counted. */
  linesQueued: 2_048,
  /** In one request. */
  linesPerExport: 512,
  /** Between looks at the queue. ms */
  linesEveryMs: 1_000,
  /** Between two exports of metrics, where OTEL_METRIC_EXPORT_INTERVAL does not say: OpenTelemetry's own default. ms */
  metricsEveryMs: 60_000,
  /** A request that is not answered by then has failed. ms */
  timeoutMs: 10_000,
  /** Failing exports are said as often as this at most. ms */
  troubleEveryMs: 60_000,
} as const;
