/**
 * Records on a partition that their key does not lead to, as producers with another partitioner send them (librdkafka's
 * default is CRC32). If they were decided on there, a host would have a queue in two partitions, and be fetched from by
 * two leases.
 *
 * Therefore what belongs elsewhere is passed on to where it belongs, acked before the commit that moves past it. What
 * was passed on before, and is wrong again, becomes a dead letter: two owners that disagree about where a key leads
 * must not send it back and forth. A link goes by its own URL's host, whatever its group says. Cost: a murmur2 for each
 * run of links of one host.
 */
import { blankDeadLetter } from '../../../schemas/blank.ts';
import type { Control, DeadLetter, Discovered, Link, LinkGroup, Result } from '../../../schemas/types.ts';
import { partitionKeyOf } from '../../url/host-key.ts';
import { partitionOf } from '../../url/partition.ts';
import type { InputTopic } from '../changes/changelog.ts';
import type { PartitionIdentity } from './decision.ts';

/** A record for another partition; its own key, and the header that says so, are the owner's to add. */
export type PassedOn = { readonly partition: number; readonly key: string } & (
  | { readonly topic: 'control'; readonly record: Control }
  | { readonly topic: 'results'; readonly record: Result }
  | { readonly topic: 'discovered'; readonly record: Discovered }
);

/** The record that is being decided. */
export interface Arrival {
  readonly topic: InputTopic;
  readonly offset: number;
  /** Its bytes, where it was passed on before. */
  readonly passedOn?: Uint8Array | undefined;
}

export class Misrouted {
  /** To be acked before the commit, as dead letters are. */
  readonly passedOn: PassedOn[] = [];
  readonly #identity: PartitionIdentity;
  readonly #deadLetters: DeadLetter[];
  readonly #nowMs: number;
  #hostKey = '';
  #key = '';
  #partition = -1;
  #arrival: Arrival = { topic: 'control', offset: -1 };
  /** The newest of what is passed on: links of the same group join it. */
  #group: { readonly of: LinkGroup; readonly hostKey: string; readonly links: Link[] } | undefined;
  #letters = 0;

  constructor(identity: PartitionIdentity, deadLetters: DeadLetter[], nowMs: number) {
    this.#identity = identity;
    this.#deadLetters = deadLetters;
    this.#nowMs = nowMs;
  }

  arrives(arrival: Arrival): void {
    this.#arrival = arrival;
    this.#group = undefined;
  }

  /** Was the record that is being decided passed on by another partition? */
  get isPassedOn(): boolean {
    return this.#arrival.passedOn !== undefined;
  }

  /** Does the host belong to this partition? */
  isOurs(hostKey: string): boolean {
    const { partition, partitions, keyMode = 'host' } = this.#identity;
    if (partitions === 1) return true;
    if (hostKey !== this.#hostKey) {
      this.#hostKey = hostKey;
      this.#key = partitionKeyOf(hostKey, keyMode);
      this.#partition = partitionOf(this.#key, partitions);
    }
    return this.#partition === partition;
  }

  /** A link of which `isOurs` has just said no. True: it is the first of its host and group. */
  link(group: LinkGroup, hostKey: string, link: Link): boolean {
    if (this.#arrival.passedOn !== undefined) {
      this.#deadLetter(hostKey, link.url);
      return true;
    }
    const open = this.#group;
    if (open !== undefined && open.of === group && open.hostKey === hostKey) {
      open.links.push(link);
      return false;
    }
    const links = [link];
    this.#group = { of: group, hostKey, links };
    this.passedOn.push({ ...this.#there(), topic: 'discovered', record: { groups: [{ ...group, hostKey, links }] } });
    return true;
  }

  result(record: Result): void {
    if (this.#arrival.passedOn !== undefined) this.#deadLetter(record.hostKey, '');
    else this.passedOn.push({ ...this.#there(), topic: 'results', record });
  }

  control(record: Control): void {
    if (this.#arrival.passedOn !== undefined) this.#deadLetter(record.hostKey, '');
    else this.passedOn.push({ ...this.#there(), topic: 'control', record });
  }

  #there(): { readonly partition: number; readonly key: string } {
    return { partition: this.#partition, key: this.#key };
  }

  #deadLetter(hostKey: string, url: string): void {
    const { topic, offset, passedOn } = this.#arrival;
    const { partition, partitions } = this.#identity;
    const detail = `${hostKey} belongs to partition ${this.#partition} of ${partitions}, but its record was sent to ${partition}`;
    // If a message has many links, only the first dead letter holds its bytes.
    const original = Buffer.from(this.#letters++ === 0 || url === '' ? passedOn! : []);
    const source = { sourceTopic: topic, sourcePartition: partition, sourceOffset: offset };
    const deadLetter = { ...blankDeadLetter, ...source, url, hostKey, detail, original, atMs: this.#nowMs };
    this.#deadLetters.push({ ...deadLetter, reason: 'misrouted' });
  }
}

/** Events that change what is known of one host; all others concern every partition, or are for the record. */
const hostEvents: ReadonlySet<Control['kind']> = new Set<Control['kind']>([
  'blockHost',
  'releaseHost',
  'hostDelay',
  'hostLimit',
  'hostLeases',
  'readSitemaps',
  'budget',
  'trap',
  'releaseTrap',
  'duplicates',
  'raise',
  'lower',
  'purge',
]);

export function isAboutHost({ kind, hostKey }: Control): boolean {
  return hostKey !== '' && hostEvents.has(kind);
}
