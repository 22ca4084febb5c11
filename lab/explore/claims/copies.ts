/**
 * The copy of the partition after each record of a changelog: the real state, replayed. Each changelog is replayed
 * once, and the rules that a single record can break are checked then.
 */
import {
  type ChangelogPosition,
  type InputPosition,
  type InputTopic,
  inputTopics,
  readChangelog,
} from '../../../topology/frontier/changes/changelog.ts';
import type { HostFacts } from '../../../topology/frontier/changes/changes.ts';
import { type Counters, lostUrls } from '../../../topology/frontier/changes/counters.ts';
import { recordHash } from '../../../topology/frontier/changes/record-hash.ts';
import { digest } from '../../../topology/frontier/check/digest.ts';
import { frontierLimits } from '../../../topology/frontier/frontier-limits.ts';
import { replay } from '../../../topology/frontier/replay.ts';
import { FrontierState } from '../../../topology/frontier/state/state.ts';
import { recount } from '../../simulation/standby.ts';
import { type LogNode, LogTree, recordsFrom } from '../engine/append-only.ts';
import { Violation } from '../engine/violation.ts';
import { fingerprintKey } from './setting.ts';

export type Changelog = LogNode<Buffer>;

export interface Copy {
  readonly digest: string;
  readonly changelog: ChangelogPosition;
  readonly positions: Readonly<Record<InputTopic, InputPosition>>;
  readonly counters: Counters;
  readonly nowMs: number;
  /** Current leases, with their deadlines, ms. */
  readonly leases: ReadonlyMap<number, number>;
  /** The orders in force for each host. */
  readonly hosts: ReadonlyMap<string, Pick<HostFacts, 'hold' | 'ownDelayMs' | 'ownDelayIsLeast'>>;
}

/** Replayed states that are kept as starting points. */
const keptMax = 512;

export class Copies {
  readonly tree = new LogTree<Buffer>();
  readonly #copies = new Map<Changelog, Copy>();
  /** States of the newest changelogs. A state that advances leaves its place. */
  readonly #states = new Map<Changelog, FrontierState>();
  readonly #seenIsExact: boolean;
  /** Records that were replayed. */
  replayed = 0;

  /** `seenIsExact`: in this world, no URL is purged or forced. */
  constructor(seenIsExact = true) {
    this.#seenIsExact = seenIsExact;
  }

  append(log: Changelog, bytes: Buffer): Changelog {
    return this.tree.append(log, bytes.toString('latin1'), bytes);
  }

  /** Throws Violation if the newest record breaks a rule. */
  at(log: Changelog): Copy {
    const known = this.#copies.get(log);
    if (known !== undefined) return known;
    const before = log.parent === null ? null : this.at(log.parent);
    const state = log.parent === null ? newState() : this.#taken(log.parent);
    if (log.parent !== null) take(state, log);
    this.replayed += 1;
    const copy = copyOf(state);
    if (before !== null) checkRecord(log, before, copy, state, this.#seenIsExact);
    this.#copies.set(log, copy);
    this.#keep(log, state);
    return copy;
  }

  #taken(log: Changelog): FrontierState {
    const kept = this.#states.get(log);
    this.#states.delete(log);
    if (kept !== undefined) return kept;
    return replayed(newState(), log);
  }

  #keep(log: Changelog, state: FrontierState): void {
    this.#states.set(log, state);
    if (this.#states.size > keptMax) this.#states.delete(this.#states.keys().next().value!);
  }
}

export function newState(): FrontierState {
  return new FrontierState(fingerprintKey);
}

/** Replays a changelog from the state's own position on. */
export function replayed(state: FrontierState, log: Changelog): FrontierState {
  for (const node of recordsFrom(log, state.changelog.offset)) take(state, node);
  return state;
}

function take(state: FrontierState, { length, value }: Changelog): void {
  replay(state, length - 1, readChangelog(value), recordHash(value));
}

export function copyOf(state: FrontierState): Copy {
  const { changelog, positions, counters, nowMs } = state;
  const leases = new Map([...state.leases.values()].map(({ id, deadlineMs }) => [id, deadlineMs]));
  const hosts = new Map([...state.hosts.values()].map(({ key, facts }) => [key, facts]));
  return {
    digest: digest(state),
    changelog,
    positions: { ...positions },
    counters: { ...counters },
    nowMs,
    leases,
    hosts,
  };
}

function checkRecord(log: Changelog, before: Copy, after: Copy, state: FrontierState, seenIsExact: boolean): void {
  const at = log.length - 1;
  const record = readChangelog(log.value);
  const isVoid =
    record.kind === 'commit' && (record.epoch !== before.changelog.epoch || record.seq !== before.changelog.seq + 1);
  if (isVoid && after.digest !== before.digest)
    throw new Violation(
      'void',
      `record ${at} has another owner or is out of order, and a copy that read it has changed`,
    );
  const lost = lostUrls(after.counters);
  if (lost !== 0) throw new Violation('one place', `after record ${at}, ${lost} admitted URLs are in no place`);
  const violate = (what: string) => {
    throw new Violation('one place', `${what}`);
  };
  recount(state, `record ${at}`, violate, seenIsExact);
  const busy = new Set<string>();
  for (const { host } of state.leases.values()) {
    if (busy.has(host.key)) throw new Violation('one lease', `after record ${at}, ${host.key} has two leases`);
    busy.add(host.key);
  }
  if (isVoid || record.kind !== 'commit') return;
  for (const change of record.changes)
    if (change.kind === 'release' && change.expired) checkExpiry(at, change.leaseId, before, after);
  for (const topic of inputTopics) {
    const [was, is] = [before.positions[topic].offset, after.positions[topic].offset];
    if (is < was)
      throw new Violation('positions', `record ${at} takes the position of ${topic} back from ${was} to ${is}`);
  }
}

function checkExpiry(at: number, leaseId: number, { leases }: Copy, { nowMs }: Copy): void {
  const deadlineMs = leases.get(leaseId)!;
  if (nowMs < deadlineMs + frontierLimits.clockSkewMs)
    throw new Violation('deadline', `record ${at} ends lease ${leaseId} ${deadlineMs - nowMs} ms before its deadline`);
}
