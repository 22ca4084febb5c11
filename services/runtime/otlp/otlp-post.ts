/**
 * OTLP over HTTP in its JSON form (opentelemetry.io/docs/specs/otlp), for metrics and logs, without a package.
 *
 * Configured by OpenTelemetry's variables: endpoints and headers of all signals or of one, a certificate authority, the
 * service's name and attributes. A failed export is counted, reported at most once a minute, and not repeated.
 */
import { readFileSync } from 'node:fs';
import { request as plainRequest } from 'node:http';
import { request as tlsRequest } from 'node:https';
import { otlpLimits } from './otlp-limits.ts';

export type Signal = 'metrics' | 'logs';

export interface OtlpPostOptions {
  readonly signal: Signal;
  /** URL of the collector, or of one of its signals. */
  readonly endpoint: string;
  readonly env: NodeJS.ProcessEnv;
  readonly onTrouble: (text: string) => void;
}

export interface OtlpPost {
  /** Never rejects. False: the body did not arrive. */
  send(body: object): Promise<boolean>;
}

/**
 * The endpoint of a signal; undefined: it is not sent. `endpoint`: value of an option, which overrides all variables.
 */
export function signalEndpoint(
  signal: Signal,
  endpoint: string | undefined,
  env: NodeJS.ProcessEnv,
): string | undefined {
  const name = signal.toUpperCase();
  if (env['OTEL_SDK_DISABLED'] === 'true' || env[`OTEL_${name}_EXPORTER`] === 'none') return undefined;
  if (endpoint === undefined && env[`OTEL_EXPORTER_OTLP_${name}_ENDPOINT`])
    return env[`OTEL_EXPORTER_OTLP_${name}_ENDPOINT`];
  const base = endpoint ?? env['OTEL_EXPORTER_OTLP_ENDPOINT'];
  if (base === undefined || base === '') return undefined;
  return `${base.replace(/\/(v1\/traces\/?)?$/, '')}/v1/${signal}`;
}

export function openOtlpPost({ signal, endpoint, env, onTrouble }: OtlpPostOptions): OtlpPost {
  const name = signal.toUpperCase();
  const headers = {
    ...headersOf(env['OTEL_EXPORTER_OTLP_HEADERS']),
    ...headersOf(env[`OTEL_EXPORTER_OTLP_${name}_HEADERS`]),
    'content-type': 'application/json',
  };
  const authority = env[`OTEL_EXPORTER_OTLP_${name}_CERTIFICATE`] ?? env['OTEL_EXPORTER_OTLP_CERTIFICATE'];
  const ca = authority === undefined ? undefined : readFileSync(authority, 'utf8');
  let saidAtMs = Number.NEGATIVE_INFINITY;
  return {
    async send(body) {
      try {
        await post(endpoint, headers, ca, JSON.stringify(body));
        return true;
      } catch (error) {
        if (performance.now() - saidAtMs > otlpLimits.troubleEveryMs) {
          saidAtMs = performance.now();
          onTrouble(
            `${endpoint} accepts no ${signal} (${(error as Error).message || 'no answer'}); continuing without`,
          );
        }
        return false;
      }
    },
  };
}

function post(url: string, headers: Record<string, string>, ca: string | undefined, body: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const signal = AbortSignal.timeout(otlpLimits.timeoutMs);
    const options = { method: 'POST', headers, signal, ...(ca !== undefined && { ca }) };
    const request = (url.startsWith('https:') ? tlsRequest : plainRequest)(url, options, (response) => {
      response.resume().once('error', reject);
      response.once('end', () => {
        if (response.statusCode! >= 200 && response.statusCode! < 300) resolve();
        else reject(new Error(`status ${response.statusCode}`));
      });
    });
    request.once('error', reject).end(body);
  });
}

/** `key=value,key2=value2`, values percent-encoded (W3C baggage). */
function headersOf(list = ''): Record<string, string> {
  return Object.fromEntries(pairsOf(list).map(([key, value]) => [key.toLowerCase(), value]));
}

function pairsOf(list: string): [string, string][] {
  return list.split(',').flatMap((pair): [string, string][] => {
    const at = pair.indexOf('=');
    return at <= 0 ? [] : [[pair.slice(0, at).trim(), decoded(pair.slice(at + 1).trim())]];
  });
}

function decoded(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}

export interface KeyValue {
  readonly key: string;
  readonly value: object;
}

export function keyValues(values: Readonly<Record<string, string | number | boolean | null>>): KeyValue[] {
  return Object.entries(values).flatMap(([key, value]) => (value === null ? [] : [{ key, value: anyValue(value) }]));
}

function anyValue(value: string | number | boolean): object {
  if (typeof value === 'string') return { stringValue: value };
  if (typeof value === 'boolean') return { boolValue: value };
  return Number.isSafeInteger(value) ? { intValue: `${value}` } : { doubleValue: value };
}

/** Attributes of this process; variables override known values. */
export function resourceOf(own: Readonly<Record<string, string>>, env: NodeJS.ProcessEnv): { attributes: KeyValue[] } {
  const name = env['OTEL_SERVICE_NAME'];
  const given = Object.fromEntries(pairsOf(env['OTEL_RESOURCE_ATTRIBUTES'] ?? ''));
  return { attributes: keyValues({ ...own, ...given, ...(name && { 'service.name': name }) }) };
}

export function nanoseconds(ms: number): string {
  return `${BigInt(Math.round(ms * 1000)) * 1000n}`;
}
