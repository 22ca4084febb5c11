/** Metadata, version 7: brokers, and the leader of each partition with its leader epoch (KIP-320). */
import { array, type ByteReader, createByteWriter, int8, int16, int32, string } from './bytes.ts';
import { apiKeyOf, apis, type WireRequest } from './kafkajs-wire.ts';
import type { Link } from './link.ts';

export interface PartitionMetadata {
  readonly partitionId: number;
  /** -1: none at the moment. */
  readonly leader: number;
  /** -1: the broker knows none. */
  readonly leaderEpoch: number;
  readonly replicas: readonly number[];
}

export interface MetadataAnswer {
  readonly brokers: readonly { readonly nodeId: number; readonly host: string; readonly port: number }[];
  readonly topicMetadata: readonly {
    readonly topicErrorCode: number;
    readonly topic: string;
    readonly partitionMetadata: readonly PartitionMetadata[];
  }[];
}

/** Asks a broker for the metadata of these topics. */
export async function askMetadata(link: Link, topics: readonly string[]): Promise<MetadataAnswer> {
  const answer = await link.send<MetadataAnswer>(metadataRequest(topics));
  if (link.hasLeaderEpochs) return answer;
  const withoutEpoch = (one: PartitionMetadata) => ({ ...one, leaderEpoch: -1 });
  const topicMetadata = answer.topicMetadata.map((one) => ({
    ...one,
    partitionMetadata: one.partitionMetadata.map(withoutEpoch),
  }));
  return { ...answer, topicMetadata };
}

function metadataRequest(topics: readonly string[]): WireRequest {
  const encode = async () => {
    const w = createByteWriter(64 + topics.reduce((bytes, topic) => bytes + 2 + 3 * topic.length, 0));
    w.int32(topics.length);
    for (const topic of topics) w.string(topic);
    // A request for a topic must not create it.
    w.int8(0);
    return w;
  };
  const [apiKey, apiVersion] = [apiKeyOf('Metadata'), apis.Metadata];
  return {
    request: { apiKey, apiVersion, apiName: 'Metadata', encode } as WireRequest['request'],
    response: { decode: async (payload) => decode(payload), parse: async (decoded) => decoded },
  };
}

function decode(bytes: Buffer): MetadataAnswer & { readonly clientSideThrottleTime: number } {
  const r: ByteReader = { bytes, at: 0 };
  const clientSideThrottleTime = int32(r);
  const brokers = array(r, () => {
    const [nodeId, host, port] = [int32(r), string(r), int32(r)];
    string(r); // Rack.
    return { nodeId, host, port };
  });
  string(r); // Id of the cluster.
  int32(r); // Controller.
  const topicMetadata = array(r, () => {
    const [topicErrorCode, topic] = [int16(r), string(r)];
    int8(r); // Internal or not.
    return { topicErrorCode, topic, partitionMetadata: array(r, readPartition) };
  });
  return { clientSideThrottleTime, brokers, topicMetadata };
}

function readPartition(r: ByteReader): PartitionMetadata {
  int16(r); // Why there is no leader.
  const [partitionId, leader, leaderEpoch] = [int32(r), int32(r), int32(r)];
  const replicas = array(r, int32);
  array(r, int32); // In sync.
  array(r, int32); // Offline.
  return { partitionId, leader, leaderEpoch, replicas };
}
