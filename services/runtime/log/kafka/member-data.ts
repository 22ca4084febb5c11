/**
 * Messages between the members of a group, as JSON in the user data of Kafka's records. Each member sends its former
 * partitions and its wishes, and the leader adds data to each assignment that Kafka's format lacks. Fields may be
 * added: members ignore unknown ones.
 */

import type { GroupOptions, StandbyPlace } from '../log.ts';
import { assign, type Claimant, owners, warmthOf } from './assigner.ts';
import { kafkaLimits } from './kafka-limits.ts';
import { MemberAssignment, MemberMetadata } from './kafkajs-wire.ts';
import { placeStandbys } from './place-standbys.ts';
import { warmFirst } from './warm-first.ts';

/** Version of Kafka's surrounding records. */
const version = 1;

/** The partitions of its former assignment. */
export interface MemberStatus {
  readonly owned: readonly number[];
  readonly generation: number;
  readonly standbys: readonly number[];
  /** Time for which it has warmed up each partition's copy, ms. */
  readonly warmingMs: Readonly<Record<string, number>>;
}

interface MemberData extends MemberStatus {
  readonly holds: readonly number[];
  /** Copies that have caught up; absent: a release, or a group, without warm-ups. */
  readonly caughtUp?: readonly number[];
  /** Copies wanted of each partition; absent: the member's release keeps none. */
  readonly copies?: number;
  readonly name?: string;
  readonly address?: string;
}

export interface Assignment {
  readonly owned: readonly number[];
  readonly standbys: readonly StandbyPlace[];
  /** The standby partitions that the member will own when it has caught up. */
  readonly warmUps: readonly number[];
  readonly members: number;
}

export interface JoinedMember {
  readonly memberId: string;
  readonly memberMetadata: Buffer;
}

export function encodeMetadata(options: GroupOptions, status: MemberStatus): Buffer {
  const { topics, instanceId, address, standbys: copies = 0, holds, caughtUp } = options;
  const data: MemberData = {
    ...status,
    holds: holds?.() ?? [],
    copies,
    ...(caughtUp && { caughtUp: caughtUp() }),
    ...(instanceId !== undefined && { name: instanceId }),
    ...(address !== undefined && { address }),
  };
  return MemberMetadata.encode({ version, topics, userData: Buffer.from(JSON.stringify(data)) });
}

export function decodeMetadata(metadata: Buffer): Partial<MemberData> {
  return parsed<MemberData>(MemberMetadata.decode(metadata).userData);
}

/** The leader's part: what each member gets. */
export function shareOut(
  members: readonly JoinedMember[],
  topics: readonly string[],
  partitions: number,
  warmUpMsMax: number = kafkaLimits.warmUpMsMax,
) {
  const status = members.map(({ memberId, memberMetadata }) => ({
    id: memberId,
    data: decodeMetadata(memberMetadata),
  }));
  const claimants = status.map(({ id, data }): Claimant => {
    const { owned = [], generation = -1, standbys = [], holds = [] } = data;
    return { id, owned, generation, standbys, holds };
  });
  const warming = status.map(({ id, data: { caughtUp, warmingMs } }) => ({ id, caughtUp, warmingMs }));
  const target = assign(claimants, partitions);
  const { shares, warmUps } = warmFirst(target, owners(claimants, partitions), warming, warmUpMsMax);
  const able = status.filter(({ data }) => data.copies !== undefined).map(({ id }) => id);
  const count = Math.max(0, ...status.map(({ data }) => data.copies ?? 0));
  const places = placeStandbys({ shares, able, count, warmth: warmthOf(claimants) });
  return [...shares].map(([memberId, numbers]) => {
    const own = warmUps.get(memberId) ?? [];
    const placed = places.get(memberId) ?? [];
    // A warm-up may be one of its standbys; others get a rank after them.
    const more = own.filter((partition) => !placed.some((one) => one.partition === partition));
    const standbys = [...placed, ...more.map((partition) => ({ partition, rank: count + 1 }))];
    const data = { members: members.length, standbys, warmUps: own };
    const assignment = Object.fromEntries(topics.map((topic) => [topic, numbers]));
    const userData = Buffer.from(JSON.stringify(data));
    return { memberId, memberAssignment: MemberAssignment.encode({ version, assignment, userData }) };
  });
}

export function decodeAssignment(bytes: Buffer): Assignment {
  const decoded = bytes.length === 0 ? null : MemberAssignment.decode(bytes);
  const { members = 1, standbys = [], warmUps = [] } = parsed<Assignment>(decoded?.userData);
  // The same numbers of every topic.
  const [owned = []] = Object.values(decoded?.assignment ?? {});
  return { owned, standbys, warmUps, members };
}

/** Empty if it cannot be read. */
function parsed<T>(userData: Buffer | null | undefined): Partial<T> {
  try {
    return JSON.parse(userData?.toString() || '{}') as Partial<T>;
  } catch {
    return {};
  }
}
