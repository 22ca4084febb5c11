/**
 * Sends metrics and logs to a collector, in addition to Prometheus and stderr, if traces are sent: configured by
 * OpenTelemetry's variables.
 */

import { alsoSayTo, say } from '../../runtime/logging/say.ts';
import type { MetricSource } from '../../runtime/metrics/metrics.ts';
import type { Service } from '../../runtime/metrics/service.ts';
import { otlpLimits } from '../../runtime/otlp/otlp-limits.ts';
import { openOtlpLogs } from '../../runtime/otlp/otlp-logs.ts';
import { metricsBody } from '../../runtime/otlp/otlp-metrics.ts';
import { openOtlpPost, resourceOf, type Signal, signalEndpoint } from '../../runtime/otlp/otlp-post.ts';
import { productVersion } from '../../runtime/version.ts';
import { processSources } from './process-sources.ts';

/** Runs `act` while both are sent to `endpoint`, or to the address in a variable. The rest is sent at the end. */
export async function withSignals<T>(
  endpoint: string | undefined,
  service: Service,
  act: () => Promise<T>,
  env: NodeJS.ProcessEnv = process.env,
): Promise<T> {
  const ends = [await sendLogs(endpoint, service, env), await sendMetrics(endpoint, service, env)];
  try {
    return await act();
  } finally {
    await Promise.all(ends.map((end) => end()));
  }
}

type End = () => Promise<void>;
const nothing: End = async () => {};

function postOf(signal: Signal, endpoint: string | undefined, env: NodeJS.ProcessEnv) {
  const url = signalEndpoint(signal, endpoint, env);
  const onTrouble = (text: string) => say(text, 'warn');
  return url === undefined ? undefined : openOtlpPost({ signal, endpoint: url, env, onTrouble });
}

const describe = (service: Service, env: NodeJS.ProcessEnv) => () =>
  resourceOf(
    {
      'service.name': `crawlstream-${service.role}`,
      'service.version': productVersion,
      'process.pid': `${process.pid}`,
      ...(service.crawl !== undefined && { 'crawlstream.crawl': service.crawl }),
    },
    env,
  );

async function sendLogs(endpoint: string | undefined, service: Service, env: NodeJS.ProcessEnv): Promise<End> {
  const post = postOf('logs', endpoint, env);
  if (post === undefined) return nothing;
  const counts = { exported: 0, failed: 0 };
  const logs = openOtlpLogs({ post, version: productVersion, resource: describe(service, env), counts });
  service.exports.set('logs', counts);
  const end = alsoSayTo(logs.take);
  return () => {
    end();
    return logs.close();
  };
}

async function sendMetrics(endpoint: string | undefined, service: Service, env: NodeJS.ProcessEnv): Promise<End> {
  const post = postOf('metrics', endpoint, env);
  if (post === undefined) return nothing;
  const { createExposition } = await import('../../runtime/metrics/exposition.ts');
  const counts = { exported: 0, failed: 0 };
  service.exports.set('metrics', counts);
  const exposition = createExposition(
    (): Iterable<MetricSource> => processSources(service),
    () => {},
    () => (service.crawl === undefined ? {} : { crawl: service.crawl }),
  );
  const closing = new AbortController();
  // With an HTTP side it runs already.
  if (service.listensOn === null) void service.lag.run(closing.signal);
  const startMs = Date.now() - 1000 * process.uptime();
  const send = async () => {
    const times = { startMs, nowMs: Date.now() };
    const arrived = await post.send(
      await metricsBody(exposition, { resource: describe(service, env)(), version: productVersion, ...times }),
    );
    counts[arrived ? 'exported' : 'failed'] += 1;
  };
  let sending = Promise.resolve();
  const timer = setInterval(() => void (sending = sending.then(send)), intervalOf(env));
  timer.unref();
  return () => {
    clearInterval(timer);
    closing.abort();
    return sending.then(send);
  };
}

function intervalOf({ OTEL_METRIC_EXPORT_INTERVAL: given }: NodeJS.ProcessEnv): number {
  const ms = Number(given);
  return given !== undefined && Number.isInteger(ms) && ms > 0 ? ms : otlpLimits.metricsEveryMs;
}
