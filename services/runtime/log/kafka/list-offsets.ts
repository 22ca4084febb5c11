/** ListOffsets, version 4: one offset of one partition, asked of its leader by its leader epoch (KIP-320). */
import { array, type ByteReader, createByteWriter, int16, int32, int64, string } from './bytes.ts';
import { apiKeyOf, apis, type WireRequest } from './kafkajs-wire.ts';

export interface ListedOffset {
  readonly errorCode: number;
  readonly offset: number;
}

export interface OffsetQuestion {
  readonly topic: string;
  readonly partition: number;
  /**
   * -2: asks for the first offset. -1: for the end. Otherwise, for the first offset from this time on; the answer is -1
   * if no record is that new.
   */
  readonly timestamp: number;
  /** Leader epoch that the caller knows; -1: unknown. */
  readonly leaderEpoch: number;
}

/** Committed records only: an open transaction holds the end back. */
export function listOffsetsRequest({ topic, partition, timestamp, leaderEpoch }: OffsetQuestion): WireRequest {
  const encode = async () => {
    const w = createByteWriter(64 + 3 * topic.length);
    w.int32(-1);
    w.int8(1);
    w.int32(1);
    w.string(topic);
    w.int32(1);
    w.int32(partition);
    w.int32(leaderEpoch);
    w.int64(timestamp);
    return w;
  };
  const [apiKey, apiVersion] = [apiKeyOf('ListOffsets'), apis.ListOffsets];
  return {
    request: { apiKey, apiVersion, apiName: 'ListOffsets', encode } as WireRequest['request'],
    response: { decode: async (payload) => decode(payload), parse: async (decoded) => decoded },
  };
}

function decode(bytes: Buffer): ListedOffset | undefined {
  const r: ByteReader = { bytes, at: 0 };
  int32(r);
  const [first] = array(r, () => {
    string(r);
    return array(r, () => {
      int32(r);
      const errorCode = int16(r);
      int64(r);
      const offset = int64(r);
      int32(r);
      return { errorCode, offset };
    });
  }).flat();
  return first;
}
