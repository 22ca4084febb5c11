/** Produce, version 7: batches for several partitions of one leader, each with a separate outcome; acks from all. */
import { array, type ByteReader, createByteWriter, int16, int32, int64, string } from './bytes.ts';
import type { Compressor } from './compression/codecs.ts';
import { apiKeyOf, apis, type WireRequest } from './kafkajs-wire.ts';
import { batchHeaderBytes, type Producer, recordBytesAtMost, type StampedRecord, writeBatch } from './record-batch.ts';

export interface ProducePart {
  readonly topic: string;
  readonly partition: number;
  readonly records: readonly StampedRecord[];
  readonly producer: Producer;
}

export interface ProducedPart {
  readonly topic: string;
  readonly partition: number;
  readonly errorCode: number;
  /** Offset of the batch's first record. */
  readonly baseOffset: number;
}

export function produceRequest(
  parts: readonly ProducePart[],
  timeoutMs: number,
  compressor: Compressor | undefined,
): WireRequest {
  return {
    request: {
      apiKey: apiKeyOf('Produce'),
      apiVersion: apis.Produce,
      apiName: 'Produce',
      encode: async () => encode(parts, timeoutMs, compressor),
    } as WireRequest['request'],
    response: { decode: async (payload) => decode(payload), parse: async (decoded) => decoded },
    requestTimeout: timeoutMs,
  };
}

function encode(parts: readonly ProducePart[], timeoutMs: number, compressor: Compressor | undefined) {
  let bytes = 64;
  for (const { topic, records } of parts) {
    bytes += 16 + 3 * topic.length + batchHeaderBytes;
    for (const { record } of records) bytes += recordBytesAtMost(record);
  }
  const w = createByteWriter(bytes);
  w.string(null);
  w.int16(-1);
  w.int32(timeoutMs);
  // Brokers may keep one entry per topic name, so each topic occurs once.
  const byTopic = new Map<string, ProducePart[]>();
  for (const part of parts) {
    const there = byTopic.get(part.topic);
    if (there) there.push(part);
    else byTopic.set(part.topic, [part]);
  }
  w.int32(byTopic.size);
  for (const [topic, of] of byTopic) {
    w.string(topic);
    w.int32(of.length);
    for (const { partition, records, producer } of of) {
      w.int32(partition);
      const sizeAt = w.length;
      w.int32(0);
      writeBatch(w, records, producer, compressor);
      w.patchInt32(sizeAt, w.length - sizeAt - 4);
    }
  }
  return w;
}

export interface ProduceResponse {
  readonly clientSideThrottleTime: number;
  readonly parts: readonly ProducedPart[];
}

function decode(bytes: Buffer): ProduceResponse {
  const r: ByteReader = { bytes, at: 0 };
  const parts = array(r, () => {
    const topic = string(r);
    return array(r, (): ProducedPart => {
      const partition = int32(r);
      const errorCode = int16(r);
      const baseOffset = int64(r);
      r.at += 16;
      return { topic, partition, errorCode, baseOffset };
    });
  }).flat();
  return { clientSideThrottleTime: int32(r), parts };
}
