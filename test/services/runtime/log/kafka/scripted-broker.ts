/**
 * A broker on a socket that says what a test tells it to: any topic with one partition, Kafka's wire format
 * written by hand from the protocol guide, so that client and broker share no encoder.
 */

import type { AddressInfo } from 'node:net';
import { createServer, type Socket } from 'node:net';
import type { TestContext } from 'node:test';

export interface ProducedBatch {
  readonly producerId: number;
  readonly epoch: number;
  readonly sequence: number;
  readonly records: number;
  /** As it came. */
  readonly bytes: Buffer;
}

/** `lost`: the connection breaks, and nobody hears whether the batch was kept. */
export type ProduceAnswer = { readonly error?: number; readonly baseOffset?: number } | 'lost';
export interface FetchAnswer {
  readonly error?: number;
  readonly batches?: Buffer;
  /** The answer is held back until this resolves. */
  readonly after?: Promise<unknown>;
}

export interface CreateAnswer {
  /** Of topics that are not made; those without one are. */
  readonly errors?: Readonly<Record<string, number>>;
  readonly throttleMs?: number;
}

export interface Script {
  /** Absent: each topic that is asked for is there. Else those that were made are. */
  readonly create?: (topics: readonly string[], nth: number) => CreateAnswer;
  readonly produce?: (batch: ProducedBatch, nth: number) => ProduceAnswer | Promise<ProduceAnswer>;
  readonly fetch?: (offset: number, nth: number, leaderEpoch: number) => FetchAnswer;
  readonly range?: { readonly start: number; readonly end: number };
  /** An error code for a question about offsets that names this leader epoch. */
  readonly refuse?: (leaderEpoch: number) => number;
  /** What it knows of the cluster; absent: itself. Undefined: the connection breaks. */
  readonly metadata?: () => ScriptedMetadata | undefined;
  /** Where records of this leader epoch end. */
  readonly epochEnd?: (epoch: number, leaderEpoch: number) => { readonly error?: number; readonly end: number };
  /** Newest version of Metadata that it claims. */
  readonly metadataVersion?: number;
  /** Absent: it coordinates no groups. */
  readonly group?: ScriptedGroup;
}

/** A group of one member, `m`, and of others that only the test knows of. */
export interface ScriptedGroup {
  /** What the member gets at its nth join, whose generation is n + 1. */
  readonly assignment: (nth: number) => Buffer;
  /** An error code for the nth heartbeat. */
  readonly heartbeat?: (nth: number) => number;
  /** An error code for these positions, as `topic/partition@offset`. */
  readonly commit?: (
    by: { readonly member: string; readonly generation: number },
    positions: readonly string[],
  ) => number;
}

export interface ScriptedMetadata {
  readonly brokers: readonly { readonly nodeId: number; readonly port: number }[];
  readonly leader: number;
  readonly epoch: number;
}

export interface ScriptedBroker {
  readonly address: string;
  /** Requests to make topics: when they came, ms on this process's monotonic clock, and of which topics. */
  readonly creations: readonly { readonly askedMs: number; readonly topics: readonly string[] }[];
  readonly batches: readonly ProducedBatch[];
  /** Offsets that were asked for, in order. */
  readonly fetches: readonly number[];
  readonly port: number;
  /** Questions about brokers and leaders. */
  readonly metadataAsked: readonly number[];
  /** Number of questions for a group's coordinator. */
  coordinatorAsked(): number;
}

const apiNames = {
  produce: 0,
  fetch: 1,
  listOffsets: 2,
  metadata: 3,
  commit: 8,
  coordinator: 10,
  join: 11,
  heartbeat: 12,
  leave: 13,
  sync: 14,
  versions: 18,
  createTopics: 19,
  initProducerId: 22,
  epochEnd: 23,
} as const;

const unknownTopic = 3;
const alreadyThere = 36;

export async function startScriptedBroker(test: TestContext, script: Script): Promise<ScriptedBroker> {
  const batches: ProducedBatch[] = [];
  const fetches: number[] = [];
  const creations: { readonly askedMs: number; readonly topics: readonly string[] }[] = [];
  const metadataAsked: number[] = [];
  const made = new Set<string>();
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket)).on('error', () => {});
    let received: Buffer = Buffer.alloc(0);
    socket.on('data', (chunk) => {
      received = Buffer.concat([received, chunk]);
      while (received.length >= 4 && received.length >= 4 + received.readInt32BE(0)) {
        const frame = received.subarray(4, 4 + received.readInt32BE(0));
        received = received.subarray(4 + frame.length);
        void answer(frame, socket);
      }
    });
  });

  const answer = async (frame: Buffer, socket: Socket) => {
    const api = frame.readInt16BE(0);
    const clientLength = frame.readInt16BE(8);
    const request = new Input(frame, 10 + Math.max(0, clientLength));
    const body = await bodyOf(api, request);
    if (body === null) {
      socket.destroy();
      return;
    }
    const head = Buffer.alloc(8);
    head.writeInt32BE(4 + body.length, 0);
    frame.copy(head, 4, 4, 8);
    if (!socket.destroyed) socket.write(Buffer.concat([head, body]));
  };

  const bodyOf = async (api: number, request: Input): Promise<Buffer | null> => {
    const out = new Output();
    switch (api) {
      case apiNames.versions: {
        out.int16(0).int32(61);
        for (let key = 0; key <= 60; key++)
          out
            .int16(key)
            .int16(0)
            .int16(key === apiNames.metadata ? (script.metadataVersion ?? 99) : 99);
        return out.int32(0).bytes();
      }
      case apiNames.metadata: {
        const topics = request.list(() => request.string());
        const { port } = server.address() as AddressInfo;
        metadataAsked.push(performance.now());
        const itself = { brokers: [{ nodeId: 1, port }], leader: 1, epoch: 0 };
        const known = script.metadata === undefined ? itself : script.metadata();
        if (known === undefined) return null;
        out.int32(0).int32(known.brokers.length);
        for (const one of known.brokers) out.int32(one.nodeId).string('127.0.0.1').int32(one.port).int16(-1);
        out.string('cluster').int32(1);
        out.int32(topics.length);
        for (const topic of topics) {
          if (script.create !== undefined && !made.has(topic)) {
            out.int16(unknownTopic).string(topic).int8(0).int32(0);
            continue;
          }
          out.int16(0).string(topic).int8(0).int32(1);
          out.int16(0).int32(0).int32(known.leader).int32(known.epoch);
          out.int32(1).int32(1).int32(1).int32(1).int32(0);
        }
        return out.bytes();
      }
      case apiNames.createTopics: {
        const topics = request.list(() => {
          const topic = request.string();
          request.skip(4 + 2);
          request.list(() => request.skip(4 + 4 * request.count()));
          request.list(() => [request.string(), request.string()]);
          return topic;
        });
        creations.push({ askedMs: performance.now(), topics });
        const { errors = {}, throttleMs = 0 } = script.create?.(topics, creations.length - 1) ?? {};
        out.int32(throttleMs).int32(topics.length);
        for (const topic of topics) {
          const error = made.has(topic) ? alreadyThere : (errors[topic] ?? 0);
          if (error === 0) made.add(topic);
          out.string(topic).int16(error).int16(-1);
        }
        return out.bytes();
      }
      case apiNames.initProducerId:
        return out.int32(0).int16(0).int64(4_000).int16(0).bytes();
      case apiNames.produce: {
        request.string();
        request.skip(6);
        const [topic, partitions] = [request.count() && request.string(), request.count()];
        if (partitions !== 1) throw new Error('the script plays one partition');
        const partition = request.int32();
        const batch = batchOf(request.take(request.int32()));
        batches.push(batch);
        const said = (await script.produce?.(batch, batches.length - 1)) ?? {};
        if (said === 'lost') return null;
        out
          .int32(1)
          .string(topic as string)
          .int32(1)
          .int32(partition)
          .int16(said.error ?? 0);
        return out
          .int64(said.baseOffset ?? -1)
          .int64(-1)
          .int64(0)
          .int32(0)
          .bytes();
      }
      case apiNames.fetch: {
        request.skip(4 + 4 + 4 + 4 + 1 + 4 + 4);
        const topics = request.count();
        if (topics !== 1) throw new Error('the script plays one topic');
        const topic = request.string();
        request.count();
        const partition = request.int32();
        const leaderEpoch = request.int32();
        const offset = request.int64();
        fetches.push(offset);
        const answered = script.fetch?.(offset, fetches.length - 1, leaderEpoch) ?? {};
        const { error = 0, batches: given = Buffer.alloc(0), after } = answered;
        await after;
        // As a broker does where there is no news.
        if (error === 0 && given.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
        const end = script.range?.end ?? 1_000;
        out.int32(0).int16(0).int32(0).int32(1).string(topic).int32(1);
        out.int32(partition).int16(error).int64(end).int64(end).int64(0).int32(-1).int32(-1);
        return out.int32(given.length).raw(given).bytes();
      }
      case apiNames.listOffsets: {
        request.skip(5);
        request.count();
        const topic = request.string();
        request.count();
        const [partition, leaderEpoch, time] = [request.int32(), request.int32(), request.int64()];
        const { start = 0, end = 1_000 } = script.range ?? {};
        out.int32(0).int32(1).string(topic).int32(1).int32(partition);
        out.int16(script.refuse?.(leaderEpoch) ?? 0).int64(-1);
        return out
          .int64(time === -2 ? start : end)
          .int32(0)
          .bytes();
      }
      case apiNames.epochEnd: {
        request.count();
        const topic = request.string();
        request.count();
        const [partition, leaderEpoch, epoch] = [request.int32(), request.int32(), request.int32()];
        const { error = 0, end } = script.epochEnd?.(epoch, leaderEpoch) ?? { end: -1 };
        out.int32(0).int32(1).string(topic).int32(1);
        return out.int16(error).int32(partition).int32(epoch).int64(end).bytes();
      }
      default:
        if (script.group === undefined) throw new Error(`the script has no answer to api ${api}`);
        return ofGroup(script.group, api, request, out);
    }
  };

  let [joins, beats, coordinatorAsked] = [0, 0, 0];
  const ofGroup = (group: ScriptedGroup, api: number, request: Input, out: Output): Buffer | null => {
    switch (api) {
      case apiNames.coordinator: {
        coordinatorAsked += 1;
        const { port } = server.address() as AddressInfo;
        return out.int32(0).int16(0).int16(-1).int32(1).string('127.0.0.1').int32(port).bytes();
      }
      case apiNames.join:
        out.int32(0).int16(0).int32(++joins);
        return out.string('protocol').string('leader').string('m').int32(0).bytes();
      case apiNames.sync: {
        const assignment = group.assignment(joins - 1);
        return out.int32(0).int16(0).int32(assignment.length).raw(assignment).bytes();
      }
      case apiNames.heartbeat:
        return out
          .int32(0)
          .int16(group.heartbeat?.(beats++) ?? 0)
          .bytes();
      case apiNames.leave:
        return out.int32(0).int16(0).int32(0).bytes();
      case apiNames.commit: {
        request.string();
        const [generation, member] = [request.int32(), request.string()];
        const asked = request.list(() => {
          const topic = request.string();
          const partitions = request.list(() => {
            const [partition, offset] = [request.int32(), request.int64()];
            request.string();
            return { partition, offset };
          });
          return { topic, partitions };
        });
        const positions = asked.flatMap(({ topic, partitions }) =>
          partitions.map(({ partition, offset }) => `${topic}/${partition}@${offset}`),
        );
        const error = group.commit?.({ member, generation }, positions) ?? 0;
        out.int32(0).int32(asked.length);
        for (const { topic, partitions } of asked) {
          out.string(topic).int32(partitions.length);
          for (const { partition } of partitions) out.int32(partition).int16(error);
        }
        return out.bytes();
      }
      default:
        // The connection breaks.
        return null;
    }
  };

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  test.after(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const asked = { creations, metadataAsked, coordinatorAsked: () => coordinatorAsked };
  return { address: `127.0.0.1:${port}`, port, batches, fetches, ...asked };
}

/** Fields of a batch's header, where the protocol guide has them. */
function batchOf(bytes: Buffer): ProducedBatch {
  return {
    producerId: Number(bytes.readBigInt64BE(43)),
    epoch: bytes.readInt16BE(51),
    sequence: bytes.readInt32BE(53),
    records: bytes.readInt32BE(57),
    bytes: Buffer.from(bytes),
  };
}

/** The same batch as it lies in a log from an offset on: its checksum does not cover where it lies. */
export function lyingAt(batch: ProducedBatch, offset: number): Buffer {
  const bytes = Buffer.from(batch.bytes);
  bytes.writeBigInt64BE(BigInt(offset));
  return bytes;
}

class Input {
  readonly #bytes: Buffer;
  #at: number;

  constructor(bytes: Buffer, at: number) {
    this.#bytes = bytes;
    this.#at = at;
  }

  skip(bytes: number): void {
    this.#at += bytes;
  }

  int32(): number {
    this.#at += 4;
    return this.#bytes.readInt32BE(this.#at - 4);
  }

  int64(): number {
    this.#at += 8;
    return Number(this.#bytes.readBigInt64BE(this.#at - 8));
  }

  count(): number {
    return this.int32();
  }

  string(): string {
    this.#at += 2;
    const length = Math.max(0, this.#bytes.readInt16BE(this.#at - 2));
    return this.take(length).toString();
  }

  take(length: number): Buffer {
    this.#at += length;
    return this.#bytes.subarray(this.#at - length, this.#at);
  }

  list<T>(read: () => T): T[] {
    return Array.from({ length: Math.max(0, this.count()) }, read);
  }
}

class Output {
  readonly #parts: Buffer[] = [];

  #number(bytes: number, write: (buffer: Buffer) => void): this {
    const buffer = Buffer.alloc(bytes);
    write(buffer);
    this.#parts.push(buffer);
    return this;
  }

  int8(value: number): this {
    return this.#number(1, (buffer) => buffer.writeInt8(value));
  }

  int16(value: number): this {
    return this.#number(2, (buffer) => buffer.writeInt16BE(value));
  }

  int32(value: number): this {
    return this.#number(4, (buffer) => buffer.writeInt32BE(value));
  }

  int64(value: number): this {
    return this.#number(8, (buffer) => buffer.writeBigInt64BE(BigInt(value)));
  }

  string(value: string): this {
    return this.int16(Buffer.byteLength(value)).raw(Buffer.from(value));
  }

  raw(bytes: Buffer): this {
    this.#parts.push(bytes);
    return this;
  }

  bytes(): Buffer {
    return Buffer.concat(this.#parts);
  }
}
