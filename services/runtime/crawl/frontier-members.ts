/**
 * The frontiers of a crawl on Kafka: the partitions that each owns, its standby copies, and how far behind those are.
 */
import type { GroupMember, Log } from '../log/log.ts';
import { recordsOf } from '../log/records-of.ts';

/** The methods of the log that are needed. */
export type MembersLog = Pick<Log, 'membersOf' | 'committed' | 'offsets' | 'reader'>;

export interface FrontierMember extends Omit<GroupMember, 'standbys'> {
  readonly standbys: readonly StandbyCopy[];
}

export interface StandbyCopy {
  readonly partition: number;
  /** 1: the first copy of this partition, 2: the second. */
  readonly rank: number;
  /** Records of the changelog that it had not applied at its last report; null: no report yet. */
  readonly behind: number | null;
  /**
   * Age of the oldest of these records, ms; 0: none. Records that it applies between two reports, a second apart,
   * count as not applied.
   */
  readonly staleMs: number | null;
}

/** Group under which standbys of a rank publish their positions; it has no members. */
export function standbyGroup(crawl: string, rank: number): string {
  return `${crawl}.frontier-standby-${rank}`;
}

export async function frontierMembers(log: MembersLog, crawl: string, nowMs: number): Promise<FrontierMember[]> {
  const members = await log.membersOf(`${crawl}.frontier`);
  return Promise.all(
    members.map(async (member) => {
      const copies = member.standbys.map(({ partition, rank }) => copyOf(log, crawl, partition, rank, nowMs));
      return { ...member, standbys: await Promise.all(copies) };
    }),
  );
}

async function copyOf(
  log: MembersLog,
  crawl: string,
  partition: number,
  rank: number,
  nowMs: number,
): Promise<StandbyCopy> {
  const topic = `${crawl}.frontier-changelog`;
  const text = await log.committed(standbyGroup(crawl, rank), topic, partition);
  if (text === undefined) return { partition, rank, behind: null, staleMs: null };
  const { start, end } = await log.offsets(topic, partition);
  let staleMs = 0;
  const from = Math.max(text, start);
  for await (const { timestampMs } of recordsOf(log, topic, partition, from, Math.min(end, from + 1))) {
    staleMs = Math.max(0, nowMs - timestampMs);
  }
  return { partition, rank, behind: Math.max(0, end - text), staleMs };
}
