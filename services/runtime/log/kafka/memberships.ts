/** The groups that this process is in, or was in: one membership each. */
import { CrawlstreamError } from '../../../../topology/errors.ts';
import type { GroupOptions } from '../log.ts';
import type { Cluster } from './cluster.ts';
import { kafkaLimits } from './kafka-limits.ts';
import { joinGroup, type KafkaMembership, type MembershipOptions } from './membership.ts';

type MembershipsOptions = Pick<MembershipOptions, 'giveUpMs' | 'closing'> & {
  readonly [name in 'sessionTimeoutMs' | 'heartbeatMs' | 'warmUpMsMax']?: number;
};

export class Memberships {
  readonly #cluster: Cluster;
  readonly #options: MembershipsOptions;
  readonly #onJoined: (group: string) => void;
  /** Includes members that are out: a former member must not commit as an outsider. */
  readonly #memberships = new Map<string, KafkaMembership>();
  readonly #joining = new Set<Promise<unknown>>();

  constructor(cluster: Cluster, options: MembershipsOptions, onJoined: (group: string) => void) {
    this.#cluster = cluster;
    this.#options = options;
    this.#onJoined = onJoined;
  }

  of(group: string): KafkaMembership | undefined {
    return this.#memberships.get(group);
  }

  async join(group: GroupOptions): Promise<KafkaMembership> {
    if (this.#memberships.get(group.group)?.isOut === false) {
      throw new CrawlstreamError('INVALID_ARGUMENT', `this process is already in group ${group.group}`);
    }
    const { sessionTimeoutMs, heartbeatMs, warmUpMsMax, giveUpMs, closing } = this.#options;
    const joins = joinGroup(this.#cluster, group, {
      sessionTimeoutMs: sessionTimeoutMs ?? kafkaLimits.sessionTimeoutMs,
      heartbeatMs: heartbeatMs ?? kafkaLimits.heartbeatMs,
      giveUpMs,
      warmUpMsMax: warmUpMsMax ?? kafkaLimits.warmUpMsMax,
      leaveMs: kafkaLimits.leaveTimeoutMs,
      closing,
      onJoined: () => this.#onJoined(group.group),
    }).finally(() => this.#joining.delete(joins));
    this.#joining.add(joins);
    const membership = await joins;
    this.#memberships.set(group.group, membership);
    return membership;
  }

  /** Ends joins that are under way, and leaves all groups. */
  async leave(): Promise<void> {
    await Promise.allSettled(this.#joining);
    await Promise.all([...this.#memberships.values()].map((membership) => membership.leave()));
  }
}
