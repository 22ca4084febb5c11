/** Every partition of a crawl: its owner and status, who keeps copies of it, and how far behind those are. */
import type { InputTopic } from '../../../topology/frontier/changes/changelog.ts';
import { inputTopics } from '../../../topology/frontier/changes/changelog.ts';
import type { Counters } from '../../../topology/frontier/changes/counters.ts';
import type { Freshness } from '../../../topology/frontier/recrawl/freshness-now.ts';
import type { FrontierMember } from '../../runtime/crawl/frontier-members.ts';
import { endsOf, statusOf } from '../../runtime/crawl/look.ts';
import type { Log } from '../../runtime/log/log.ts';
import { type OwnPartition, ownPartitions, type Restores, reportedByOwners } from './own-partitions.ts';
import type { Asked, Queries } from './queries.ts';

export interface PartitionPlace {
  readonly partition: number;
  /** null: none at the moment. */
  readonly owner: string | null;
  /** Address of its owner for queries; null: none. */
  readonly address: string | null;
  readonly standbys: readonly {
    readonly member: string;
    readonly address: string | null;
    readonly rank: number;
    readonly behind: number | null;
    readonly staleMs: number | null;
  }[];
  readonly hosts: number;
  readonly queued: number;
  readonly leased: number;
  readonly deferred: number;
  readonly pages: number;
  /** Records of its inputs that are not decided yet. */
  readonly lag: Readonly<Record<InputTopic, number>>;
  /** All counters of its newest commit. */
  readonly counters: Counters;
  /**
   * Progress of its owner's restore, 0 to 1; null, as in all fields that follow: its owner was not asked, or did not
   * answer.
   */
  readonly restored: number | null;
  readonly restoreLeftMs: number | null;
  readonly readyHosts: number | null;
  readonly delayedHosts: number | null;
  /** Also null if no page is scheduled again. */
  readonly freshness: Freshness | null;
}

export interface PlacedCrawl {
  readonly log: Pick<Log, 'offsets' | 'reader'>;
  readonly crawl: string;
  readonly partitions: number;
  readonly members: readonly FrontierMember[];
  readonly self: Asked;
  /** Queries to other members; null: they are not asked. */
  readonly queries: Pick<Queries, 'passOn'> | null;
  /** Restores of partitions of this process. */
  readonly restores: Restores;
}

const nobody = { passOn: async () => undefined };

export async function partitionPlaces(placed: PlacedCrawl): Promise<PartitionPlace[]> {
  const { partitions, members, self, queries, restores } = placed;
  const own = ownPartitions(partitions, self, restores);
  const reported = await reportedByOwners(queries ?? nobody, members, self.name, own);
  const numbers = Array.from({ length: partitions }, (_, partition) => partition);
  return Promise.all(numbers.map((partition) => placeOf(placed, partition, reported.get(partition))));
}

async function placeOf(
  { log, crawl, members, self }: PlacedCrawl,
  partition: number,
  reported: OwnPartition | undefined,
): Promise<PartitionPlace> {
  const committed = reported?.committed ?? null;
  const { positions, counters, ends } =
    committed === null
      ? await statusOf(log, crawl, partition)
      : { ...committed, ends: await endsOf(log, crawl, partition) };
  const owner = members.find(({ owned }) => owned.includes(partition));
  const copies = members.flatMap(({ name: member, address, standbys }) =>
    standbys
      .filter((one) => one.partition === partition)
      .map(({ rank, behind, staleMs }) => ({ member, address, rank, behind, staleMs })),
  );
  const lag = Object.fromEntries(
    inputTopics.map((topic) => [topic, Math.max(0, ends[topic] - positions[topic].offset)]),
  ) as Record<InputTopic, number>;
  return {
    partition,
    owner: owner?.name ?? (self.held(partition).owner ? self.name : null),
    address: owner?.address ?? null,
    standbys: copies.sort((a, b) => a.rank - b.rank),
    lag,
    restored: reported?.restored ?? null,
    restoreLeftMs: reported?.restoreLeftMs ?? null,
    ...figuresOf(committed ?? { counters, readyHosts: null, delayedHosts: null, freshness: null }),
  };
}

type Figures = Pick<PartitionPlace, 'counters' | 'readyHosts' | 'delayedHosts' | 'freshness'>;

/** The figures of a partition from its newest commit. */
export function figuresOf({ counters, readyHosts, delayedHosts, freshness }: Figures) {
  return {
    hosts: counters.hosts,
    queued: counters.queued + counters.retrying,
    leased: counters.leased,
    deferred: counters.deferred,
    pages: counters.page,
    ...{ counters, readyHosts, delayedHosts, freshness },
  };
}
