/**
 * Queries about a crawl's partitions, sent to any frontier: it answers if it owns the partition, and otherwise asks
 * the owner. If the owner does not answer, a standby does, and reports how old its answer may be.
 *
 * Members find each other by the addresses in their group. A query is passed on only once: a member that gets a
 * passed-on query answers from its own state, or not at all.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { CrawlstreamError, hasCode } from '../../../topology/errors.ts';
import type { FrontierState } from '../../../topology/frontier/state/state.ts';
import type { StoreJob } from '../../../topology/frontier/storage/store-job.ts';
import type { Clock } from '../../runtime/clock.ts';
import { type FrontierMember, frontierMembers, type MembersLog } from '../../runtime/crawl/frontier-members.ts';
import { type AskMember, type MemberAnswer, memberAsker } from '../../runtime/http/ask-member.ts';
import { httpLimits } from '../../runtime/http/http-limits.ts';
import type { PartitionOwner } from '../own/partition-owner.ts';
import type { Standby } from '../standby/standby.ts';

/** This process's part of a partition. */
export interface Held {
  readonly owner?: PartitionOwner | undefined;
  readonly standby?: Standby | undefined;
}

/** This process, as one member that can answer. */
export interface Asked {
  /** The member's name, as the others see it. */
  readonly name: string;
  /** Members of the fetchers' group; null: not known. Absent: they are in this process. */
  readonly fetchers?: number | null;
  held(partition: number): Held;
}

export interface QueriesOptions {
  readonly log: MembersLog;
  readonly clock: Pick<Clock, 'nowMs'>;
  readonly crawl: string;
  readonly member: Asked;
  /** Absent: without a token, in plain text. */
  readonly ask?: AskMember | undefined;
}

/** The member that answers, and how old the answer may be. `past`: not a member of the group, but an earlier state. */
export interface Source {
  readonly member: string;
  readonly role: 'owner' | 'standby' | 'past';
  /** The answer includes all decisions up to this time, ms since the Unix epoch; null: unknown. */
  readonly asOfMs: number | null;
  /** Age of the answer, ms. */
  readonly staleMs: number | null;
}

export type Answer = MemberAnswer;

export interface Question<Result> {
  readonly partition: number;
  /** Path and query of the request. */
  readonly target: string;
  /** Whether another member forwarded the request. */
  readonly passedOn: boolean;
  /** Runs on the state. Undefined: not finished, so it runs again between two later steps. */
  readonly job: (state: FrontierState) => StoreJob<Result | undefined>;
  readonly answer: (result: Result, source: Source) => Answer;
  /** How long another member has to answer, ms. Absent: as long as one read takes. */
  readonly passOnMs?: number;
}

/** Header that marks a question as passed on. */
export const passedOnHeader = 'x-crawlstream-passed-on';

export class Queries {
  readonly #options: QueriesOptions;
  readonly #ask: AskMember;
  #known: { readonly atMs: number; readonly list: readonly FrontierMember[] } | undefined;
  #asking: Promise<readonly FrontierMember[]> | undefined;

  constructor(options: QueriesOptions) {
    this.#options = options;
    this.#ask = options.ask ?? memberAsker({});
  }

  /** Throws NOT_READY if no process that has the partition can be asked. */
  async ask<Result>(question: Question<Result>): Promise<Answer> {
    const { partition, passedOn, target, passOnMs } = question;
    const { owner, standby } = this.#options.member.held(partition);
    const own = owner?.calls.core === undefined ? undefined : await this.#byOwner(question, owner);
    if (own !== undefined) return own;
    const members = passedOn ? [] : await this.members();
    const rankOf = ({ standbys }: FrontierMember) => standbys.find((one) => one.partition === partition)?.rank;
    const others = members.filter(({ name }) => name !== this.#options.member.name);
    for (const member of others.filter(({ owned }) => owned.includes(partition))) {
      const answer = await this.passOn(member, target, passOnMs);
      if (answer !== undefined) return answer;
    }
    const copy = standby?.state === undefined ? undefined : await this.#byStandby(question, standby);
    if (copy !== undefined) return copy;
    for (const member of others.filter((one) => rankOf(one) !== undefined)) {
      const answer = await this.passOn(member, target, passOnMs);
      if (answer !== undefined) return answer;
    }
    const nobodyListens = members.length > 0 && members.every(({ address }) => address === null);
    const remedy = nobodyListens ? 'start frontiers with --http' : 'retry in a moment';
    throw new CrawlstreamError('NOT_READY', `no process with partition ${partition} can be reached: ${remedy}`);
  }

  /** Undefined if the member cannot be asked, or has no answer. */
  async passOn(
    { address }: Pick<FrontierMember, 'address'>,
    target: string,
    passOnMs: number = httpLimits.passOnMs,
  ): Promise<Answer | undefined> {
    return address === null ? undefined : this.#ask(address, target, passOnMs, { [passedOnHeader]: '1' });
  }

  /**
   * The members of the group, as of a moment ago; those of before, while they share out partitions again, and while the
   * brokers do not answer.
   */
  async members(): Promise<readonly FrontierMember[]> {
    const { log, crawl, clock } = this.#options;
    const nowMs = clock.nowMs();
    const before = this.#known;
    if (before !== undefined && nowMs - before.atMs < httpLimits.membersMs) return before.list;
    this.#asking ??= frontierMembers(log, crawl, nowMs)
      .then((list) => {
        this.#known = { atMs: nowMs, list };
        return list;
      })
      .finally(() => (this.#asking = undefined));
    if (before === undefined) return this.#asking;
    const late = sleep(httpLimits.knownMs, before.list);
    return Promise.race([this.#asking, late]).catch((error) => {
      if (error instanceof CrawlstreamError && error.retriable) return before.list;
      throw error;
    });
  }

  async #byOwner<Result>({ job, answer }: Question<Result>, owner: PartitionOwner): Promise<Answer | undefined> {
    const { member, clock } = this.#options;
    const result = await unlessAway(() => owner.calls.look((partition) => job(partition.state)));
    return result && answer(result.is, { member: member.name, role: 'owner', asOfMs: clock.nowMs(), staleMs: 0 });
  }

  async #byStandby<Result>({ job, answer }: Question<Result>, standby: Standby): Promise<Answer | undefined> {
    const { member, clock } = this.#options;
    const result = await unlessAway(() => standby.look(job));
    const { asOfMs } = standby.status;
    const staleMs = asOfMs === 0 ? null : Math.max(0, clock.nowMs() - asOfMs);
    return result && answer(result.is, { member: member.name, role: 'standby', asOfMs: asOfMs || null, staleMs });
  }
}

/** Asks until there is a result. Undefined if the partition is being opened or closed. */
async function unlessAway<Result>(
  look: () => Promise<Result | undefined>,
): Promise<{ readonly is: Result } | undefined> {
  try {
    for (;;) {
      const result = await look();
      if (result !== undefined) return { is: result };
    }
  } catch (error) {
    if (hasCode(error, 'NOT_READY', 'OWNERSHIP_LOST')) return undefined;
    throw error;
  }
}
