/** Lists groups with their numbers of members, and deletes groups. Each broker knows the groups that it coordinates. */
import { CrawlstreamError } from '../../../../topology/errors.ts';
import type { GroupStatus } from '../log.ts';
import type { Cluster } from './cluster.ts';
import { deadlineIn, retrying, throwFor } from './errors.ts';
import { kafkaLimits } from './kafka-limits.ts';
import { errorOf, raw } from './kafkajs-wire.ts';
import { checkGroup } from './positions.ts';

const purpose = 'positions';

export function readGroups(cluster: Cluster, prefix: string): Promise<GroupStatus[]> {
  return patiently(async () => {
    const found = new Map<string, GroupStatus>();
    for (const nodeId of await cluster.nodeIds()) {
      const link = await cluster.link(nodeId, purpose);
      type Listed = { errorCode: number; groups: readonly { groupId: string }[] };
      const { errorCode, groups } = await link.send<Listed>(raw('ListGroups', {}));
      throwFor(errorCode, 'listing groups');
      const groupIds = groups.map(({ groupId }) => groupId).filter((group) => group.startsWith(prefix));
      if (groupIds.length === 0) continue;
      type Described = { groups: readonly { errorCode: number; groupId: string; members: readonly unknown[] }[] };
      const described = await link.send<Described>(raw('DescribeGroups', { groupIds }));
      for (const { errorCode: code, groupId: group, members } of described.groups) {
        checkGroup(cluster, code, group, `looking at group ${group}`);
        found.set(group, { group, members: members.length });
      }
    }
    return [...found.values()].sort((a, b) => (a.group < b.group ? -1 : 1));
  });
}

export function forgetGroup(cluster: Cluster, group: string): Promise<void> {
  return patiently(async () => {
    type Answer = { results: readonly { groupId: string; errorCode: number }[] };
    const { results } = await cluster.sendCoordinator<Answer>(group, purpose, raw('DeleteGroups', [group]));
    const code = results[0]?.errorCode ?? 0;
    const { type } = errorOf(code);
    if (type === 'GROUP_ID_NOT_FOUND') return;
    if (type === 'NON_EMPTY_GROUP') {
      throw new CrawlstreamError('GROUP_ACTIVE', `group ${group} has members: stop them first`);
    }
    checkGroup(cluster, code, group, `forgetting group ${group}`);
  });
}

function patiently<T>(act: () => Promise<T>): Promise<T> {
  return retrying(deadlineIn(kafkaLimits.operationTimeoutMs), act);
}
