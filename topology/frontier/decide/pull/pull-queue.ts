/**
 * Calls that wait for a step, in two lines: puts and commands first, then gets. Calls that wait at the same time do
 * not depend on each other's answers, so any order is correct. This order never searches for a URL on a lease that was
 * granted in the same step, because the URLs of that lease are not read yet.
 */
import { frontierLimits } from '../../frontier-limits.ts';
import { unread } from '../../hosts/lease.ts';
import { pullLimits } from '../../pull/pull-limits.ts';
import { seenVerdicts } from '../../seen/seen-test.ts';
import type { FrontierState } from '../../state/state.ts';
import type { StoreJob } from '../../storage/store-job.ts';
import type { Decision } from '../decision.ts';
import type { Call, GetCall, PutCall, PutItem, QueueCall } from './calls.ts';
import { readPlaces } from './find-known.ts';
import { decideGet } from './gets.ts';
import { decideOrder } from './orders.ts';
import { decidePuts, type PutReads } from './puts.ts';

export class PullQueue {
  readonly #puts: (PutCall | QueueCall)[] = [];
  readonly #gets: GetCall[] = [];
  #answered: Call[] = [];
  #read: PutReads = nothing;
  /** The next put waits for an answer of the seen test. */
  asks = false;
  /** The next put waits for rows to be read. */
  isUnread = false;

  add(call: Call): void {
    if (call.kind === 'get') this.#gets.push(call);
    else this.#puts.push(call);
  }

  /** Whether a call waits that a step could decide. */
  get waiting(): boolean {
    return this.#gets.length > 0 || (this.#puts.length > 0 && !this.asks);
  }

  decide(decision: Decision): void {
    if (decision.policy === null) return;
    this.asks = decision.state.seen.stalled && this.#puts.length > 0;
    this.isUnread = false;
    let done = 0;
    for (const call of this.asks ? [] : this.#puts) {
      if (decision.bytes >= frontierLimits.commitBytesSoft || !this.#decide(decision, call)) break;
      done += 1;
      // A deletion is the last thing that its commit does to a queue.
      if (call.kind === 'queue' && (call.order.kind === 'drop' || call.order.kind === 'dropAll')) break;
    }
    if (done > 0) this.#answered.push(...this.#puts.splice(0, done));
    let served = 0;
    for (const call of this.#gets) {
      const isDone = decideGet(decision, call);
      // A get's URLs are sent at once, and the client asks for more when it has taken them.
      if (!isDone && call.leases.length === 0) break;
      served += 1;
    }
    if (served > 0) this.#answered.push(...this.#gets.splice(0, served));
  }

  #decide(decision: Decision, call: PutCall | QueueCall): boolean {
    if (call.kind === 'queue') return decideOrder(decision, call);
    const stop = decidePuts(decision, call, this.#read);
    if (stop === 'unread') this.isUnread = true;
    if (stop === 'asks') {
      this.asks = true;
      this.#askAhead(decision.state);
    }
    return stop === null && call.next === call.items.length;
  }

  /** Asks the seen test about all waiting items together: one pass over its rows answers thousands. */
  #askAhead(state: FrontierState): void {
    let left: number = frontierLimits.askLinksPerStep;
    for (const call of this.#puts) {
      if (call.kind !== 'put') continue;
      for (let i = call.next; i < call.items.length && left > 0; i++, left--) {
        const { key, url } = call.items[i]!;
        const [hi, lo] = state.identityOf(key, url);
        state.seen.ask(hi!, lo!);
      }
    }
  }

  /** Reads the places that the next puts need, and the URLs that the last gets were granted. Run it after each step. */
  *reads(state: FrontierState): StoreJob {
    this.#read = this.isUnread ? yield* this.#readPuts(state) : nothing;
    for (const call of this.#answered) if (call.kind === 'get') collect(state, call);
  }

  /** Calls decided since the last time; answer them once all decisions so far are durable. Call after `reads`. */
  takeAnswered(): Call[] {
    const answered = this.#answered;
    this.#answered = [];
    return answered;
  }

  /** Takes all calls that wait or were not answered: this owner makes no more decisions. */
  takeAll(): Call[] {
    return [...this.takeAnswered(), ...this.#puts.splice(0), ...this.#gets.splice(0)];
  }

  *#readPuts(state: FrontierState): StoreJob<PutReads> {
    const items = this.#toRead(state);
    const forgotten = yield* readPlaces(
      state,
      items.filter(({ known }) => !known),
      false,
    );
    const known = yield* readPlaces(
      state,
      items.filter((item) => item.known),
    );
    return { known, forgotten };
  }

  #toRead(state: FrontierState): PutItem[] {
    const wanted: PutItem[] = [];
    for (const call of this.#puts) {
      if (call.kind !== 'put') break;
      for (let i = call.next; i < call.items.length && wanted.length < pullLimits.placesPerRead; i++) {
        const item = call.items[i]!;
        const host = state.hosts.get(item.key);
        if (host === undefined || (!item.known && state.pull.marksOf(host.id).forgotten === 0)) continue;
        const [hi, lo] = state.identityOf(item.key, item.url);
        if (state.seen.test(hi!, lo!) !== seenVerdicts.new) wanted.push(item);
      }
      if (wanted.length >= pullLimits.placesPerRead) break;
    }
    return wanted;
  }
}

const nothing: PutReads = { known: new Map(), forgotten: new Map() };

function collect(state: FrontierState, call: GetCall): void {
  for (const id of call.leases) {
    const { host, entries } = state.leases.get(id)!;
    for (const entry of entries) {
      if (entry === null || entry === unread) throw new Error(`a URL of lease ${id} is missing`);
      call.urls.push({ key: host.key, entry });
    }
  }
}
