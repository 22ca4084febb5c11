/**
 * The owners of partitions, from the consumer groups of the crawls: each member's address is the one on which it
 * serves.
 *
 * The group's answer may be outdated: while a partition moves, its new owner may not have it yet. The call then
 * fails, and its client asks again.
 */
import type { Clock } from '../../runtime/clock.ts';
import type { GroupMember, Log } from '../../runtime/log/log.ts';
import type { Peer } from './grpc-peer.ts';
import { nobody, type Peers } from './pass-on.ts';
import { partitionNumber } from './router.ts';
import type { ServedCrawl, ServedCrawls } from './served-crawl.ts';

export interface GroupPeers extends Peers {
  /** Addresses of all processes that serve the first crawl. */
  nodes(): Promise<readonly string[]>;
  close(): void;
}

export interface GroupPeersOptions {
  readonly log: Pick<Log, 'membersOf'>;
  readonly clock: Clock;
  readonly crawls: ServedCrawls;
  /** Address of this process. */
  readonly address: string;
  readonly firstCrawl: string;
  connect(address: string): Peer;
}

/** Members are asked for no more often than this. */
const freshMs = 500;

export function createGroupPeers(options: GroupPeersOptions): GroupPeers {
  const { log, clock, crawls, address, firstCrawl, connect } = options;
  const peers = new Map<string, Peer>();
  const known = new Map<string, { readonly atMs: number; readonly members: Promise<readonly GroupMember[]> }>();

  const membersOf = (crawl: string): Promise<readonly GroupMember[]> => {
    const before = known.get(crawl);
    if (before !== undefined && clock.nowMs() - before.atMs < freshMs) return before.members;
    const members = log.membersOf(`${crawl}.frontier`);
    known.set(crawl, { atMs: clock.nowMs(), members });
    members.catch(() => known.delete(crawl));
    return members;
  };
  const peerAt = (place: string): Peer => {
    const peer = peers.get(place) ?? connect(place);
    peers.set(place, peer);
    return peer;
  };
  const isHere = (crawl: ServedCrawl | undefined, number: number) => crawl?.partitions[number] !== undefined;

  return {
    ownerOf: async (crawlId, key) => {
      const crawl = await crawls.open(crawlId);
      const number = partitionNumber(crawl, key);
      if (isHere(crawl, number)) return undefined;
      const owner = (await membersOf(crawl.name)).find(({ owned }) => owned.includes(number))?.address;
      if (owner === undefined || owner === null || owner === address) throw nobody(number);
      return peerAt(owner);
    },
    others: async (crawlId) => {
      const name = crawlId === undefined ? firstCrawl : (await crawls.find(crawlId))?.name;
      if (name === undefined) return [];
      const places = (await membersOf(name)).flatMap(({ address: place }) => (place === null ? [] : [place]));
      return [...new Set(places)].filter((place) => place !== address).map(peerAt);
    },
    nodes: async () => {
      const places = (await membersOf(firstCrawl)).flatMap(({ address: place }) => (place === null ? [] : [place]));
      return [...new Set([address, ...places])].sort();
    },
    close: () => {
      for (const peer of peers.values()) peer.close();
    },
  };
}
