/** Bounds of data for a collector, besides traces: a collector that is slow or away costs lines, never memory. */
export const otlpLimits = {
  /** Lines that wait for the collector, half a kilobyte each; beyond that, the newest are dropped and counted. */
  linesQueued: 2_048,
  /** Lines in one request. */
  linesPerExport: 512,
  /** Interval at which the queue is sent, ms. */
  linesEveryMs: 1_000,
  /** Interval of metric exports without OTEL_METRIC_EXPORT_INTERVAL, ms: OpenTelemetry's own default. */
  metricsEveryMs: 60_000,
  /** A request without an answer after this time has failed, ms. */
  timeoutMs: 10_000,
  /** Shortest time between two messages about failing exports, ms. */
  troubleEveryMs: 60_000,
} as const;
