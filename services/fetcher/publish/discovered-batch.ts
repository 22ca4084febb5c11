/**
 * Link groups on their way into `discovered`: groups of one partition share messages of about 256 KiB.
 *
 * Groups are written at once: bytes that wait cost the garbage collector nothing, while a link that is a piece of a
 * page's text keeps all of that text. A group that alone is larger than a message is split; its parts say the same of
 * their links.
 */
import type { LinkGroup } from '../../../schemas/types.ts';
import { type KeyMode, partitionKeyOf } from '../../../topology/url/host-key.ts';
import { partitionOf } from '../../../topology/url/partition.ts';
import type { RecordCodec } from '../../runtime/avro/record-codec.ts';
import type { AppendRecord } from '../../runtime/log/log.ts';
import { fetcherLimits } from '../fetcher-limits.ts';

export interface DiscoveredOptions {
  readonly codec: RecordCodec;
  readonly partitions: number;
  readonly keyMode: KeyMode;
}

interface Message {
  readonly partition: number;
  /** Partition key of the first group. */
  readonly key: string;
  /** The groups, up to `end`. */
  bytes: Buffer;
  end: number;
  groups: number;
}

const firstBytes = 1_024;

export class DiscoveredBatch {
  readonly #options: DiscoveredOptions;
  readonly #messages: Message[] = [];
  /** The last message of each partition. */
  readonly #open = new Map<number, Message>();

  constructor(options: DiscoveredOptions) {
    this.#options = options;
  }

  /** Returns its bytes. */
  add(group: LinkGroup): number {
    const { partitions, keyMode } = this.#options;
    const key = partitionKeyOf(group.hostKey, keyMode);
    const partition = partitionOf(key, partitions);
    return this.#add(group, this.#open.get(partition) ?? this.#begin(partition, key));
  }

  #begin(partition: number, key: string): Message {
    const message = { partition, key, bytes: Buffer.allocUnsafe(firstBytes), end: 0, groups: 0 };
    this.#messages.push(message);
    this.#open.set(partition, message);
    return message;
  }

  #add(group: LinkGroup, message: Message): number {
    const end = this.#write(group, message);
    const size = end - message.end;
    if (size > fetcherLimits.discoveredBytes && group.links.length > 1) {
      const half = group.links.length >> 1;
      const first = this.#add({ ...group, links: group.links.slice(0, half) }, message);
      return first + this.#add({ ...group, links: group.links.slice(half) }, this.#open.get(message.partition)!);
    }
    if (message.groups > 0 && end > fetcherLimits.discoveredBytes)
      return this.#add(group, this.#begin(message.partition, partitionKeyOf(group.hostKey, this.#options.keyMode)));
    message.end = end;
    message.groups += 1;
    return size;
  }

  /** Writes it behind the groups of the message, and returns where it ends. */
  #write(group: LinkGroup, message: Message): number {
    const { codec } = this.#options;
    const end = codec.writeLinkGroup(group, message.bytes, message.end);
    if (end >= 0) return end;
    // A negative end is the number of bytes that are missing.
    const larger = Buffer.allocUnsafe(2 * (message.bytes.length - end));
    message.bytes.copy(larger, 0, 0, message.end);
    message.bytes = larger;
    return codec.writeLinkGroup(group, larger, message.end);
  }

  /** `topic`: full name of `discovered`. */
  records(topic: string): AppendRecord[] {
    return this.#messages.map(({ partition, key, bytes, end, groups }) => {
      const value = this.#options.codec.encodeDiscovered(groups, bytes.subarray(0, end));
      return { topic, partition, key: Buffer.from(key), value };
    });
  }
}
