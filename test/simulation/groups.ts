/**
 * Consumer groups of the simulated log: who reads which partitions, by number.
 *
 * A member that says nothing for a session is replaced; one that wakes after that joins again. A rebalance waits for
 * nobody: each member hears of it in its own time, so that two may hold one partition for a while.
 */
import type { GroupOptions } from '../../services/runtime/log/log.ts';
import type { Chance } from './chance.ts';
import type { SimProcess } from './process.ts';
import type { Scheduler } from './scheduler.ts';

export const sessionMs = 6_000;

interface Member {
  readonly process: SimProcess;
  readonly onAssigned: GroupOptions['onAssigned'];
  /** Told with its first assignment. */
  onJoined: () => void;
}

interface Group {
  members: Member[];
  readonly owners: (Member | undefined)[];
}

export interface Groups {
  join(process: SimProcess, options: GroupOptions, partitions: number): Promise<void>;
  leave(process: SimProcess, group: string): void;
  membersOf(group: string): number;
  /** Is the process, as far as the group knows, who reads the partition? True where there is no such group. */
  holds(process: SimProcess, group: string, partition: number): boolean;
  /** Partitions change hands for no reason that anybody knows. */
  rebalance(group: string): void;
  /** Something happened to a process: after a session, its groups look whether it still lives. */
  suspect(process: SimProcess): void;
  /** A frozen process woke: it joins again where it was given up. */
  woke(process: SimProcess): void;
}

export function createGroups(scheduler: Scheduler, chance: Chance): Groups {
  const groups = new Map<string, Group>();
  /** Members given up, that don't know it yet. */
  const givenUp: { readonly name: string; readonly member: Member }[] = [];

  const share = (name: string, group: Group, keepShare: number) => {
    for (let partition = 0; partition < group.owners.length; partition++) {
      const owner = group.owners[partition];
      const stays = owner !== undefined && group.members.includes(owner) && chance.happens(keepShare);
      if (!stays) group.owners[partition] = group.members.length === 0 ? undefined : chance.pick(group.members);
    }
    scheduler.note(`group ${name}: ${group.owners.map((owner) => owner?.process.name ?? 'nobody').join(' ')}`);
    for (const member of group.members) {
      scheduler.at(scheduler.nowMs() + chance.between(1, 400), () => tell(group, member), member.process);
    }
  };

  /** A member that hears late hears of the newest rebalance. */
  const tell = (group: Group, member: Member) => {
    if (!group.members.includes(member)) return;
    member.onAssigned(group.owners.flatMap((owner, partition) => (owner === member ? [partition] : [])));
    member.onJoined();
  };

  const add = (name: string, member: Member, partitions: number) => {
    let group = groups.get(name);
    if (group === undefined) {
      group = { members: [], owners: Array.from({ length: partitions }, () => undefined) };
      groups.set(name, group);
    }
    group.members.push(member);
    share(name, group, 0.6);
  };

  const remove = (name: string, group: Group, member: Member) => {
    group.members = group.members.filter((other) => other !== member);
    share(name, group, 0.9);
  };

  return {
    async join(process, { group, onAssigned }, partitions) {
      await process.call(`joins ${group}`, () => {});
      await new Promise<void>((resolve) => add(group, { process, onAssigned, onJoined: resolve }, partitions));
    },
    leave(process, name) {
      const group = groups.get(name);
      const member = group?.members.find((one) => one.process === process);
      if (group !== undefined && member !== undefined) remove(name, group, member);
    },
    membersOf: (name) => groups.get(name)?.members.length ?? 0,
    holds(process, name, partition) {
      const group = groups.get(name);
      return group === undefined || group.owners[partition]?.process === process;
    },
    rebalance(name) {
      const group = groups.get(name);
      if (group !== undefined) share(name, group, 0.2);
    },
    suspect(process) {
      scheduler.at(scheduler.nowMs() + sessionMs, () => {
        if (process.state === 'running') return;
        for (const [name, group] of groups) {
          const member = group.members.find((one) => one.process === process);
          if (member === undefined) continue;
          if (process.state === 'frozen') givenUp.push({ name, member });
          remove(name, group, member);
        }
      });
    },
    woke(process) {
      for (const { name, member } of givenUp.splice(0)) {
        if (member.process === process) {
          scheduler.at(
            scheduler.nowMs() + chance.between(1, 1_000),
            () => add(name, { ...member, onJoined: () => {} }, groups.get(name)!.owners.length),
            process,
          );
        } else givenUp.push({ name, member });
      }
    },
  };
}
