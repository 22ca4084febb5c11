/**
 * What the members of a group tell each other, as JSON in the user data of Kafka's own records: each member what it had
 * and wishes for, and the leader, with each assignment, what is not in Kafka's part of it. Fields may be added: who does
 * not know them leaves them alone.
 */
import type { GroupOptions, StandbyPlace } from '../log.ts';
import { assign, type Claimant, warmthOf } from './assigner.ts';
import { MemberAssignment, MemberMetadata } from './kafkajs-wire.ts';
import { placeStandbys } from './place-standbys.ts';

/** The version of Kafka's records around it. */
const version = 1;

/** As of the assignment that it had before. */
export interface Told {
  readonly owned: readonly number[];
  readonly generation: number;
  readonly standbys: readonly number[];
}

interface MemberData extends Told {
  readonly holds: readonly number[];
  /** Copies wished for each partition; absent: of a release that keeps none. */
  readonly copies?: number;
  readonly name?: string;
  readonly address?: string;
}

export interface Assignment {
  readonly owned: readonly number[];
  readonly standbys: readonly StandbyPlace[];
  readonly members: number;
}

export interface JoinedMember {
  readonly memberId: string;
  readonly memberMetadata: Buffer;
}

export function encodeMetadata(options: GroupOptions, told: Told): Buffer {
  const { topics, instanceId, address, standbys: copies = 0, holds } = options;
  const data: MemberData = {
    ...told,
    holds: holds?.() ?? [],
    copies,
    ...(instanceId !== undefined && { name: instanceId }),
    ...(address !== undefined && { address }),
  };
  return MemberMetadata.encode({ version, topics, userData: Buffer.from(JSON.stringify(data)) });
}

export function decodeMetadata(metadata: Buffer): Partial<MemberData> {
  return parsed<MemberData>(MemberMetadata.decode(metadata).userData);
}

/** The leader's part: what each member gets. */
export function shareOut(members: readonly JoinedMember[], topics: readonly string[], partitions: number) {
  const told = members.map(({ memberId, memberMetadata }) => ({ id: memberId, data: decodeMetadata(memberMetadata) }));
  const claimants = told.map(({ id, data }): Claimant => {
    const { owned = [], generation = -1, standbys = [], holds = [] } = data;
    return { id, owned, generation, standbys, holds };
  });
  const shares = assign(claimants, partitions);
  const able = told.filter(({ data }) => data.copies !== undefined).map(({ id }) => id);
  const count = Math.max(0, ...told.map(({ data }) => data.copies ?? 0));
  const places = placeStandbys({ shares, able, count, warmth: warmthOf(claimants) });
  return [...shares].map(([memberId, numbers]) => {
    const data = { members: members.length, standbys: places.get(memberId) ?? [] };
    const assignment = Object.fromEntries(topics.map((topic) => [topic, numbers]));
    const userData = Buffer.from(JSON.stringify(data));
    return { memberId, memberAssignment: MemberAssignment.encode({ version, assignment, userData }) };
  });
}

export function decodeAssignment(bytes: Buffer): Assignment {
  const decoded = bytes.length === 0 ? null : MemberAssignment.decode(bytes);
  const { members = 1, standbys = [] } = parsed<Assignment>(decoded?.userData);
  // The same numbers of every topic.
  const [owned = []] = Object.values(decoded?.assignment ?? {});
  return { owned, standbys, members };
}

/** Nothing where it can't be read. */
function parsed<T>(userData: Buffer | null | undefined): Partial<T> {
  try {
    return JSON.parse(userData?.toString() || '{}') as Partial<T>;
  } catch {
    return {};
  }
}
