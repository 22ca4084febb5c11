/** Lines of the log to a collector: from a bounded queue, in batches, each once. */
import { otlpLimits } from './otlp-limits.ts';
import { type KeyValue, keyValues, nanoseconds, type OtlpPost } from './otlp-post.ts';

export interface OtlpLine {
  readonly text: string;
  readonly level: 'info' | 'warn' | 'error' | 'fatal';
  readonly component: string;
  readonly fields: Readonly<Record<string, string | number | boolean | null>>;
}

export interface OtlpLogs {
  take(line: OtlpLine): void;
  /** Sends what waits. */
  close(): Promise<void>;
}

/** OpenTelemetry's numbers of severities. */
const severities = { info: 9, warn: 13, error: 17, fatal: 21 } as const;

export interface OtlpLogsOptions {
  readonly post: OtlpPost;
  readonly version: string;
  readonly resource: () => { readonly attributes: readonly KeyValue[] };
  /** Log lines by fate. */
  readonly counts: { exported: number; failed: number };
}

export function openOtlpLogs({ post, version, resource, counts }: OtlpLogsOptions): OtlpLogs {
  const queue: object[] = [];
  const sendAll = async () => {
    while (queue.length > 0) {
      const logRecords = queue.splice(0, otlpLimits.linesPerExport);
      const scopeLogs = [{ scope: { name: 'crawlstream', version }, logRecords }];
      const arrived = await post.send({ resourceLogs: [{ resource: resource(), scopeLogs }] });
      counts[arrived ? 'exported' : 'failed'] += logRecords.length;
      if (!arrived) return;
    }
  };
  let sending: Promise<void> | undefined;
  /** Only one send runs at a time: a slow collector does not get parallel requests. */
  const flush = () => {
    sending ??= sendAll().finally(() => (sending = undefined));
    return sending;
  };
  const timer = setInterval(() => void flush(), otlpLimits.linesEveryMs);
  timer.unref();
  return {
    take(line) {
      if (queue.length < otlpLimits.linesQueued) queue.push(recordOf(line, Date.now()));
      else counts.failed += 1;
    },
    async close() {
      clearInterval(timer);
      await sending;
      await flush();
    },
  };
}

function recordOf({ text, level, component, fields }: OtlpLine, nowMs: number): object {
  const { trace_id: traceId, span_id: spanId, trace_flags: _, ...others } = fields;
  const named = Object.entries(others).map(([name, value]) => [
    name.includes('.') ? name : `crawlstream.${name}`,
    value,
  ]);
  return {
    timeUnixNano: nanoseconds(nowMs),
    observedTimeUnixNano: nanoseconds(nowMs),
    severityNumber: severities[level],
    severityText: level,
    body: { stringValue: text },
    attributes: keyValues({ 'crawlstream.component': component, ...Object.fromEntries(named) }),
    ...(typeof traceId === 'string' && { traceId, spanId, flags: 1 }),
  };
}
