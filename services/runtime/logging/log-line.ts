/**
 * The single schema of log lines. Every JSON line has the fields of `always`, and some of the others, each with one
 * meaning and one type. docs/operations.md lists them in a table; a test compares the two.
 */

/** `fatal`: a bug. */
export const logLevels = ['info', 'warn', 'error', 'fatal'] as const;
export type LogLevel = (typeof logLevels)[number];

/** Subject of a line: levels are set by it. */
export const components = {
  process: 'starts, stops, settings, and what ends a process',
  brokers: 'brokers, the registry and schemas that are away or back; settings that put records at risk',
  crawl: 'why a crawl stands still although every process is healthy: no fetcher, no frontier, partitions of others',
  state: 'partitions that are opened, restored, given up; warm copies; snapshots',
  http: 'addresses it listens on, and calls of operators',
  fetcher: 'proxies, signatures, fetch workers',
  consumers: 'consumers, plugins, the browser, hubs: retries and dropped records',
  trace: 'traced URLs: fetched, decided on, expired',
  progress: 'how far a crawl is, every five seconds',
} as const;
export type Component = keyof typeof components;

type FieldType = 'string' | 'number' | 'boolean';

export const always = {
  time: ['string', 'when it was written, ISO 8601 with ms, UTC'],
  level: ['string', `one of ${logLevels.join(', ')}`],
  component: ['string', 'what it is about'],
  service: ['string', '`crawlstream-` and the command'],
  version: ['string', 'the release'],
  pid: ['number', 'of the process'],
  msg: ['string', 'a sentence for people; programs go by the fields'],
} as const satisfies Readonly<Record<string, readonly [FieldType, string]>>;

export const sometimes = {
  crawl: ['string', 'the name of the crawl, if the process belongs to one'],
  code: ['string', 'code of an error. It never changes; the words may'],
  request_id: ['string', 'id of an HTTP call, as in `X-Request-Id`'],
  method: ['string', 'method of an HTTP call'],
  path: ['string', 'path of an HTTP call, without its query'],
  status: ['number', 'status of the answer to an HTTP call'],
  ms: ['number', 'duration of an HTTP call'],
  remote: ['string', 'address of the caller of an HTTP call'],
  repeated: ['number', 'similar lines left out since the last one that was written'],
  partition: ['number', 'partition of the crawl'],
  records: ['number', 'restore: records done'],
  recordsTotal: ['number', 'restore: records to do'],
  leftMs: ['number', 'restore: time left'],
  pages: ['number', 'pages fetched'],
  pagesPerSecond: ['number', 'current pages per second'],
  paused: ['boolean', 'an operator paused the crawl'],
  queued: ['number', 'URLs that wait'],
  retrying: ['number', 'URLs that wait and failed before'],
  readyHosts: ['number', 'hosts that may be contacted'],
  delayedHosts: ['number', 'hosts that wait for their delay'],
  hostsOnLease: ['number', 'hosts with a fetcher'],
  failures: ['number', 'URLs given up on'],
  trace_id: ['string', 'trace of a traced URL, as in OpenTelemetry'],
  span_id: ['string', 'span of a traced URL'],
  trace_flags: ['string', 'flags of the trace of a traced URL'],
} as const satisfies Readonly<Record<string, readonly [FieldType, string]>>;

/** Attributes of spans in lines of traced URLs, under OpenTelemetry's names. */
export const attributeNames = /^(crawlstream|http|url|server|network|messaging)\.[a-z_.]+$/;

type Value = string | number | boolean | null;

export type LogFields = { readonly [Name in keyof typeof sometimes]?: Value } & {
  readonly component?: Component;
} & { readonly [attribute: `${string}.${string}`]: Value };

/** A line before it is written. */
export interface LogLine {
  readonly text: string;
  readonly level: LogLevel;
  readonly component: Component;
  readonly fields: LogFields;
}

/** The least level that is written, of each component. */
export type LogLevels = Readonly<Record<Component, LogLevel>>;

export function isWanted({ level, component }: Pick<LogLine, 'level' | 'component'>, levels: LogLevels): boolean {
  return logLevels.indexOf(level) >= logLevels.indexOf(levels[component]);
}

export function levelsOf(base: LogLevel, own: Readonly<Partial<Record<Component, LogLevel>>> = {}): LogLevels {
  const all = Object.keys(components).map((component) => [component, base]);
  return { ...(Object.fromEntries(all) as Record<Component, LogLevel>), ...own };
}
