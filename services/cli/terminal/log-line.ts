/**
 * The one schema of what is logged: every JSON line has the fields of `always`, and of the others those that fit it, each
 * with one meaning and one type wherever it stands. docs/operations.md has them as a table, which a test holds against this.
 */

/** `fatal`: a bug. */
export const logLevels = ['info', 'warn', 'error', 'fatal'] as const;
export type LogLevel = (typeof logLevels)[number];

/** What a line is about: levels are set by it. */
export const components = {
  process: 'starts, stops, settings, and what ends a process',
  brokers: 'brokers, the registry and schemas that are away or back, and what of their settings puts records at risk',
  crawl: 'what stops a crawl though every process is well: no fetcher, no frontier, partitions of others',
  state: 'partitions that are opened, restored, given up; warm copies; snapshots',
  http: 'where it listens, and what operators ask of it',
  fetcher: 'proxies, signatures, fetch workers',
  consumers: 'consumers, plugins, the browser, hubs: what is tried again or dropped',
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
  code: ['string', 'of an error: it never changes, as its words may'],
  request_id: ['string', 'of a call by HTTP: what its caller sent or got as `X-Request-Id`'],
  method: ['string', 'of such a call'],
  path: ['string', 'of such a call, without its query'],
  status: ['number', 'of its answer'],
  ms: ['number', 'what it took'],
  remote: ['string', 'the address of its caller'],
  repeated: ['number', 'so many lines like it were left out since the last one that was written'],
  partition: ['number', 'of the crawl'],
  records: ['number', 'of a restore: done'],
  recordsTotal: ['number', 'of a restore: to do'],
  leftMs: ['number', 'of a restore: how long it will take'],
  pages: ['number', 'fetched'],
  pagesPerSecond: ['number', 'at present'],
  paused: ['boolean', 'by an operator'],
  queued: ['number', 'URLs that wait'],
  retrying: ['number', 'of them, those that failed before'],
  readyHosts: ['number', 'hosts that may be contacted'],
  delayedHosts: ['number', 'hosts that wait for their delay'],
  hostsOnLease: ['number', 'hosts with a fetcher'],
  failures: ['number', 'URLs given up on'],
  trace_id: ['string', 'of a traced URL, as OpenTelemetry names it'],
  span_id: ['string', 'of a traced URL'],
  trace_flags: ['string', 'of a traced URL'],
} as const satisfies Readonly<Record<string, readonly [FieldType, string]>>;

/** Attributes of spans stand in lines of traced URLs under OpenTelemetry's names. */
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
