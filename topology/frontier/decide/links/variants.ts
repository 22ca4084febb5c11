/**
 * Variants of pages at the frontier: once a host's pages have shown that a value of its URLs does not matter
 * (policy/traps/variants.ts), URLs with another value count as the URL with the value of the trap.
 *
 * A link to a variant is a link to that URL, which is requested as the link has it: the value may be a session that
 * ends. A variant that waits is moved into the trap's queue, and that URL is admitted in its place if it is new.
 * Nothing is lost: once the trap is released, the variants are fetched.
 *
 * Queues are on disk, so they are read before the step that folds them, some thousand URLs at a time. The hosts to
 * read are memory of the owner, like growth (growth.ts): a new owner reads those with such traps again.
 */
import type { Policy } from '../../../policy/policy.ts';
import { isPlacePattern, withValues } from '../../../policy/traps/places.ts';
import { trapLimits } from '../../../policy/traps/trap-limits.ts';
import { asOneVariant } from '../../../policy/traps/traps.ts';
import { frontQueueCount } from '../../../url/front-queue.ts';
import { spellingOf } from '../../../url/spelling.ts';
import { type FoundPlace, isQueuedAt, readFrontQueue } from '../../checkpoint/read-rows.ts';
import { frontierLimits } from '../../frontier-limits.ts';
import { seenVerdicts } from '../../seen/seen-test.ts';
import type { FrontierState, Host } from '../../state/state.ts';
import type { StoreJob } from '../../storage/store-job.ts';
import type { Decision } from '../decision.ts';
import { Admission } from './admission.ts';

/** The URL that a normal URL of a host counts as; null: itself. */
export function variantOf({ traps }: FrontierState, hostKey: string, url: string): string | null {
  const active = traps.active.get(hostKey);
  if (active === undefined) return null;
  const folded = asOneVariant(active, url);
  return folded === url ? null : folded;
}

interface Cursor {
  readonly number: number;
  readonly seq: number;
}

/** A part of a host's queue, and where the next one begins; null: this was the last. */
export interface Unfolded {
  readonly host: Host;
  readonly places: readonly FoundPlace[];
  readonly next: Cursor | null;
}

/** Hosts with queues that may hold variants, and how far each was folded. */
export class Folding {
  readonly #hosts = new Map<number, Cursor>();

  get isDue(): boolean {
    return this.#hosts.size > 0;
  }

  /** From the beginning: a new trap holds other URLs. */
  note(host: number): void {
    this.#hosts.set(host, { number: 0, seq: 0 });
  }

  /** Call when an owner opens. */
  noteAll({ traps, hosts }: FrontierState): void {
    for (const [hostKey, { trapped }] of traps.active) {
      const host = hosts.get(hostKey);
      if (host !== undefined && trapped.some(({ pattern }) => isPlacePattern(pattern))) this.note(host.id);
    }
  }

  goOn(host: number, next: Cursor | null): void {
    if (next === null) this.#hosts.delete(host);
    else this.#hosts.set(host, next);
  }

  first(): readonly [host: number, from: Cursor] | undefined {
    return this.#hosts.entries().next().value;
  }
}

/** Reads the next part of a queue. The first front queue is left out: seeds and raised URLs are fetched as they are. */
export function* readUnfolded(state: FrontierState, folding: Folding): StoreJob<Unfolded | null> {
  const first = folding.first();
  if (first === undefined) return null;
  const [id, from] = first;
  const host = state.hosts.at(id);
  const places: FoundPlace[] = [];
  const most = frontierLimits.growthUrlsPerStep;
  for (const { number, frontQueue } of host.queue.frontQueues()) {
    if (number === 0 || number < from.number || number >= frontQueueCount || places.length > most) continue;
    const fromSeq = number === from.number ? from.seq : 0;
    for (const place of yield* readFrontQueue(state, frontQueue, most + 1 - places.length, fromSeq))
      places.push({ ...place, number });
  }
  const beyond = places[most];
  return { host, places: places.slice(0, most), next: beyond === undefined ? null : beyond };
}

export function decideFolds(decision: Decision, folding: Folding, unfolded: Unfolded | null): void {
  const { policy, state } = decision;
  if (unfolded === null || policy === null) return;
  const { host, places, next } = unfolded;
  // The next part is read at another step, also if nothing in this one was a variant.
  decision.moved = true;
  const admission = new Admission(decision, policy.config);
  let stoppedAt: FoundPlace | undefined;
  for (const place of state.abandoning.has(host.id) ? [] : places) {
    // Each URL that leaves the middle of a queue is remembered until the head has passed its place.
    const isFull =
      decision.bytes + admission.bytes >= frontierLimits.commitBytesSoft || holesOf(host, state) >= holesMax;
    if (isFull) {
      stoppedAt = place;
      break;
    }
    fold(decision, policy, admission, host, place);
  }
  admission.flush();
  // A queue with as many holes as it may have is fetched first.
  folding.goOn(host.id, holesOf(host, state) >= holesMax ? null : (stoppedAt ?? next));
}

const { foldedMax: holesMax } = trapLimits;

function holesOf(host: Host, { queues }: FrontierState): number {
  return host.queue.frontQueues().reduce((sum, { frontQueue }) => sum + queues.frontQueues.goneCount(frontQueue), 0);
}

/**
 * Moves a URL that is a variant. Targets of redirects are left as they are, like links to them; so are URLs of which the seen
 * test would have to be asked.
 */
function fold(
  decision: Decision,
  policy: Policy,
  admission: Admission,
  host: Host,
  { number, seq, entry }: FoundPlace,
): void {
  const { state } = decision;
  if (entry.hop > 0 || !isQueuedAt(state, host.id, number, seq)) return;
  const url = variantOf(state, host.key, entry.url);
  const trap = state.traps
    .of(host.key)
    .trapped.find(({ pattern }) => isPlacePattern(pattern) && withValues(entry.url, pattern) !== entry.url);
  if (url === null || trap === undefined || !policy.admit(url, entry.depth, 0).ok) return;
  const own = state.identityOf(host.key, entry.url).slice();
  const fingerprint = state.identityOf(host.key, url);
  const [hi, lo] = [fingerprint[0]!, fingerprint[1]!];
  if (own[0] === hi && own[1] === lo) return;
  if (state.purge.on && state.purge.refuses(state.hosts, host.key, hi, lo)) return;
  const seen = admission.holds(host.key, hi, lo) ? seenVerdicts.seen : state.seen.test(hi, lo);
  if (seen === seenVerdicts.unknown) return;
  const spelling = entry.spelling ?? spellingOf(entry.url, url);
  if (seen === seenVerdicts.new) admission.add(host.key, false, { ...entry, url, spelling }, hi, lo);
  const waiting = { ...entry, frontQueue: trap.frontQueue };
  decision.emit({ kind: 'lower', hostKey: host.key, frontQueue: number, seq, entry: waiting });
}
