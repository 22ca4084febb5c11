/**
 * Puts: URLs that clients of the pull API found, and results of the URLs they were granted.
 *
 * A found URL is admitted once. A known one goes where its client says, from any place: on a lease, waiting, finished
 * before (a client may report twice, which counts once), or unknown so far.
 */

import type { Entry } from '../../changes/entry.ts';
import { frontierLimits } from '../../frontier-limits.ts';
import { createdSecOf, payloadOf } from '../../pull/payload.ts';
import { seenVerdicts } from '../../seen/seen-test.ts';
import type { Host } from '../../state/state.ts';
import type { Decision } from '../decision.ts';
import { heldByLimit } from '../politeness.ts';
import { type PutCall, type PutItem, putStatuses } from './calls.ts';
import {
  findForgotten,
  findKnown,
  findOut,
  type KnownPlace,
  nowhere,
  placeName,
  type ReadForgotten,
  type ReadPlaces,
} from './find-known.ts';

/** Places that were read for the next items. */
export interface PutReads {
  readonly known: ReadPlaces;
  readonly forgotten: ReadForgotten;
}

/** Why the next item cannot be decided: its place must be read, or the seen test asked. null: nothing prevents it. */
export type PutStop = 'unread' | 'asks' | null;

/** Decides items until the commit is full, or one has to wait. */
export function decidePuts(decision: Decision, call: PutCall, read: PutReads): PutStop {
  const admission = new Admission(decision);
  let stop: PutStop = null;
  const began = call.next;
  let skipped = 0;
  for (; call.next < call.items.length; call.next++) {
    if (decision.bytes + admission.bytes >= frontierLimits.commitBytesSoft) break;
    const item = call.items[call.next]!;
    const status = item.known
      ? decideKnown(decision, admission, item, read.known)
      : decideFound(decision, admission, item, read.forgotten);
    if (status === 'unread' || status === 'asks') {
      stop = status;
      break;
    }
    call.statuses[call.next] = status;
    if (status === putStatuses.skipped) skipped += 1;
  }
  admission.flush();
  if (call.next > began) decision.tally('discovered', call.next - began);
  if (skipped > 0) decision.tally('duplicates', skipped);
  return stop;
}

type Decided = number | Exclude<PutStop, null>;

function decideFound(decision: Decision, admission: Admission, item: PutItem, read: ReadForgotten): Decided {
  const { state } = decision;
  const { key, url } = item;
  const fingerprint = state.identityOf(key, url);
  const [hi, lo] = [fingerprint[0]!, fingerprint[1]!];
  if (admission.holds(key, hi, lo)) return putStatuses.skipped;
  const verdict = state.seen.test(hi, lo);
  if (verdict === seenVerdicts.unknown) return 'asks';
  if (verdict === seenVerdicts.seen) {
    const host = state.hosts.get(key);
    if (host === undefined || state.pull.marksOf(host.id).forgotten === 0) return putStatuses.skipped;
    const place = findForgotten(state, host, url, read);
    if (place === 'unread') return place;
    if (place === undefined) return putStatuses.skipped;
    admission.flush();
    move(decision, host.key, place, 'again', decision.nowMs, entryOf(decision, item, null));
    return putStatuses.ok;
  }
  if (state.counters.queued >= decision.policy!.config.queuedMax) return putStatuses.fail;
  admission.add(key, entryOf(decision, item, null), hi, lo);
  return putStatuses.ok;
}

function decideKnown(decision: Decision, admission: Admission, item: PutItem, read: ReadPlaces): Decided {
  const { state } = decision;
  const { key, url, dueAtMs } = item;
  admission.flush();
  const host = state.hosts.get(key);
  const place = host === undefined ? nowhere : placeOfKnown(decision, host, url, read);
  if (place === 'unread' || place === 'asks') return place;
  read.delete(placeName(key, url));
  const entry = entryOf(decision, item, place.entry);
  move(decision, key, place, dueAtMs === 0 ? 'done' : 'again', dueAtMs, entry);
  const moved = host ?? state.hosts.get(key)!;
  if (place.from.in === 'lease') endIfEmpty(decision, place.from.a);
  if (dueAtMs === 0 || place.from.in === 'done') holdAtLimit(decision, moved);
  return putStatuses.ok;
}

function placeOfKnown(decision: Decision, host: Host, url: string, read: ReadPlaces): KnownPlace | 'unread' | 'asks' {
  const { state } = decision;
  const out = findOut(state, host, url);
  if (out !== undefined) return out;
  const [hi, lo] = state.identityOf(host.key, url);
  const verdict = state.seen.test(hi!, lo!);
  if (verdict === seenVerdicts.unknown) return 'asks';
  return verdict === seenVerdicts.new ? nowhere : findKnown(state, host, url, read);
}

function move(
  decision: Decision,
  hostKey: string,
  { from }: KnownPlace,
  to: 'done' | 'again',
  dueAtMs: number,
  entry: Entry,
): void {
  decision.emit({ kind: 'known', hostKey, from, to, dueAtMs, entry });
}

/** `before`: the known entry of the URL; its creation time is kept. */
function entryOf({ nowMs }: Decision, { url, metadata, frontQueue }: PutItem, before: Entry | null): Entry {
  const createdSec = before === null ? Math.floor(nowMs / 1000) : createdSecOf(before.payload);
  return { url, depth: 0, hop: 0, attempts: 0, expiries: 0, frontQueue, payload: payloadOf(createdSec, metadata) };
}

/** Ends a lease when its last URL was reported. */
export function endIfEmpty(decision: Decision, leaseId: number): void {
  for (const entry of decision.state.leases.get(leaseId)!.entries) if (entry !== null) return;
  decision.emit({ kind: 'release', leaseId, expired: false });
}

/** Pauses a queue once it has finished as many URLs as it may. */
export function holdAtLimit(decision: Decision, host: Host): void {
  const before = host.facts;
  const pages = decision.state.pull.doneOf(host.id);
  const hold = heldByLimit({}, { ...before, pages, hold: before.hold === 'limit' ? '' : before.hold });
  if (hold !== before.hold) decision.emit({ kind: 'host', hostKey: host.key, facts: { ...before, hold } });
}

/** Entries gathered into one change: enough to share its cost, few enough to be searched one by one. */
const gatheredMax = 64;

/** Gathers neighbours of one queue into one change; URLs that wait in it count as put. */
class Admission {
  readonly #decision: Decision;
  #hostKey = '';
  #entries: Entry[] = [];
  /** Fingerprints of the entries, as pairs. */
  #fingerprints: number[] = [];
  bytes = 0;

  constructor(decision: Decision) {
    this.#decision = decision;
  }

  holds(hostKey: string, hi: number, lo: number): boolean {
    const fingerprints = this.#fingerprints;
    if (fingerprints.length === 0 || hostKey !== this.#hostKey) return false;
    for (let at = 0; at < fingerprints.length; at += 2)
      if (fingerprints[at] === hi && fingerprints[at + 1] === lo) return true;
    return false;
  }

  add(hostKey: string, entry: Entry, hi: number, lo: number): void {
    if (this.#entries.length === gatheredMax || (this.#entries.length > 0 && hostKey !== this.#hostKey)) this.flush();
    this.#hostKey = hostKey;
    this.#entries.push(entry);
    this.#fingerprints.push(hi, lo);
    this.bytes += entry.url.length + entry.payload!.length + 6;
  }

  flush(): void {
    if (this.#entries.length === 0) return;
    const [hostKey, entries, fingerprints] = [this.#hostKey, this.#entries, this.#fingerprints];
    this.#decision.emit({ kind: 'admit', hostKey, known: false, entries, fingerprints });
    this.#entries = [];
    this.#fingerprints = [];
    this.bytes = 0;
  }
}
