/**
 * Planted bugs: each is a small edit of the product's source, of a kind that a reviewer might miss. The simulator must
 * find each one within `seedsMax` seeds that the product itself passes.
 *
 * `find` occurs in `file` exactly once. A rewrite of that line must move the bug along: a mutation that can no longer
 * be planted fails its test by name.
 */
export interface Mutation {
  readonly bug: string;
  readonly file: string;
  readonly find: string;
  readonly replace: string;
  /** The seed to start from: the first that found the bug in an earlier search. Absent: 1. */
  readonly from?: number;
  /** In fleets of several crawls. Absent: in single ones. */
  readonly inFleets?: boolean;
  /** In worlds with a network that goes away (network-away.ts). */
  readonly inOutages?: boolean;
}

export const seedsMax = 300;

export const mutations: readonly Mutation[] = [
  {
    bug: 'an outcome is published before its links are acked',
    file: 'services/fetcher/publish/publisher.ts',
    find: 'if (records.length > 0) await this.#log.append(records).catch((error) => this.#leaveOut(cycle, records, error));',
    replace: 'if (records.length > 0) this.#log.append(records).catch(this.#fail);',
  },
  {
    bug: 'a task is published before the commit that grants it is acked',
    file: 'services/frontier/own/partition-owner.ts',
    find: 'const [offset] = await appended;',
    replace: 'const [offset] = [step.offset];',
  },
  {
    bug: 'a commit that landed at another offset than expected is applied',
    file: 'services/frontier/own/partition-owner.ts',
    find: 'if (offset !== step.offset) throw lost(identity.partition);',
    replace: '',
    from: 46,
  },
  {
    bug: 'the checkpoint’s position is written before its rows',
    file: 'topology/frontier/checkpoint/save-checkpoint.ts',
    find: 'const hosts = unsaved.takeHosts();',
    replace: 'const hosts = unsaved.takeHosts(); yield { write: [meta, ...seen] };',
  },
  {
    bug: 'the checkpoint keeps that a queue was popped, and not its lease',
    file: 'topology/frontier/checkpoint/host-row.ts',
    find: 'writeList(writer, host.leaseIds, (lease) => writeLease(writer, leases.get(lease)!));',
    replace: 'writer.uint(0);',
    from: 2,
  },
  {
    bug: 'a retry that is alone in its queue has no timer after a restart',
    file: 'topology/frontier/checkpoint/host-row.ts',
    find: 'state.settle(host);',
    replace: 'if (host.queue.dueAtMs === 0) state.settle(host);',
    from: 96,
  },
  {
    bug: 'the wait runs from a request’s start, not from its completion',
    file: 'services/fetcher/publish/publisher.ts',
    find: 'for (const { endMs } of report.requests) lease.completedAtMs = Math.max(lease.completedAtMs, endMs);',
    replace: 'for (const { startMs } of report.requests) lease.completedAtMs = Math.max(lease.completedAtMs, startMs);',
    from: 3,
  },
  {
    bug: 'a lease is started before its task’s offset is committed',
    file: 'services/fetcher/leases/backlog.ts',
    find: 'await log.commit(group, positions);',
    replace: 'log.commit(group, positions).catch(() => {});',
  },
  {
    bug: 'an unreachable robots.txt allows all',
    file: 'topology/robots/verdict.ts',
    find: "? 'use_cached' : 'disallow_all' };",
    replace: "? 'use_cached' : 'allow_all' };",
  },
  {
    bug: 'Retry-After is read and forgotten',
    file: 'topology/frontier/decide/results/results.ts',
    find: 'let pauseMs = lesson.retryAfterMs;',
    replace: 'let pauseMs = 0;',
    from: 6,
  },
  {
    bug: 'an operator’s limit that was taken back goes on holding its host',
    file: 'topology/frontier/decide/politeness.ts',
    find: "return isAtLimit(caps, facts) ? 'limit' : '';",
    replace: "return isAtLimit(caps, facts) ? 'limit' : hold;",
    from: 4,
  },
  {
    bug: 'a dead letter is not waited for',
    file: 'services/frontier/own/partition-owner.ts',
    find: 'if (step.deadLetters.length > 0) await this.#deadLetter(step.deadLetters);',
    replace: 'if (step.deadLetters.length > 0) this.#deadLetter(step.deadLetters).catch(() => {});',
    from: 166,
  },
  {
    bug: 'leases are granted though there is no fetcher',
    file: 'services/frontier/demand/task-flow.ts',
    find: 'return fetchers === null || fetchers === 0 ? 0 : Math.max(0, this.#window.size - this.waiting);',
    replace: 'return Math.max(0, this.#window.size - this.waiting);',
    from: 125,
  },
  {
    bug: 'demand is a constant, and a lease that nobody took costs what one does that a fetcher died of',
    file: 'services/frontier/own/partition-owner.ts',
    find: 'const { fetchers: watch, identity } = this.#options;',
    replace: 'const { fetchers: watch, identity } = { ...this.#options, fetchers: undefined };',
    from: 77,
  },
  {
    bug: 'a state is used although its changelog lost the records it was built from, and grew again',
    file: 'services/frontier/restore/stands-in-log.ts',
    find: 'if (!isThere) return',
    replace: 'if (!isThere && offset < 0) return',
    from: 84,
  },
  {
    bug: 'a record of somebody else’s on the changelog stops who reads it',
    file: 'topology/frontier/changes/changelog.ts',
    find: "return { kind: 'foreign', why: error.message };",
    replace: 'throw error;',
    from: 9,
  },
  {
    bug: 'an owner with nothing to write does not see that its changelog has lost records',
    file: 'services/frontier/own/partition-owner.ts',
    find: 'this.#losses?.look();',
    replace: '',
    from: 270,
  },
  {
    bug: 'what arrives on a wrong partition is decided on there',
    file: 'topology/frontier/decide/misrouted.ts',
    find: 'return this.#partition === partition;',
    replace: 'return true;',
  },
  {
    bug: 'what is passed on is not waited for',
    file: 'services/frontier/own/partition-owner.ts',
    find: 'await log.append(step.passedOn.map((one) => passedOnRecord(codec, identity.crawl, identity.partition, one)));',
    replace:
      'log.append(step.passedOn.map((one) => passedOnRecord(codec, identity.crawl, identity.partition, one))).catch(() => {});',
    from: 127,
  },
  {
    bug: 'a task is run wherever it lies',
    file: 'services/fetcher/leases/intake.ts',
    find: 'if (home === partition && readFrom === place) return null;',
    replace: 'return null;',
    from: 214,
  },
  {
    bug: 'a group shares out as many partitions as its topics have by now',
    file: 'services/frontier/frontier-group.ts',
    find: 'partitions,\n      instanceId,',
    replace: 'instanceId,',
    from: 5,
  },
  {
    bug: 'a process writes under ids that the crawl’s notes do not contain',
    file: 'services/runtime/crawl/crawl-schemas.ts',
    find: 'const missing = () => [...this.#own].filter(([topic, id]) => !this.#isNoted(topic, id));',
    replace: 'const missing = () => [...this.#own].filter(() => false);',
    from: 14,
  },
  {
    bug: 'a registry is believed before the crawl’s notes',
    file: 'services/runtime/crawl/crawl-schemas.ts',
    find: 'const there = this.#known(topic, id);',
    replace: 'const there = (await this.#fromRegistry(topic, id)) ?? this.#known(topic, id);',
    from: 14,
  },
  {
    bug: 'a report on the quota is heard only if its number is greater, and numbers go back with a changelog’s tail',
    file: 'topology/frontier/decide/control/quota.ts',
    find: 'if (known < 0) return decideNumberedReport(decision, report, row);',
    replace: 'return decideNumberedReport(decision, report, row);',
    from: 755,
  },
  {
    bug: 'an owner that opens does not say under which leader epochs its inputs were read: a cut is not seen',
    file: 'services/frontier/own/partition-owner.ts',
    find: 'const before = leaderEpoch < 0 ? undefined : { end: slice > 0 ? offset + 1 : offset, leaderEpoch };',
    replace: 'const before = undefined;',
    from: 169,
  },
  {
    bug: 'ready hosts are granted by their number, not by how long they have been ready',
    file: 'topology/frontier/hosts/clock.ts',
    find: 'return atA === atB ? a < b : atA < atB;',
    replace: 'return a < b;',
    from: 6,
  },
  {
    bug: 'a host that is found is ready since 1970, before all that wait',
    file: 'topology/frontier/decide/links/admission.ts',
    find: 'if (isNew)',
    replace: 'if (isNew && false)',
    from: 30,
  },
  {
    bug: 'each crawl of a fleet keeps a separate clock of hosts',
    file: 'services/fetcher/pace/fleet-pace.ts',
    find: 'const ask = this.#arbiter.ask({ crawl, hostKey, ...gap, latestStartMs: nowMs + leftMs }, nowMs);',
    replace:
      'const ask = this.#arbiter.ask({ crawl, hostKey: crawl + hostKey, ...gap, latestStartMs: nowMs + leftMs }, nowMs);',
    inFleets: true,
  },
  {
    bug: 'a pause that a host asks one crawl of a fleet for does not hold for the others',
    file: 'topology/fleet/host-times.ts',
    find: 'host.heldUntilMs = Math.max(host.heldUntilMs, nowMs + 1 + Math.max(backOffMs, contact.retryAfterMs));',
    replace: '',
    inFleets: true,
  },
  {
    bug: 'a fleet that starts again takes hosts for ones that nobody has contacted',
    file: 'services/fetcher/pace/fleet-pace.ts',
    find: 'this.#contactedAtMs = options.isResumed ? this.#steadyMs() : Number.NEGATIVE_INFINITY;',
    replace: 'this.#contactedAtMs = Number.NEGATIVE_INFINITY;',
    from: 8,
    inFleets: true,
  },
  {
    bug: 'each crawl of a fleet asks for robots.txt itself',
    file: 'services/fetcher/robots/shared-robots.ts',
    find: 'if (shared === undefined) return undefined;',
    replace: 'if (shared === undefined || shared !== null) return undefined;',
    inFleets: true,
  },
  {
    bug: 'nobody notices that the network is away',
    file: 'services/fetcher/pace/own-network.ts',
    find: "if (found === 'silent') {\n        this.#goAway();\n        return true;\n      }",
    replace: "if (found === 'silent') return false;",
    inOutages: true,
  },
  {
    bug: 'a fetcher of several charges an outage of its network to the hosts',
    file: 'services/fetcher/pace/kept-leases.ts',
    find: 'judge: ownNetwork.judge,',
    replace: 'judge: (asked, response) => (isAlone() ? ownNetwork.judge(asked, response) : undefined),',
    // The world in which one fetcher of two is without a network.
    from: 3,
    inOutages: true,
  },
  {
    bug: 'a name that no server could be asked for counts as one that does not exist',
    file: 'topology/fetch/fault.ts',
    find: "return noName.has(code) ? 'host' : 'resolver';",
    replace: "return 'host';",
    inOutages: true,
  },
  {
    bug: 'the return of the network is noticed an hour late',
    file: 'services/fetcher/pace/own-network.ts',
    find: 'await this.#clock.sleepUntil(this.#clock.nowMs() + networkLimits.againMs, this.#signal);',
    replace: 'await this.#clock.sleepUntil(this.#clock.nowMs() + 3_600_000, this.#signal);',
    inOutages: true,
    from: 3,
  },
  {
    bug: 'a request that failed by an outage is charged to its URL',
    file: 'services/fetcher/pace/paced-request.ts',
    find: 'return ours !== undefined && (await ours) ? null : (made?.response ?? null);',
    replace: 'return made?.response ?? null;',
  },
  {
    bug: 'a lease that returns because of an outage is a failure of its host',
    file: 'topology/frontier/decide/results/results.ts',
    find: 'if (lesson.hostFailed) facts.failures = before.failures + 1;',
    replace: 'if (lesson.hostFailed || lesson.returned) facts.failures = before.failures + 1;',
  },
  {
    bug: 'leases are kept beyond their deadline while the network is away',
    file: 'services/fetcher/pace/own-network.ts',
    find: 'this.#clock.sleepUntil(untilMs, stop).then(() => false),',
    replace: 'this.#clock.sleepUntil(untilMs + 600_000, stop).then(() => false),',
  },
  {
    bug: 'a fetcher that starts in an outage takes its hosts for dead',
    file: 'services/fetcher/request-path.ts',
    find: 'const isProven = () => hasPages;',
    replace: 'const isProven = () => false;',
    from: 31,
  },
  {
    bug: 'a host that answers at a known address shows that the name servers work',
    file: 'services/fetcher/pace/own-network.ts',
    find: 'return isOfNames ? ofNames() : undefined;',
    replace: 'return undefined;',
  },
  {
    bug: 'a URL with an answer that breaks off is held against its host',
    file: 'services/fetcher/robots/answers-still.ts',
    find: "if (fault === 'url') return true;",
    replace: "if (fault === 'url') return false;",
    from: 44,
  },
];
