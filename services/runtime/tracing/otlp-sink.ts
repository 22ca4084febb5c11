/**
 * Spans to an OpenTelemetry collector: OTLP over HTTP, in batches, from a bounded queue.
 *
 * A collector that is slow or away costs spans, never a page: spans that do not fit the queue are dropped, and failing
 * exports are reported once a minute at most. Headers, compression and certificates are configured by OpenTelemetry's
 * own variables (OTEL_EXPORTER_OTLP_HEADERS and so on), as is the service's name (OTEL_SERVICE_NAME,
 * OTEL_RESOURCE_ATTRIBUTES).
 */
import {
  type HrTime,
  type Attributes as OtelAttributes,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
} from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import { BatchSpanProcessor, type ReadableSpan, type SpanExporter } from '@opentelemetry/sdk-trace-base';
import { traceLimits } from '../../../topology/trace/limits.ts';
import type { TraceContext } from '../../../topology/trace/trace-context.ts';
import type { Span, SpanSink } from './spans.ts';

export interface OtlpOptions {
  /** URL of the collector; spans go to `v1/traces` below it. */
  readonly endpoint: string;
  /** Attributes of this process, by OpenTelemetry's names. */
  readonly resource: Readonly<Record<string, string>>;
  readonly onTrouble: (text: string) => void;
}

export interface OtlpSink {
  readonly sink: SpanSink;
  /** Spans that were received, and those that could not be sent. */
  readonly counts: { readonly exported: number; readonly failed: number };
  /** Sends waiting spans, for some seconds at most. */
  close(): Promise<void>;
}

const troubleEveryMs = 60_000;

export function openOtlpSink({ endpoint, resource: attributes, onTrouble }: OtlpOptions): OtlpSink {
  const counts = { exported: 0, failed: 0 };
  const url = tracesUrl(endpoint);
  let saidAtMs = Number.NEGATIVE_INFINITY;
  const wire = new OTLPTraceExporter({ url, timeoutMillis: traceLimits.exportTimeoutMs });
  const exporter: SpanExporter = {
    export(spans, done) {
      wire.export(spans, (result) => {
        if (result.code === 0) counts.exported += spans.length;
        else {
          counts.failed += spans.length;
          if (performance.now() - saidAtMs > troubleEveryMs) {
            saidAtMs = performance.now();
            onTrouble(`traces: ${url} accepts no spans (${result.error?.message || 'no answer'}); continuing without`);
          }
        }
        // The processor would report a failure to OpenTelemetry's global handler; it has been reported already.
        done({ code: 0 });
      });
    },
    shutdown: () => wire.shutdown(),
  };
  const processor = new BatchSpanProcessor(exporter, {
    maxQueueSize: traceLimits.spansQueued,
    maxExportBatchSize: traceLimits.spansPerExport,
    scheduledDelayMillis: traceLimits.exportEveryMs,
    exportTimeoutMillis: traceLimits.exportTimeoutMs,
  });
  const fixed = {
    resource: resourceFromAttributes(attributes).merge(detectResources({ detectors: [envDetector] })),
    instrumentationScope: { name: 'crawlstream', version: attributes['service.version'] ?? '' },
  };
  return {
    counts,
    sink: (span) => processor.onEnd(readable(span, fixed)),
    close: () => processor.shutdown().catch((error: Error) => onTrouble(`traces: ${error.message}`)),
  };
}

/** The collector's address, or that of its traces. */
function tracesUrl(endpoint: string): string {
  return /\/v1\/traces\/?$/.test(endpoint) ? endpoint : `${endpoint.replace(/\/$/, '')}/v1/traces`;
}

function readable(span: Span, fixed: Pick<ReadableSpan, 'resource' | 'instrumentationScope'>): ReadableSpan {
  const { name, kind, parent, startMs, error } = span;
  const endMs = Math.max(startMs, span.endMs);
  const links = span.links.map((link) => ({ context: contextOf(link) }));
  return {
    ...fixed,
    name,
    kind: kinds[kind],
    spanContext: () => contextOf(span.span),
    ...(parent !== null && { parentSpanContext: contextOf(parent) }),
    startTime: timeOf(startMs),
    endTime: timeOf(endMs),
    duration: timeOf(endMs - startMs),
    status: error === '' ? { code: SpanStatusCode.UNSET } : { code: SpanStatusCode.ERROR, message: error },
    attributes: span.attributes as OtelAttributes,
    links,
    events: [],
    ended: true,
    droppedAttributesCount: 0,
    droppedEventsCount: 0,
    droppedLinksCount: 0,
  };
}

const kinds = {
  internal: SpanKind.INTERNAL,
  client: SpanKind.CLIENT,
  consumer: SpanKind.CONSUMER,
  producer: SpanKind.PRODUCER,
} as const;

function contextOf({ traceId, spanId }: TraceContext) {
  return { traceId, spanId, traceFlags: TraceFlags.SAMPLED };
}

/** Seconds, and nanoseconds of the next one. */
function timeOf(ms: number): HrTime {
  const seconds = Math.floor(ms / 1000);
  return [seconds, Math.round((ms - 1000 * seconds) * 1e6)];
}
