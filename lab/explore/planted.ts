/**
 * Planted bugs: each is a small edit of the product's core, or of the protocol of owners and fetchers that the worlds
 * play. The explorer must find each one at the depth given here, with the fewest actions.
 *
 * `find` occurs in `file` exactly once.
 */
import type { Mutation } from '../simulation/mutations.ts';

export interface Planted extends Omit<Mutation, 'from' | 'inFleets' | 'inOutages'> {
  /** Absent: claims. */
  readonly world?: 'losses' | 'quota' | 'desk' | 'forget' | 'end' | 'fleet';
  /** Absent: 4. */
  readonly depth?: number;
  /** One of this many states is checked for its end. Absent: every state. */
  readonly endsEvery?: number;
}

const owner = 'lab/explore/claims/owner-moves.ts';
const fetcher = 'lab/explore/claims/fetcher-moves.ts';
const standby = 'lab/explore/claims/standby-moves.ts';

export const planted: readonly Planted[] = [
  {
    bug: 'an ack is taken at an offset that its owner did not expect',
    file: owner,
    find: 'const isExpected = offset === expected;',
    replace: 'const isExpected = true || offset === expected;',
    depth: 5,
  },
  {
    bug: 'a task is published before the commit that grants its lease',
    file: owner,
    find: 'decider: decided, unacked: [...process.unacked, decided] }',
    replace:
      'decider: decided, unacked: [...process.unacked, decided], unpublished: decided.tasks.map((task) => parts.task(task, log)) }',
  },
  {
    bug: 'a task is published twice',
    file: owner,
    find: 'return withProcess(published, at, play.parts.process({ ...process, unpublished: [] }));',
    replace: 'return withProcess(published, at, process);',
  },
  {
    bug: 'a fetcher does not commit the position of a task that it takes',
    file: fetcher,
    find: 'const taken = { ...state, tasksTaken: tasksTaken + 1 };',
    replace: 'const taken = { ...state };',
  },
  {
    bug: 'an outcome is reported before its links',
    file: fetcher,
    find: "const phase = linksOf(fetcher, kind).length > 0 ? 'answered' : 'reporting';",
    replace: "const phase = 'reporting';",
  },
  {
    bug: 'a fetcher begins a request though its lease is nearly over',
    file: fetcher,
    find: 'const latestMs = deadlineMs - requestTimeoutMs;',
    replace: 'const latestMs = deadlineMs + 600_000;',
    depth: 12,
    endsEvery: 1_000_000,
  },
  {
    bug: 'a standby does not ask the log about a record that does not follow',
    file: standby,
    find: 'if (!isSure && !holds(changelog, position))',
    replace: 'if (!isSure && !holds(changelog, position) && changelog.length < 0)',
    world: 'losses',
    depth: 8,
    endsEvery: 1_000_000,
  },
  {
    bug: 'a commit of an earlier epoch counts',
    file: 'topology/frontier/changes/changelog.ts',
    find: 'return commit.epoch === position.epoch && commit.seq',
    replace: 'return commit.epoch <= position.epoch && commit.seq',
    depth: 6,
  },
  {
    bug: 'a commit counts though the one before it is missing',
    file: 'topology/frontier/changes/changelog.ts',
    find: "commit.seq === position.seq + 1 ? 'counts'",
    replace: "commit.seq > position.seq ? 'counts'",
    depth: 6,
    endsEvery: 1_000_000,
  },
  {
    bug: 'a replayed commit leaves the positions where they were',
    file: 'topology/frontier/replay.ts',
    find: 'for (const { topic, to } of record.inputs) state.positions[topic] = to;',
    replace: 'for (const { topic, from } of record.inputs) state.positions[topic] = from;',
  },
  {
    bug: 'a position is committed one too far',
    file: 'topology/frontier/partition.ts',
    find: 'this.state.positions[topic] = { offset: input.offset + 1, slice: 0 };',
    replace: 'this.state.positions[topic] = { offset: input.offset + 2, slice: 0 };',
  },
  {
    bug: 'a lease that was reported stays out',
    file: 'topology/frontier/decide/results/results.ts',
    find: "decision.emit({ kind: 'release', leaseId: lease.id, expired: false });",
    replace: '',
  },
  {
    bug: 'the delay runs from the grant, not from the completion',
    file: 'topology/frontier/decide/results/results.ts',
    find: 'facts.readyAtMs = Math.max(before.readyAtMs, completedAtMs + waitMs);',
    replace: 'facts.readyAtMs = Math.max(before.readyAtMs, result.grantedAtMs + waitMs);',
    depth: 8,
  },
  {
    bug: 'a host needs no delay after its lease',
    file: 'topology/frontier/decide/results/results.ts',
    find: 'facts.readyAtMs = Math.max(before.readyAtMs, completedAtMs + waitMs);',
    replace: 'facts.readyAtMs = Math.max(before.readyAtMs, completedAtMs);',
  },
  {
    bug: 'a failed attempt is not counted',
    file: 'topology/frontier/decide/results/results.ts',
    find: 'return { ...entry, attempts: entry.attempts + 1 };',
    replace: 'return { ...entry, attempts: entry.attempts };',
  },
  {
    bug: 'a lease ends before its deadline',
    file: 'topology/frontier/decide/results/time.ts',
    find: 'takeUpTo(nowMs - frontierLimits.clockSkewMs)',
    replace: 'takeUpTo(nowMs + 600_000)',
    depth: 8,
    endsEvery: 1_000_000,
  },
  {
    bug: 'a task has a later deadline than its lease',
    file: 'topology/frontier/decide/task-of.ts',
    find: 'grantedAtMs: state.nowMs,\n    deadlineMs,',
    replace: 'grantedAtMs: state.nowMs,\n    deadlineMs: deadlineMs + 600_000,',
    depth: 12,
    endsEvery: 1_000_000,
  },
  {
    bug: 'a lease that was reported ends twice',
    file: 'topology/frontier/decide/results/results.ts',
    find: "decision.emit({ kind: 'release', leaseId: lease.id, expired: false });",
    replace: "for (let n = 0; n < 2; n++) decision.emit({ kind: 'release', leaseId: lease.id, expired: false });",
  },
  {
    bug: 'nobody wakes for a lease that is over',
    file: 'topology/frontier/wake.ts',
    find: 'firstMs === undefined ? undefined : Math.max(firstMs + expiry.graceMs, expiry.notBeforeMs),',
    replace: 'undefined,',
    depth: 5,
  },
  {
    bug: 'a lease has the number of the one before it',
    file: 'topology/frontier/state/state.ts',
    find: 'this.leases.nextId = change.leaseId + 1;',
    replace: 'this.leases.nextId = change.leaseId;',
  },
  {
    bug: 'the count of leased URLs is not taken back',
    file: 'topology/frontier/state/apply-end.ts',
    find: 'state.counters.leased -= 1;',
    replace: '',
  },
  {
    bug: 'the checkpoint keeps that a queue was popped, and not its lease',
    file: 'topology/frontier/checkpoint/host-row.ts',
    find: 'writeList(writer, host.leaseIds, (lease) => writeLease(writer, leases.get(lease)!));',
    replace: 'writer.uint(0);',
    depth: 7,
  },
  {
    bug: 'a row of a checkpoint that is ahead of its position is changed again by the replay',
    file: 'topology/frontier/state/state.ts',
    find: 'return this.ahead.holds(id, this.changelog.offset);',
    replace: 'return this.ahead.holds(id, this.changelog.offset) && id < 0;',
    depth: 12,
    endsEvery: 1_000_000,
  },
  {
    bug: 'the checkpoint’s position is written before its rows',
    file: 'topology/frontier/checkpoint/save-checkpoint.ts',
    find: 'const hosts = unsaved.takeHosts();',
    replace: 'const hosts = unsaved.takeHosts(); yield { write: [meta, ...seen] };',
    depth: 12,
    endsEvery: 1_000_000,
  },
  {
    bug: 'the end of a crawl is declared while a URL waits for another attempt',
    file: 'topology/frontier/ask/crawl-end.ts',
    find: 'return queued + retrying + scheduled === 0',
    replace: 'return queued + scheduled === 0',
  },
  {
    bug: 'the end of a crawl is declared while links are unread',
    file: 'topology/frontier/ask/crawl-end.ts',
    find: 'inputTopics.every(read)',
    replace: 'inputTopics.every(() => true)',
  },
  {
    bug: 'a grant of the quota counts each time it comes',
    file: 'topology/frontier/decide/control/quota.ts',
    find: 'granted: Math.max(grant.amount, granted),',
    replace: 'granted: grant.amount + granted,',
    world: 'quota',
    depth: 9,
    endsEvery: 1_000_000,
  },
  {
    bug: 'the next owner does not ask for the quota again',
    file: 'topology/frontier/decide/control/quota.ts',
    find: 'if (state.quota.wanted > 0 || state.counters.quotaGranted > 0) {',
    replace: 'if (state.counters.quotaGranted > 0) {',
    world: 'quota',
  },
  {
    bug: 'a failure keeps its page of the quota',
    file: 'topology/frontier/state/apply-end.ts',
    find: "if (disposition.to !== 'final' || disposition.status !== 'page') state.counters.quotaSpent -= 1;",
    replace: '',
    world: 'quota',
  },
  {
    bug: 'a webmaster turns the operator’s block into a pause',
    file: 'topology/frontier/decide/control/control.ts',
    find: "(isTheirs && hold === 'blocked')",
    replace: "(isTheirs && hold === 'paused')",
    world: 'desk',
    endsEvery: 1_000_000,
  },
  {
    bug: 'a webmaster who takes a delay back lifts the operator’s, too',
    file: 'topology/frontier/decide/politeness.ts',
    find: 'return amount < 0 && ownDelayIsLeast ? { ownDelayMs: least.instead, ownDelayIsLeast: false } : null;',
    replace: 'return amount < 0 ? { ownDelayMs: -1, ownDelayIsLeast: false } : null;',
    world: 'desk',
    endsEvery: 1_000_000,
  },
  {
    bug: 'a link to a purged page brings it back',
    file: 'topology/frontier/decide/links/arrival.ts',
    find: 'if (state.purge.on && state.purge.refuses(',
    replace: 'if (state.counters.admitted < 0 && state.purge.refuses(',
    world: 'forget',
    depth: 6,
    endsEvery: 1_000_000,
  },
  {
    bug: 'a purge leaves what is leased',
    file: 'topology/frontier/state/apply-purge.ts',
    find: 'for (let index = 0; index < lease.entries.length; index++) leaveLease(state, lease, index);',
    replace: '',
    world: 'forget',
    endsEvery: 1_000_000,
  },
  {
    bug: 'a host that a process takes over counts as never contacted',
    file: 'topology/fleet/arbiter.ts',
    find: 'const times = newHostTimes(this.#options.contactedAtMs);',
    replace: 'const times = newHostTimes(Number.NEGATIVE_INFINITY);',
    world: 'fleet',
    depth: 9,
    endsEvery: 1_000_000,
  },
  {
    bug: "the fleet's own delay of a host is left out",
    file: 'topology/fleet/host-times.ts',
    find: 'const gapMs = Math.max(leastMs, host.crawlDelayMs,',
    replace: 'const gapMs = Math.max(host.crawlDelayMs,',
    world: 'fleet',
    depth: 9,
    endsEvery: 1_000_000,
  },
  {
    bug: 'a process forgets the pause that another one was asked for',
    file: 'topology/fleet/arbiter.ts',
    find: 'times.heldUntilMs = Math.max(times.heldUntilMs, heldUntilMs);',
    replace: '',
    world: 'fleet',
    depth: 14,
    endsEvery: 1_000_000,
  },
  {
    bug: 'a process gives its host up while a request is under way',
    file: 'lab/explore/fleet/group-moves.ts',
    find: 'unsent !== null || play.arbiters.heard(calls).granted !== null',
    replace: 'unsent !== null',
    world: 'fleet',
    depth: 11,
    endsEvery: 1_000_000,
  },
  {
    bug: 'a pause that a host asks for in the last answer before it moves is not handed over',
    file: 'lab/explore/fleet/process-moves.ts',
    find: 'unsent: (isOwn(state, after) ? fact : null)',
    replace: 'unsent: (mayContact(state, after) ? fact : null)',
    world: 'fleet',
    depth: 14,
    endsEvery: 1_000_000,
  },
  {
    bug: 'a crawl is declared over after two looks that differ',
    file: 'topology/frontier/ask/crawl-end.ts',
    find: ' && isSame(before, now) ?',
    replace: ' ?',
    world: 'end',
    depth: 24,
    endsEvery: 1_000_000,
  },
];
