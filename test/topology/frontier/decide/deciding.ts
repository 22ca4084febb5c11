/** Single decisions on a partition's state that a test sets up by changes; what each decision wrote down is told. */
import { fingerprintKey } from '../../../../lab/simulation/driver.ts';
import type { DeadLetter } from '../../../../schemas/types.ts';
import { type Change, type HostFacts, newHostFacts } from '../../../../topology/frontier/changes/changes.ts';
import { readChange } from '../../../../topology/frontier/changes/codec.ts';
import type { Entry } from '../../../../topology/frontier/changes/entry.ts';
import type { PageRecord } from '../../../../topology/frontier/changes/page-record.ts';
import { type ControlMessage, Decision } from '../../../../topology/frontier/decide/decision.ts';
import type { Granted } from '../../../../topology/frontier/decide/task-of.ts';
import type { TraceEvent } from '../../../../topology/frontier/decide/trace-events.ts';
import type { Lease } from '../../../../topology/frontier/hosts/lease.ts';
import { FrontierState, type Host } from '../../../../topology/frontier/state/state.ts';
import { ByteReader } from '../../../../topology/frontier/storage/bytes.ts';
import { compilePolicy, defaultPolicy, type Policy, type PolicyConfig } from '../../../../topology/policy/policy.ts';
import { noHistory } from '../../../../topology/policy/recrawl/history.ts';
import { parsePolicy } from '../../../../topology/policy/validate.ts';

export interface Decided {
  /** Without tallies. */
  readonly changes: readonly Change[];
  readonly tallies: Readonly<Record<string, number>>;
  readonly deadLetters: readonly DeadLetter[];
  readonly controls: readonly ControlMessage[];
  readonly granted: readonly Granted[];
  readonly traced: readonly TraceEvent[];
  readonly grantedFrom: Readonly<Record<string, number>>;
}

/** Those of a kind, in order. */
export function ofKind<K extends Change['kind']>({ changes }: Decided, kind: K): (Change & { readonly kind: K })[] {
  return changes.filter((change) => change.kind === kind) as (Change & { readonly kind: K })[];
}

export const key = 'a.test';
export const urlAt = (n: number) => `https://a.test/${n}`;
export const entryAt = (n: number, more: Partial<Entry> = {}): Entry => ({
  ...{ url: urlAt(n), depth: 1, hop: 0, attempts: 0, expiries: 0, frontQueue: 3 },
  ...more,
});

/** A page that was visited a while ago. */
export const visitedPage: PageRecord = {
  record: {
    ...{ url: urlAt(0), status: 'page', outcome: 'fetched', httpStatus: 200, atMs: 900_000, attempts: 1, depth: 1 },
    ...{ etag: '', lastModified: '', contentHash: 'h1', soft404: false },
  },
  ...{ frontQueue: 5, visitedAtMs: 900_000, changedAtMs: 800_000, history: noHistory, signature: '', failures: 0 },
};

export class Deciding {
  readonly state = new FrontierState(fingerprintKey);
  nowMs = 1_000_000;
  /** null: a test of what is before the first. */
  policy: Policy | null = null;

  /** Adaptive delays are off where the policy does not say otherwise. */
  constructor(config: Partial<PolicyConfig> = {}) {
    this.setPolicy(config);
  }

  setPolicy(config: Partial<PolicyConfig>): void {
    const whole = { ...defaultPolicy(), delayFactor: 0, delayMs: 1_000, ...config };
    this.policy = compilePolicy(whole);
    this.state.setPolicy(whole.version, JSON.stringify(whole));
  }

  /** What a decision comes to; whatever it returns is given to `take`. */
  decide<T>(act: (decision: Decision) => T, take: (returned: T) => void = () => {}): Decided {
    this.state.nowMs = this.nowMs;
    const identity = { crawl: 'test', partition: 0, partitions: 1 };
    const decision = new Decision(identity, this.state, this.nowMs, () => this.#inForce());
    take(act(decision));
    const reader = new ByteReader(decision.finish());
    const { changelog } = this.state;
    this.state.changelog = { ...changelog, offset: changelog.offset + 1 };
    const changes: Change[] = [];
    const tallies: Record<string, number> = {};
    while (!reader.done) {
      const change = readChange(reader);
      if (change.kind !== 'count') changes.push(change);
      else tallies[change.counter] = change.by;
    }
    const { deadLetters, controls, granted, traced } = decision;
    const grantedFrom = Object.fromEntries(decision.grantedFrom);
    return { changes, tallies, deadLetters, controls, granted, traced, grantedFrom };
  }

  /** A decision may have switched to another. */
  #inForce(): Policy | null {
    const { policyVersion, policyJson } = this.state;
    if (this.policy !== null && policyVersion === this.policy.config.version) return this.policy;
    if (this.policy !== null) this.policy = compilePolicy(parsePolicy(policyJson));
    return this.policy;
  }

  host(hostKey = key): Host {
    return this.state.hosts.get(hostKey)!;
  }

  /** The host's facts are these, and else those of a new host. */
  facts(facts: Partial<HostFacts>, hostKey = key): void {
    this.state.apply({ kind: 'host', hostKey, facts: { ...newHostFacts, ...facts } });
  }

  admit(...entries: Entry[]): void {
    this.state.apply({ kind: 'admit', hostKey: key, known: false, entries });
  }

  /** A URL was visited, and is due now. */
  schedule(page: PageRecord): void {
    const [leaseId, index, spent, proved] = [0, 0, true, null] as const;
    this.state.apply({ kind: 'visit', hostKey: key, leaseId, index, dueAtMs: this.nowMs, spent, proved, page });
  }

  /** A lease of the first `due` URLs of the schedule, and of new ones. */
  revisit(due: number, ...entries: Entry[]): Lease {
    return this.#grant(due, entries);
  }

  /** A lease of new URLs, out until a minute from now. */
  lease(...entries: Entry[]): Lease {
    return this.#grant(0, entries);
  }

  #grant(due: number, entries: readonly Entry[]): Lease {
    const { state, nowMs } = this;
    state.nowMs = nowMs;
    this.admit(...entries);
    const leaseId = state.leases.nextId;
    const counts = new Map<number, number>();
    for (const { frontQueue } of entries) counts.set(frontQueue, (counts.get(frontQueue) ?? 0) + 1);
    const frontQueues = [...counts].sort(([a], [b]) => a - b);
    const lease = { leaseId, hostKey: key, again: 0, frontQueues, deadlineMs: nowMs + 60_000, delayMs: 1_000 };
    state.apply(due === 0 ? { kind: 'grant', ...lease } : { kind: 'grantDue', due, ...lease });
    return state.leases.get(leaseId)!;
  }
}

/** A decision whose commit holds so many bytes before it begins, at least 200,000. */
export function filled(decision: Decision, bytes: number): Decision {
  const add = (chars: number) =>
    decision.emit({
      kind: 'equivalence',
      hostKey: '',
      rewriting: 'x'.repeat(chars),
      proofs: 0,
      against: 0,
      targets: [],
    });
  add(100_000);
  const more = decision.bytes - 100_000;
  add(bytes - decision.bytes - more);
  if (decision.bytes !== bytes) throw new Error(`${decision.bytes} bytes`);
  return decision;
}
