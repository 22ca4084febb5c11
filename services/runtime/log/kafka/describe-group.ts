/** The members of a group, as its coordinator knows them. */

import type { GroupMember } from '../log.ts';
import type { Cluster } from './cluster.ts';
import { deadlineIn, retrying, transient } from './errors.ts';
import { kafkaLimits } from './kafka-limits.ts';
import { raw } from './kafkajs-wire.ts';
import { decodeAssignment, decodeMetadata } from './member-data.ts';
import { checkGroup } from './positions.ts';

interface Answer {
  readonly groups: readonly {
    readonly errorCode: number;
    readonly state: string;
    readonly members: readonly {
      readonly memberId: string;
      readonly memberMetadata: Buffer;
      readonly memberAssignment: Buffer;
    }[];
  }[];
}

/** An empty list: the group is empty, or does not exist. Throws BROKER_UNREACHABLE if a rebalance takes too long. */
export function describeGroup(cluster: Cluster, group: string): Promise<GroupMember[]> {
  return retrying(deadlineIn(kafkaLimits.describeTimeoutMs), async () => {
    const request = raw('DescribeGroups', { groupIds: [group] });
    const [found] = (await cluster.sendCoordinator<Answer>(group, 'describe', request)).groups;
    if (found === undefined || found.state === 'Dead' || found.state === 'Empty') return [];
    checkGroup(cluster, found.errorCode, group, `looking at group ${group}`);
    if (found.state !== 'Stable') throw transient(`group ${group} is rebalancing`);
    const members = found.members.map(({ memberId, memberMetadata, memberAssignment }) => {
      const { name = memberId, address = null } = decodeMetadata(memberMetadata);
      const { owned, standbys } = decodeAssignment(memberAssignment);
      return { name, address, owned, standbys };
    });
    return members.sort((a, b) => (a.name < b.name ? -1 : 1));
  });
}
