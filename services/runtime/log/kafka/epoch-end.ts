/** OffsetForLeaderEpoch, version 2 (KIP-320): the end of the records that a leader of a partition appended. */
import { array, type ByteReader, createByteWriter, int16, int32, int64, string } from './bytes.ts';
import type { Cluster } from './cluster.ts';
import { throwFor, transient } from './errors.ts';
import { apiKeyOf, apis, type WireRequest } from './kafkajs-wire.ts';

interface EpochEnd {
  readonly errorCode: number;
  readonly endOffset: number;
}

/**
 * Returns one past the partition's newest record of this leader epoch, or of the newest epoch before it; undefined if
 * the leader knows neither. Throws BROKER_UNREACHABLE.
 */
export async function readEpochEnd(
  cluster: Cluster,
  topic: string,
  partition: number,
  leaderEpoch: number,
): Promise<number | undefined> {
  const what = `asking where leader epoch ${leaderEpoch} of ${topic}/${partition} ends`;
  const answer = await cluster.sendLeader<EpochEnd | undefined>(topic, partition, (leader) =>
    request(topic, partition, leader.epoch, leaderEpoch),
  );
  if (answer === undefined) throw transient(`${what} failed: it is missing in the broker's answer`);
  if (answer.errorCode !== 0) cluster.forget(topic, partition);
  throwFor(answer.errorCode, what);
  return answer.endOffset < 0 ? undefined : answer.endOffset;
}

function request(topic: string, partition: number, currentEpoch: number, leaderEpoch: number): WireRequest {
  const encode = async () => {
    const w = createByteWriter(64 + 3 * topic.length);
    w.int32(1);
    w.string(topic);
    w.int32(1);
    w.int32(partition);
    w.int32(currentEpoch);
    w.int32(leaderEpoch);
    return w;
  };
  const apiKey = apiKeyOf('OffsetForLeaderEpoch');
  const apiVersion = apis.OffsetForLeaderEpoch;
  return {
    request: { apiKey, apiVersion, apiName: 'OffsetForLeaderEpoch', encode } as WireRequest['request'],
    response: { decode: async (payload) => decode(payload), parse: async (decoded) => decoded },
  };
}

function decode(bytes: Buffer): EpochEnd | undefined {
  const r: ByteReader = { bytes, at: 0 };
  int32(r);
  const [first] = array(r, () => {
    string(r);
    return array(r, () => {
      const errorCode = int16(r);
      int32(r);
      int32(r);
      return { errorCode, endOffset: int64(r) };
    });
  }).flat();
  return first;
}
