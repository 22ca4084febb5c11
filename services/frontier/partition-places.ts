/** Every partition of a crawl: who owns it and how it stands, who keeps copies of it, and how far behind those are. */
import type { InputTopic } from '../../topology/frontier/changelog.ts';
import { inputTopics } from '../../topology/frontier/changelog.ts';
import type { FrontierMember } from '../runtime/crawl/frontier-members.ts';
import { lookAt } from '../runtime/crawl/look.ts';
import type { Log } from '../runtime/log/log.ts';
import type { Asked } from './queries.ts';

export interface PartitionPlace {
  readonly partition: number;
  /** null: nobody, at the moment. */
  readonly owner: string | null;
  /** Where its owner may be asked; null: nowhere. */
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
}

export async function partitionPlaces(
  log: Pick<Log, 'offsets' | 'reader'>,
  crawl: string,
  partitions: number,
  members: readonly FrontierMember[],
  self: Asked,
): Promise<PartitionPlace[]> {
  const look = await lookAt(log, crawl, partitions, null);
  return look.partitions.map(({ ends, positions, counters }, partition) => {
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
      hosts: counters.hosts,
      queued: counters.queued + counters.retrying,
      leased: counters.leased,
      deferred: counters.deferred,
      pages: counters.page,
      lag,
    };
  });
}
