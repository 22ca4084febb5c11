/** Fetch, version 11: several partitions of one leader in one request, each with a separate outcome. */
import { array, type ByteReader, createByteWriter, int16, int32, int64, slice, string } from './bytes.ts';
import { apiKeyOf, apis, type WireRequest } from './kafkajs-wire.ts';
import type { AbortedTransaction } from './record-batch.ts';

export interface FetchPart {
  readonly topic: string;
  readonly partition: number;
  readonly offset: number;
  /** Leader epoch that the reader knows (KIP-320); a broker with another one refuses the request. -1: unknown. */
  readonly leaderEpoch: number;
}

export interface FetchedPart {
  readonly topic: string;
  readonly partition: number;
  readonly errorCode: number;
  readonly aborted: readonly AbortedTransaction[];
  /** The replica to read from instead of the leader; -1: none. */
  readonly preferredReplica: number;
  /** Record batches, the last one perhaps cut short. */
  readonly batches: Buffer;
}

export interface FetchOptions {
  readonly maxWaitMs: number;
  /**
   * Most bytes of the whole response, and of one partition in it. The first batch is always complete, whatever its
   * size.
   */
  readonly maxBytes: number;
  readonly partitionBytes: number;
  readonly requestTimeoutMs: number;
  /**
   * Rack of the reader (KIP-392): the leader may send it to a replica there. Empty: it reads from the broker that it
   * asks.
   */
  readonly rack: string;
}

/** Requests committed records only. The broker fills partitions in the given order. */
export function fetchRequest(parts: readonly FetchPart[], options: FetchOptions): WireRequest {
  return {
    request: {
      apiKey: apiKeyOf('Fetch'),
      apiVersion: apis.Fetch,
      apiName: 'Fetch',
      encode: async () => encode(parts, options),
    } as WireRequest['request'],
    response: { decode: async (payload) => decode(payload), parse: async (decoded) => decoded },
    requestTimeout: options.requestTimeoutMs,
  };
}

function encode(parts: readonly FetchPart[], { maxWaitMs, maxBytes, partitionBytes, rack }: FetchOptions) {
  const w = createByteWriter(64 + 100 * parts.length);
  w.int32(-1);
  w.int32(maxWaitMs);
  w.int32(1);
  w.int32(maxBytes);
  w.int8(1);
  w.int32(0);
  w.int32(-1);
  w.int32(parts.length);
  for (const { topic, partition, offset, leaderEpoch } of parts) {
    w.string(topic);
    w.int32(1);
    w.int32(partition);
    w.int32(leaderEpoch);
    w.int64(offset);
    w.int64(-1);
    w.int32(partitionBytes);
  }
  w.int32(0);
  w.string(rack);
  return w;
}

/** The field that kafkajs reads: a delay that the broker asks of its clients. */
export interface FetchResponse {
  readonly clientSideThrottleTime: number;
  readonly errorCode: number;
  readonly parts: readonly FetchedPart[];
}

function decode(bytes: Buffer): FetchResponse {
  const r: ByteReader = { bytes, at: 0 };
  const clientSideThrottleTime = int32(r);
  const errorCode = int16(r);
  int32(r);
  const parts = array(r, () => {
    const topic = string(r);
    return array(r, () => readPart(r, topic));
  }).flat();
  return { clientSideThrottleTime, errorCode, parts };
}

function readPart(r: ByteReader, topic: string): FetchedPart {
  const partition = int32(r);
  const errorCode = int16(r);
  r.at += 24;
  const aborted = array(r, () => ({ producerId: int64(r), firstOffset: int64(r) }));
  const preferredReplica = int32(r);
  const batches = slice(r, int32(r)) ?? Buffer.alloc(0);
  return { topic, partition, errorCode, aborted, preferredReplica, batches };
}
