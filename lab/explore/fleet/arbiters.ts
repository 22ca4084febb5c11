/**
 * The real arbiter of a process, as a function of the calls that it got: it is built again for each list of calls, and its
 * answers are kept.
 */
import { type Ask, FleetArbiter, type HostFact } from '../../../topology/fleet/arbiter.ts';
import type { Contact } from '../../../topology/fleet/host-times.ts';
import { type LogNode, LogTree, recordsFrom } from '../engine/append-only.ts';
import { type Crawl, crawls, gapOf, host, hostDelayMs, startMs } from './setting.ts';

export type Call =
  | { readonly kind: 'starts' }
  | { readonly kind: 'ask'; readonly crawl: Crawl }
  /** Ends the permit that is out. null: the host was not contacted. */
  | { readonly kind: 'end'; readonly contact: Contact | null }
  | { readonly kind: 'step' }
  /** The process gets the host. `fact` null: none is known. */
  | { readonly kind: 'taken'; readonly fact: HostFact | null }
  | { readonly kind: 'gone' };

export type Calls = LogNode<Call & { readonly nowMs: number }>;

/** The arbiter's answers to a process. */
export interface Heard {
  /** The crawl with the permit; null: none has it. */
  readonly granted: Crawl | null;
  /** Crawls that wait. */
  readonly waiting: readonly Crawl[];
  readonly wakeAtMs: number | undefined;
  /** A fact of the newest call, which later processes must know. */
  readonly fact: HostFact | null;
  /** Crawls that the newest call sent away without a permit. */
  readonly sentAway: readonly Crawl[];
}

/** Longer than any history takes: no request is given up as late. */
const patienceMs = 3_600_000;

export class Arbiters {
  readonly #tree = new LogTree<Calls['value']>();
  readonly #heard = new Map<Calls, Heard>();

  get none(): Calls {
    return this.#tree.empty;
  }

  call(calls: Calls, call: Call, nowMs: number): Calls {
    const value = { ...call, nowMs };
    return this.#tree.append(calls, JSON.stringify(value), value);
  }

  heard(calls: Calls): Heard {
    let heard = this.#heard.get(calls);
    if (heard === undefined) this.#heard.set(calls, (heard = played(calls)));
    return heard;
  }
}

function played(calls: Calls): Heard {
  let contactedAtMs = Number.NEGATIVE_INFINITY;
  const arbiter = new FleetArbiter({
    requestsMax: 1,
    hostDelayMs,
    get contactedAtMs() {
      return contactedAtMs;
    },
  });
  for (const crawl of crawls) arbiter.join(crawl, 1, `owner of ${crawl}`);
  const asks = new Set<Ask>();
  let [fact, sentAway]: [HostFact | null, Crawl[]] = [null, []];
  for (const { value } of recordsFrom(calls, 0)) {
    const { nowMs } = value;
    [fact, sentAway] = [null, []];
    if (value.kind === 'starts') contactedAtMs = nowMs;
    if (value.kind === 'ask')
      asks.add(
        arbiter.ask(
          { crawl: value.crawl, hostKey: host, ...gapOf(value.crawl), latestStartMs: nowMs + patienceMs },
          nowMs,
        ),
      );
    if (value.kind === 'end') fact = arbiter.end(grantedOf(asks)!, value.contact, nowMs);
    if (value.kind === 'taken') {
      contactedAtMs = nowMs;
      arbiter.takeOver(() => true, nowMs);
      if (value.fact !== null) arbiter.remember(host, value.fact);
    }
    if (value.kind === 'gone') sentAway = arbiter.release(() => true).waiting.map(({ crawl }) => crawl as Crawl);
    if (value.kind === 'step') arbiter.step(nowMs);
    for (const ask of asks) if (ask.state === 'over') asks.delete(ask);
  }
  return {
    granted: (grantedOf(asks)?.crawl ?? null) as Crawl | null,
    waiting: [...asks].flatMap(({ state, crawl }) => (state === 'waits' ? [crawl as Crawl] : [])),
    wakeAtMs: (arbiter.wakeAtMs ?? Number.POSITIVE_INFINITY) < startMs + patienceMs ? arbiter.wakeAtMs : undefined,
    fact,
    sentAway,
  };
}

function grantedOf(asks: ReadonlySet<Ask>): Ask | undefined {
  return [...asks].find(({ state }) => state === 'granted');
}
