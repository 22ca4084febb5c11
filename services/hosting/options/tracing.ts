/** Sends the spans of a service to a collector, and to its log. */

import { say, speaksJson } from '../../runtime/logging/say.ts';
import type { Service } from '../../runtime/metrics/service.ts';
import { isMissing, missingPackage } from '../../runtime/needed-package.ts';
import type { Span, SpanSink } from '../../runtime/tracing/spans.ts';
import { productVersion } from '../../runtime/version.ts';
import { withSignals } from './otlp-signals.ts';

export interface OtlpFlags {
  /** Absent: OpenTelemetry's variables decide. */
  readonly otlp?: string;
}

/**
 * Returns the address for spans: from the option, else from OpenTelemetry's variables. undefined: spans are not sent.
 */
function endpointOf({ otlp }: OtlpFlags, env: NodeJS.ProcessEnv): string | undefined {
  if (otlp !== undefined) return otlp;
  if (env['OTEL_SDK_DISABLED'] === 'true' || env['OTEL_TRACES_EXPORTER'] === 'none') return undefined;
  return env['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'] || env['OTEL_EXPORTER_OTLP_ENDPOINT'] || undefined;
}

/** Runs `act` while the service's spans are sent. Pending spans are sent at the end, for some seconds at most. */
export async function withTracing<T>(
  flags: OtlpFlags & { readonly crawl?: string; readonly brokers?: string },
  service: Service,
  write: (text: string) => void,
  act: () => Promise<T>,
): Promise<T> {
  return withSignals(flags.otlp, service, () => withSpans(flags, service, write, act));
}

async function withSpans<T>(...[flags, service, write, act]: Parameters<typeof withTracing<T>>): Promise<T> {
  const endpoint = endpointOf(flags, process.env);
  const system = flags.brokers === undefined ? 'crawlstream' : 'kafka';
  if (endpoint === undefined) {
    if (speaksJson()) service.spans = { sink: withTopics(logSpan, system, service), counts: {} };
    return act();
  }
  const { openOtlpSink } = await loadSink();
  const sink = openOtlpSink({
    endpoint,
    resource: {
      'service.name': `crawlstream-${service.role}`,
      'service.version': productVersion,
      'process.pid': `${process.pid}`,
    },
    onTrouble: write,
  });
  const { counts } = sink;
  service.spans = { sink: withTopics(speaksJson() ? both(sink.sink, logSpan) : sink.sink, system, service), counts };
  try {
    return await act();
  } finally {
    service.spans = undefined;
    await sink.close();
  }
}

const otlpPackages = [
  '@opentelemetry/api',
  '@opentelemetry/exporter-trace-otlp-proto',
  '@opentelemetry/resources',
  '@opentelemetry/sdk-trace-base',
];

async function loadSink() {
  try {
    return await import('../../runtime/tracing/otlp-sink.ts');
  } catch (error) {
    if (!otlpPackages.some((name) => isMissing(error, name))) throw error;
    throw missingPackage(otlpPackages, 'a collector of traces', error);
  }
}

/** Spans that are also logged for traced URLs: fetches, and the frontier's decisions. */
const logged = new Set(['fetch', 'resolve', 'expire']);

function logSpan({ name, span, startMs, endMs, attributes, error }: Span): void {
  if (!logged.has(name)) return;
  const ids = { trace_id: span.traceId, span_id: span.spanId, trace_flags: '01' };
  const fields = { component: 'trace', ...attributes, ...ids, ms: endMs - startMs } as const;
  if (error === '') say(name, 'info', fields);
  else say(`${name}: ${error}`, 'warn', fields);
}

/** Spans name their topic by its short name; tools need the full one, with its crawl. */
function withTopics(write: SpanSink, system: string, service: Pick<Service, 'crawl'>): SpanSink {
  return (span) => {
    const topic = span.attributes['messaging.destination.name'];
    if (topic === undefined || service.crawl === undefined) return write(span);
    const attributes = {
      ...span.attributes,
      'messaging.system': system,
      'messaging.destination.name': `${service.crawl}.${topic}`,
      'messaging.operation.type': span.kind === 'producer' ? 'send' : 'process',
    };
    return write({ ...span, attributes });
  };
}

function both(one: SpanSink, other: SpanSink): SpanSink {
  return (span) => {
    one(span);
    other(span);
  };
}
