/**
 * A real OpenTelemetry Collector on loopback for tests: takes spans by OTLP over HTTP, as in production, and hands what it
 * understood of them to the test, as JSON.
 *
 * Built from the Collector's own modules; 0.100 is the newest whose modules can all be had.
 */
import { spawn } from 'node:child_process';
import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePorts, isListening } from '../../lab/kafka/daemon.ts';
import { go, goProgram } from '../go/program.ts';

const version = 'v0.100.0';
const modules = [
  'component',
  'confmap',
  'confmap/provider/fileprovider',
  'exporter',
  'exporter/otlphttpexporter',
  'otelcol',
  'receiver',
  'receiver/otlpreceiver',
];

/** A span as the collector has it. */
export interface ReceivedSpan {
  readonly traceId: string;
  readonly spanId: string;
  /** Empty: none. */
  readonly parentSpanId: string;
  readonly name: string;
  readonly kind: number;
  readonly startMs: number;
  readonly endMs: number;
  readonly links: readonly { readonly traceId: string; readonly spanId: string }[];
  readonly attributes: Readonly<Record<string, string | number | boolean>>;
  /** 2: it failed. */
  readonly status: number;
  readonly service: string;
}

export interface TestCollector {
  /** For `--otlp`. */
  readonly endpoint: string;
  /** All that arrived, in the order it did. */
  readonly spans: readonly ReceivedSpan[];
  /** As the collector hands them on: OTLP in JSON, one export each. */
  readonly metrics: readonly OtlpMetrics[];
  readonly logs: readonly OtlpLogs[];
  stop(): Promise<void>;
}

const otelcol = goProgram({ name: 'otelcol', version, what: 'the OpenTelemetry Collector' }, async (into) => {
  await copyFile(join(import.meta.dirname, 'collector.go'), join(into, 'main.go'));
  const needs = modules.map((path) => `\tgo.opentelemetry.io/collector/${path} ${version}\n`).join('');
  await writeFile(join(into, 'go.mod'), `module otelcol\n\ngo 1.22\n\nrequire (\n${needs})\n`);
  const args = ['build', '-mod=mod', '-trimpath', '-ldflags=-s', '-o', join(into, 'otelcol'), '.'];
  return go(args, { CGO_ENABLED: '0' }, into);
});

export const collectorSkipReason = otelcol.skipReason;

export async function startCollector(): Promise<TestCollector> {
  const file = await otelcol.file();
  const spans: ReceivedSpan[] = [];
  const metrics: OtlpMetrics[] = [];
  const logs: OtlpLogs[] = [];
  const target = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const reported = JSON.parse(Buffer.concat(chunks).toString()) as OtlpJson & OtlpMetrics & OtlpLogs;
      if (request.url === '/v1/metrics') metrics.push(reported);
      else if (request.url === '/v1/logs') logs.push(reported);
      else spans.push(...spansOf(reported));
      response.setHeader('content-type', 'application/json').end('{}');
    });
  });
  await new Promise<void>((resolve) => target.listen(0, '127.0.0.1', resolve));
  const { port: targetPort } = target.address() as AddressInfo;
  const [port] = await freePorts(1);
  const folder = await mkdtemp(join(tmpdir(), 'crawlstream-otel-'));
  const config = join(folder, 'config.json');
  await writeFile(config, JSON.stringify(configOf(port!, targetPort)));
  const child = spawn(file, ['--config', config], { cwd: folder, stdio: 'ignore' });
  const kill = () => child.kill('SIGKILL');
  process.on('exit', kill);
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  while (!(await isListening(port!))) {
    if (child.exitCode !== null) throw new Error(`the collector ended with code ${child.exitCode}`);
    await sleep(50);
  }
  return {
    endpoint: `http://127.0.0.1:${port}`,
    spans,
    metrics,
    logs,
    async stop() {
      process.off('exit', kill);
      kill();
      await ended;
      target.closeAllConnections();
      await new Promise((resolve) => target.close(resolve));
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function configOf(port: number, targetPort: number): object {
  return {
    receivers: { otlp: { protocols: { http: { endpoint: `127.0.0.1:${port}` } } } },
    exporters: {
      otlphttp: {
        endpoint: `http://127.0.0.1:${targetPort}`,
        encoding: 'json',
        compression: 'none',
        // A span is with the test before its sender hears that it has arrived.
        sending_queue: { enabled: false },
      },
    },
    service: {
      telemetry: { metrics: { level: 'none' } },
      pipelines: Object.fromEntries(
        ['traces', 'metrics', 'logs'].map((signal) => [signal, { receivers: ['otlp'], exporters: ['otlphttp'] }]),
      ),
    },
  };
}

interface OfResource {
  readonly resource: { readonly attributes: readonly OtlpAttribute[] };
}

interface OtlpPoint {
  readonly attributes?: readonly OtlpAttribute[];
  readonly startTimeUnixNano: string;
  readonly timeUnixNano: string;
  readonly asDouble?: number;
  readonly count?: string;
  readonly sum?: number;
  readonly bucketCounts?: readonly string[];
  readonly explicitBounds?: readonly number[];
}

export interface OtlpMetric {
  readonly name: string;
  readonly unit?: string;
  readonly sum?: {
    readonly isMonotonic: boolean;
    readonly aggregationTemporality: number;
    readonly dataPoints: OtlpPoint[];
  };
  readonly gauge?: { readonly dataPoints: OtlpPoint[] };
  readonly histogram?: { readonly dataPoints: OtlpPoint[] };
}

export interface OtlpMetrics {
  readonly resourceMetrics: readonly (OfResource & {
    readonly scopeMetrics: readonly { readonly metrics: readonly OtlpMetric[] }[];
  })[];
}

export interface OtlpLogRecord {
  readonly timeUnixNano: string;
  readonly severityNumber: number;
  readonly severityText: string;
  readonly body: { readonly stringValue: string };
  readonly attributes?: readonly OtlpAttribute[];
  readonly traceId?: string;
  readonly spanId?: string;
}

export interface OtlpLogs {
  readonly resourceLogs: readonly (OfResource & {
    readonly scopeLogs: readonly { readonly logRecords: readonly OtlpLogRecord[] }[];
  })[];
}

/** OTLP in JSON, as far as it is read here. */
interface OtlpJson {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly OtlpAttribute[] };
    readonly scopeSpans: readonly { readonly spans: readonly OtlpSpan[] }[];
  }[];
}
export interface OtlpAttribute {
  readonly key: string;
  readonly value: {
    readonly stringValue?: string;
    readonly boolValue?: boolean;
    readonly intValue?: string;
    readonly doubleValue?: number;
  };
}
interface OtlpSpan extends Pick<ReceivedSpan, 'traceId' | 'spanId' | 'name' | 'kind'> {
  readonly parentSpanId?: string;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly links?: ReceivedSpan['links'];
  readonly attributes?: readonly OtlpAttribute[];
  readonly status: { readonly code?: number };
}

function spansOf({ resourceSpans }: OtlpJson): ReceivedSpan[] {
  return resourceSpans.flatMap(({ resource, scopeSpans }) => {
    const service = String(attributesOf(resource.attributes)['service.name']);
    return scopeSpans
      .flatMap(({ spans }) => spans)
      .map((span) => ({
        traceId: span.traceId,
        spanId: span.spanId,
        parentSpanId: span.parentSpanId ?? '',
        name: span.name,
        kind: span.kind,
        startMs: Number(span.startTimeUnixNano) / 1e6,
        endMs: Number(span.endTimeUnixNano) / 1e6,
        links: span.links ?? [],
        attributes: attributesOf(span.attributes ?? []),
        status: span.status.code ?? 0,
        service,
      }));
  });
}

export function attributesOf(list: readonly OtlpAttribute[]): Record<string, string | number | boolean> {
  return Object.fromEntries(
    list.map(({ key, value: { stringValue, boolValue, intValue, doubleValue } }) => [
      key,
      stringValue ?? boolValue ?? (intValue === undefined ? doubleValue! : Number(intValue)),
    ]),
  );
}
