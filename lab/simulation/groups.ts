/**
 * Consumer groups of the simulated log: which process reads which partitions, by number.
 *
 * A member without a heartbeat for a session is replaced; if it wakes after that, it joins again. A rebalance is not
 * synchronous: each member learns of it at its own time, so that two may hold one partition for a while.
 */
import type { GroupMember, GroupOptions } from '../../services/runtime/log/log.ts';
import type { Chance } from './chance.ts';
import type { SimProcess } from './process.ts';
import type { Scheduler } from './scheduler.ts';

export const sessionMs = 6_000;

interface Member {
  /** The newest generation that it knows. */
  generation: number;
  /** By partition that it holds: the generation since which it holds it. */
  holds: ReadonlyMap<number, number>;
  /** True if it keeps warm copies of partitions that it does not own. */
  readonly copies: boolean;
  readonly process: SimProcess;
  readonly onAssigned: GroupOptions['onAssigned'];
  /** Called with its first assignment. */
  onJoined: () => void;
}

interface Group {
  members: Member[];
  generation: number;
  readonly owners: (Member | undefined)[];
  /** By partition: the generation in which its owner got it. */
  readonly since: number[];
  /** By partition: the member that keeps a warm copy. */
  readonly copies: (Member | undefined)[];
}

export interface Groups {
  join(process: SimProcess, options: GroupOptions, partitions: number): Promise<void>;
  leave(process: SimProcess, group: string): void;
  membersOf(group: string): number;
  members(group: string): GroupMember[];
  /**
   * The generation since which the partition belongs to the process, if the process knows it; undefined: it does not.
   */
  heldSince(process: SimProcess, group: string, partition: number): number | undefined;
  /** True if it still does, as far as the group knows. */
  holds(process: SimProcess, group: string, partition: number, since: number | undefined): boolean;
  /** Partitions are reassigned without a cause. */
  rebalance(group: string): void;
  /** A process was killed or froze: after a session, its groups check whether it has returned. */
  suspect(process: SimProcess): void;
  /** The member is cut off until then. */
  isolated(process: SimProcess, untilMs: number): void;
  /** The member is back: it joins again if it was dropped. */
  back(process: SimProcess): void;
}

export function createGroups(scheduler: Scheduler, chance: Chance): Groups {
  const groups = new Map<string, Group>();
  /** Dropped members that do not know it yet. */
  const silentUntil = new Map<SimProcess, number>();
  const givenUp: { readonly name: string; readonly member: Member }[] = [];

  const share = (name: string, group: Group, keepShare: number) => {
    group.generation += 1;
    for (let partition = 0; partition < group.owners.length; partition++) {
      const owner = group.owners[partition];
      const stays = owner !== undefined && group.members.includes(owner) && chance.happens(keepShare);
      const next = stays || group.members.length === 0 ? owner : chance.pick(group.members);
      if (next !== owner) group.since[partition] = group.generation;
      group.owners[partition] = next;
      const able = group.members.filter((member) => member.copies && member !== next);
      const keeps = able.includes(group.copies[partition]!) && chance.happens(keepShare);
      if (!keeps) group.copies[partition] = able.length === 0 ? undefined : chance.pick(able);
    }
    scheduler.note(`group ${name}: ${group.owners.map((owner) => owner?.process.name ?? 'nobody').join(' ')}`);
    for (const member of group.members) {
      scheduler.at(scheduler.nowMs() + chance.between(1, 400), () => notify(group, member), member.process);
    }
  };

  /** A member that learns late learns of the newest rebalance. */
  const notify = (group: Group, member: Member) => {
    if (!group.members.includes(member)) return;
    const silentMs = silentUntil.get(member.process) ?? 0;
    if (silentMs > scheduler.nowMs()) {
      scheduler.at(silentMs + 1, () => notify(group, member), member.process);
      return;
    }
    const owned = group.owners.flatMap((owner, partition) => (owner === member ? [partition] : []));
    // As in the real group: a member that missed a generation learns that it owned nothing meanwhile.
    const copies = group.copies.flatMap((keeper, partition) => (keeper === member ? [{ partition, rank: 1 }] : []));
    if (member.generation >= 0 && group.generation > member.generation + 1) member.onAssigned([], copies);
    member.generation = group.generation;
    member.holds = new Map(owned.map((partition) => [partition, group.since[partition]!]));
    member.onAssigned(owned, copies);
    member.onJoined();
  };

  const add = (name: string, member: Member, partitions: number) => {
    let group = groups.get(name);
    if (group === undefined) {
      const nobody = () => Array.from({ length: partitions }, () => undefined);
      group = { members: [], generation: 0, owners: nobody(), since: [], copies: nobody() };
      groups.set(name, group);
    }
    group.members.push(member);
    share(name, group, 0.6);
  };

  const remove = (name: string, group: Group, member: Member) => {
    group.members = group.members.filter((other) => other !== member);
    share(name, group, 0.9);
  };

  const isHeardOf = (process: SimProcess) =>
    process.state === 'running' && (silentUntil.get(process) ?? 0) <= scheduler.nowMs();

  const suspect = (process: SimProcess) => {
    scheduler.at(scheduler.nowMs() + sessionMs, () => {
      if (isHeardOf(process)) return;
      for (const [name, group] of groups) {
        const member = group.members.find((one) => one.process === process);
        if (member === undefined) continue;
        givenUp.push({ name, member });
        remove(name, group, member);
      }
    });
  };

  const back = (process: SimProcess) => {
    for (const one of givenUp.splice(0)) {
      if (one.member.process !== process) givenUp.push(one);
      else if (process.state !== 'dead') {
        const joinAgain = () =>
          add(one.name, { ...one.member, onJoined: () => {} }, groups.get(one.name)!.owners.length);
        scheduler.at(scheduler.nowMs() + chance.between(1, 1_000), joinAgain, process);
      }
    }
  };

  return {
    async join(process, { group, standbys = 0, onAssigned }, partitions) {
      await process.call(`joins ${group}`, () => {});
      await new Promise<void>((resolve) =>
        add(
          group,
          { process, onAssigned, onJoined: resolve, generation: -1, holds: new Map(), copies: standbys > 0 },
          partitions,
        ),
      );
    },
    leave(process, name) {
      const group = groups.get(name);
      const member = group?.members.find((one) => one.process === process);
      if (group !== undefined && member !== undefined) remove(name, group, member);
    },
    membersOf: (name) => groups.get(name)?.members.length ?? 0,
    members(name) {
      const group = groups.get(name);
      return (group?.members ?? []).map((member) => ({
        name: member.process.name,
        address: null,
        owned: group!.owners.flatMap((owner, partition) => (owner === member ? [partition] : [])),
        standbys: [],
      }));
    },
    heldSince: (process, name, partition) =>
      groups
        .get(name)
        ?.members.find((member) => member.process === process)
        ?.holds.get(partition),
    holds(process, name, partition, since) {
      const group = groups.get(name);
      // A foreign client commits for a group without members.
      if (group === undefined) return true;
      return group.owners[partition]?.process === process && group.since[partition] === since;
    },
    rebalance(name) {
      const group = groups.get(name);
      if (group !== undefined) share(name, group, 0.2);
    },
    suspect,
    isolated(process, untilMs) {
      silentUntil.set(process, untilMs);
      suspect(process);
      scheduler.at(untilMs, () => back(process));
    },
    back,
  };
}
