/**
 * The parts of kafkajs that are used: one TCP connection (TLS, SASL, framing, request timeouts, throttling) and its
 * encoders and decoders of requests; nothing else.
 *
 * Why below its public API: its consumer pushes, sends heartbeats only between batches, and silently resets a
 * position that is out of range; its producer hides outcomes per partition. A log that must know exact offsets can
 * use neither. The parts imported here are internal to kafkajs, so the version is checked: 2.2.4, no other.
 */
import { createRequire } from 'node:module';
import { CrawlstreamError } from '../../../../topology/errors.ts';

const require = createRequire(import.meta.url);
const versionNeeded = '2.2.4';
const versionThere = (require('kafkajs/package.json') as { version: string }).version;
if (versionThere !== versionNeeded) {
  throw new CrawlstreamError(
    'UNSUPPORTED',
    `kafkajs ${versionThere} is installed, but version ${versionNeeded} is needed: run npm ci`,
  );
}

/** A request ready to send. kafkajs's own `parse` would throw the first error of any partition: see `raw`. */
export interface WireRequest {
  readonly request: { readonly apiKey: number; readonly apiVersion: number; readonly apiName: string };
  readonly response: {
    decode(payload: Buffer): Promise<unknown>;
    parse(decoded: unknown): Promise<unknown>;
  };
  readonly requestTimeout?: number;
  readonly logResponseError?: boolean;
}

export interface WireConnection {
  readonly socket?: { destroy(): void; setNoDelay(on: boolean): void };
  connect(): Promise<unknown>;
  disconnect(): Promise<unknown>;
  authenticate(): Promise<void>;
  isConnected(): boolean;
  readonly requestQueue: { readonly pending: readonly unknown[]; scheduleCheckPendingRequests(): void };
  setVersions(versions: ApiVersions): void;
  setSupportAuthenticationProtocol(isSupported: boolean): void;
  rejectRequests(error: Error): void;
  send(request: WireRequest): Promise<unknown>;
}

export type ApiVersions = Record<number, { readonly minVersion: number; readonly maxVersion: number }>;

/** kafkajs's own entry of its log. */
export interface KafkajsLogEntry {
  readonly namespace: string;
  readonly label: string;
  readonly log: { readonly message: string; readonly [extra: string]: unknown };
}

interface Definition {
  protocol(options: { version: number }): (args: object) => WireRequest;
}

const Connection = require('kafkajs/src/network/connection') as new (options: object) => WireConnection;
const socketFactory = (require('kafkajs/src/network/socketFactory') as () => unknown)();
const definitions = (require('kafkajs/src/protocol/requests') as { requests: Record<string, Definition> }).requests;
const apiKeys = require('kafkajs/src/protocol/requests/apiKeys') as Record<string, number>;
const { createLogger, LEVELS } = require('kafkajs/src/loggers') as {
  createLogger(options: object): unknown;
  LEVELS: Record<'NOTHING' | 'WARN', number>;
};
const { errorCodes } = require('kafkajs/src/protocol/error') as {
  errorCodes: readonly { type: string; code: number; retriable: boolean; message: string }[];
};
/** Values of membership as every Kafka consumer writes them, so that Kafka's own tools can show the group. */
export const { MemberMetadata, MemberAssignment } = require('kafkajs/src/consumer/assignerProtocol') as {
  MemberMetadata: {
    encode(value: { version: number; topics: readonly string[]; userData: Buffer }): Buffer;
    decode(bytes: Buffer): { version: number; topics: string[]; userData: Buffer | null };
  };
  MemberAssignment: {
    encode(value: { version: number; assignment: Record<string, readonly number[]>; userData: Buffer }): Buffer;
    decode(bytes: Buffer): { version: number; assignment: Record<string, number[]>; userData: Buffer | null } | null;
  };
};

/**
 * The version of each request that is spoken: what Kafka 2.3 and later understand, and kafkajs encodes. Fetch, Produce,
 * Metadata, ListOffsets and OffsetForLeaderEpoch are encoded here (fetch-request.ts, produce-request.ts and others).
 */
export const apis = {
  Produce: 7,
  Fetch: 11,
  ListOffsets: 4,
  Metadata: 7,
  OffsetCommit: 5,
  OffsetFetch: 4,
  GroupCoordinator: 2,
  JoinGroup: 5,
  Heartbeat: 3,
  LeaveGroup: 3,
  SyncGroup: 3,
  DescribeGroups: 2,
  CreateTopics: 3,
  DeleteTopics: 1,
  DeleteRecords: 1,
  InitProducerId: 1,
  DescribeConfigs: 2,
  ListGroups: 2,
  DeleteGroups: 1,
  OffsetForLeaderEpoch: 2,
} as const;
export type ApiName = keyof typeof apis;

export function apiKeyOf(name: ApiName | 'ApiVersions'): number {
  return apiKeys[name] as number;
}

/** A request that returns its whole answer, with error codes. */
export function raw(name: ApiName | 'ApiVersions', args: object): WireRequest {
  const version = name === 'ApiVersions' ? 2 : apis[name];
  const { request, response, ...options } = (definitions[name] as Definition).protocol({ version })(args);
  return {
    request,
    ...options,
    response: { decode: (payload) => response.decode(payload), parse: async (decoded) => decoded },
  };
}

export interface WireOptions {
  readonly host: string;
  readonly port: number;
  readonly clientId: string;
  readonly connectTimeoutMs: number;
  readonly requestTimeoutMs: number;
  readonly ssl: object | boolean | undefined;
  readonly sasl: object | undefined;
  readonly onLog: ((entry: KafkajsLogEntry) => void) | undefined;
}

export function createWireConnection(options: WireOptions): WireConnection {
  const { onLog } = options;
  const connection = new Connection({
    host: options.host,
    port: options.port,
    clientId: options.clientId,
    connectionTimeout: options.connectTimeoutMs,
    requestTimeout: options.requestTimeoutMs,
    enforceRequestTimeout: true,
    ssl: options.ssl === true ? {} : options.ssl || null,
    sasl: options.sasl ?? null,
    socketFactory,
    logger: createLogger({ level: onLog ? LEVELS.WARN : LEVELS.NOTHING, logCreator: () => onLog ?? (() => {}) }),
  });
  quieten(connection.requestQueue);
  return connection;
}

/**
 * Stops a busy loop. After each answer, kafkajs 2.2.4 sets a timer in the past, which checks for requests delayed by
 * throttling and sets itself again: a thousand wake-ups a second per connection, and a process that never ends. The
 * check is needed only while requests wait.
 */
function quieten(queue: WireConnection['requestQueue']): void {
  const schedule = queue.scheduleCheckPendingRequests;
  queue.scheduleCheckPendingRequests = () => {
    if (queue.pending.length > 0) schedule.call(queue);
  };
}

export interface KafkaErrorCode {
  readonly type: string;
  readonly retriable: boolean;
  readonly message: string;
}

/** An error code newer than kafkajs 2.2.4 (KIP-599): too many topics or partitions made at once. */
const throttlingQuotaExceeded = {
  code: 89,
  type: 'THROTTLING_QUOTA_EXCEEDED',
  retriable: true,
  message: 'The throttling quota has been exceeded',
};

/** The name of an error code a broker answered with; 0 is success. */
export function errorOf(code: number): KafkaErrorCode {
  if (code === throttlingQuotaExceeded.code) return throttlingQuotaExceeded;
  return errorCodes.find((each) => each.code === code) ?? { type: `error ${code}`, retriable: false, message: '' };
}
