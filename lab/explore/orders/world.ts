/**
 * The worlds `desk` and `forget`: a real partition with one host, which gets orders in any order while its pages wait, are
 * leased, or are under way. The owner may be killed after any commit.
 */
import type { Control, Discovered, Result, Task } from '../../../schemas/types.ts';
import { crawlEnd, type Look } from '../../../topology/frontier/ask/crawl-end.ts';
import { Copies } from '../claims/copies.ts';
import { type Decider, Deciders } from '../claims/deciders.ts';
import { fetchedResult } from '../claims/fetched-result.ts';
import { linkTo, requestTimeoutMs } from '../claims/setting.ts';
import { LogTree, logAt, recordsFrom } from '../engine/append-only.ts';
import { type Move, Violation, type World } from '../engine/explore.ts';
import { endsFairly } from '../engine/fair-end.ts';
import { host, linksOf, type Order, policyEvent, seeds, startMs } from './setting.ts';
import { hashState, type State } from './state.ts';

export interface OrdersWorld {
  readonly orders: readonly Order[];
  readonly kills: number;
  /** Throws Violation if a state does not follow its orders: those that the partition has read. */
  check(state: State, orders: readonly Control[]): void;
  /** Throws Violation if the task may not be granted after these orders. */
  checkGrant(task: Task, orders: readonly Control[]): void;
}

export function createOrdersWorld(given: OrdersWorld): World<State> {
  const play = new Play(given);
  const check = (state: State) => given.check(state, ordersRead(state, state.decider));
  return {
    first: play.first(),
    moves: (state) => [...play.fairMoves(state), ...play.faults(state)],
    hash: hashState,
    check,
    checkEnd: endsFairly({
      calm: (state) => ({ ...state, orders: 0, kills: 0 }),
      next: (state) => play.fairMoves(state)[0],
      isOver: (state) => endOf(state) !== null || state.decider.copy.counters.leases === 0,
      check,
      hash: hashState,
    }),
  };
}

/** The orders that an owner has read. The policy comes first. */
function ordersRead({ control }: State, { copy }: Decider): Control[] {
  const read = logAt(control, Math.min(control.length, copy.positions.control.offset));
  return recordsFrom(read, 1).map(({ value }) => value);
}

class Play {
  readonly #world: OrdersWorld;
  readonly #copies = new Copies(false);
  readonly #deciders = new Deciders(this.#copies);
  readonly #control = new LogTree<Control>();
  readonly #results = new LogTree<Result>();
  readonly #discovered = new LogTree<Discovered>();

  constructor(world: OrdersWorld) {
    this.#world = world;
  }

  first(): State {
    const { empty } = this.#copies.tree;
    const claimed = this.#copies.append(empty, this.#deciders.claim(empty, startMs, 'first'));
    return {
      nowMs: startMs,
      decider: this.#deciders.open(claimed, null, startMs),
      control: this.#control.append(this.#control.empty, 'policy', policyEvent()),
      results: this.#results.empty,
      discovered: this.#linked(this.#discovered.empty, seeds, 0),
      tasks: [],
      asking: null,
      contactedAtMs: 0,
      orders: 2 ** this.#world.orders.length - 1,
      kills: this.#world.kills,
    };
  }

  fairMoves(state: State): Move<State>[] {
    // A request is answered before time passes, so that none outlives its lease.
    const isAsking = state.asking !== null;
    return [...this.#decides(state), ...this.#fetches(state), ...(isAsking ? [] : timePasses(state))];
  }

  faults(state: State): Move<State>[] {
    const orders = this.#world.orders.flatMap(({ say, event }, at) => {
      if ((state.orders & (1 << at)) === 0) return [];
      const next = () => {
        const before = recordsFrom(state.control, 1).map(({ value }) => value);
        const record = { ...event(before), atMs: state.nowMs };
        const control = this.#control.append(state.control, JSON.stringify(record), record);
        return { ...state, control, orders: state.orders & ~(1 << at) };
      };
      return [{ say: () => say, next }];
    });
    return state.kills === 0 ? orders : [...orders, this.#killed(state)];
  }

  #decides(state: State): Move<State>[] {
    const { decider, control, results, discovered, nowMs } = state;
    const { positions } = decider.copy;
    const isUnread =
      control.length > positions.control.offset ||
      results.length > positions.results.offset ||
      discovered.length > positions.discovered.offset;
    if (!isUnread && (decider.wakeAtMs === undefined || decider.wakeAtMs > nowMs)) return [];
    const decided = this.#deciders.step(decider, { inputs: { control, results, discovered }, nowMs, taken: null });
    if (decided === null) return [];
    const grants = decided.tasks.map(({ leaseId, urls }) => `, which grants lease ${leaseId} of ${urls[0]!.url}`);
    return [
      {
        say: () => `the partition decides a commit${grants.join('')}`,
        next: () => {
          for (const task of decided.tasks) this.#world.checkGrant(task, ordersRead(state, decided));
          return { ...state, decider: decided, tasks: [...state.tasks, ...decided.tasks] };
        },
      },
    ];
  }

  #killed(state: State): Move<State> {
    return {
      say: () => 'the owner is killed, and another one opens the partition',
      next: () => {
        const { log } = state.decider;
        const claim = this.#deciders.claim(log, state.nowMs, `after ${log.length}`);
        const decider = this.#deciders.open(this.#copies.append(log, claim), null, state.nowMs);
        return { ...state, decider, kills: state.kills - 1 };
      },
    };
  }

  #fetches(state: State): Move<State>[] {
    const { asking, tasks, nowMs } = state;
    if (asking !== null) {
      const { url } = asking.urls[0]!;
      return [{ say: () => `${url} answers with a page`, next: () => this.#answered(state, asking, url) }];
    }
    const [task, ...rest] = tasks;
    if (task === undefined || task.notBeforeMs > nowMs) return [];
    if (nowMs > task.deadlineMs - requestTimeoutMs)
      return [
        {
          say: () => `the fetcher drops lease ${task.leaseId}, which is late`,
          next: () => ({ ...state, tasks: rest }),
        },
      ];
    return [
      {
        say: () => `the fetcher requests ${task.urls[0]!.url}`,
        next: () => {
          const waitedMs = nowMs - state.contactedAtMs;
          if (state.contactedAtMs > 0 && waitedMs < task.delayMs)
            throw new Violation(`early: ${host} is contacted after ${waitedMs} ms, not ${task.delayMs} ms`);
          return { ...state, tasks: rest, asking: task };
        },
      },
    ];
  }

  #answered(state: State, task: Task, url: string): State {
    const result = fetchedResult(task, { kind: 'fetched', status: 200, links: linksOf(url).length }, state.nowMs);
    return {
      ...state,
      asking: null,
      contactedAtMs: state.nowMs,
      discovered: this.#linked(state.discovered, linksOf(url), 1),
      results: this.#results.append(state.results, JSON.stringify(result), result),
    };
  }

  #linked(log: State['discovered'], urls: readonly string[], depth: number): State['discovered'] {
    const links = urls.map((url) => linkTo(url, { depth }));
    return links.reduce((before, one) => this.#discovered.append(before, JSON.stringify(one), one), log);
  }
}

function timePasses({ nowMs, decider, tasks, ...rest }: State): Move<State>[] {
  const times = [decider.wakeAtMs ?? 0, ...tasks.map(({ notBeforeMs }) => notBeforeMs)];
  const next = Math.min(...times.filter((time) => time > nowMs));
  if (!Number.isFinite(next)) return [];
  const say = () => `${(next - nowMs) / 1000} s pass`;
  return [{ say, next: () => ({ ...rest, decider, tasks, nowMs: next }) }];
}

function endOf({ decider, control, results, discovered }: State): ReturnType<typeof crawlEnd> {
  const ends = { control: control.length, results: results.length, discovered: discovered.length };
  const { positions, counters } = decider.copy;
  const look: Look = { partitions: [{ positions, counters, ends }], pageQuota: null };
  return crawlEnd(look, look);
}
