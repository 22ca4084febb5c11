/**
 * Records on a partition that their key does not lead to, sent by producers with another partitioner (librdkafka's
 * default is CRC32). If this partition decided on them, a host would have queues in two partitions, and two leases
 * could fetch from it.
 *
 * So the record is passed on to its partition, acked before the commit that moves past it. A record that was passed
 * on before and is wrong again becomes a dead letter: two owners that disagree about a key must not send it back and
 * forth. A link is routed by the host of its URL, whatever its group says. Cost: a murmur2 for each run of links
 * of one host.
 */
import { blankDeadLetter } from '../../../schemas/blank.ts';
import type { Control, DeadLetter, Discovered, Link, LinkGroup, Result } from '../../../schemas/types.ts';
import { partitionKeyOf } from '../../url/host-key.ts';
import { partitionOf } from '../../url/partition.ts';
import type { InputTopic } from '../changes/changelog.ts';
import type { PartitionIdentity } from './decision.ts';

/** A record for another partition. The owner adds its key, and the header that marks it as passed on. */
export type PassedOn = { readonly partition: number; readonly key: string } & (
  | { readonly topic: 'control'; readonly record: Control }
  | { readonly topic: 'results'; readonly record: Result }
  | { readonly topic: 'discovered'; readonly record: Discovered }
);

/** The record that is being decided. */
export interface Arrival {
  readonly topic: InputTopic;
  readonly offset: number;
  /** Its bytes, if it was passed on before. */
  readonly passedOn?: Uint8Array | undefined;
}

export class Misrouted {
  /** Records to be acked before the commit, like dead letters. */
  readonly passedOn: PassedOn[] = [];
  readonly #identity: PartitionIdentity;
  readonly #deadLetters: DeadLetter[];
  readonly #nowMs: number;
  #hostKey = '';
  #key = '';
  #partition = -1;
  #arrival: Arrival = { topic: 'control', offset: -1 };
  /** The newest group passed on; further links of the same group join it. */
  #group: { readonly of: LinkGroup; readonly hostKey: string; readonly links: Link[] } | undefined;
  #deadLetterCount = 0;

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

  /** Passes on a link for which `isOurs` returned false. Returns true for the first link of its host and group. */
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
    const original = Buffer.from(this.#deadLetterCount++ === 0 || url === '' ? passedOn! : []);
    const source = { sourceTopic: topic, sourcePartition: partition, sourceOffset: offset };
    const deadLetter = { ...blankDeadLetter, ...source, url, hostKey, detail, original, atMs: this.#nowMs };
    this.#deadLetters.push({ ...deadLetter, reason: 'misrouted' });
  }
}

/** Events that concern one host; all others concern every partition, or are only records. */
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
