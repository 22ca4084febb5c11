/**
 * The frontier against the naive one in random games (`npm run model` plays more). Bugs that are planted here must be found: a model that
 * predicts nothing would let them pass.
 */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type GameFault, playGames } from '../../../lab/model/frontier-game.ts';
import { BudgetsState } from '../../../topology/frontier/budgets/budgets-state.ts';
import { HostClock } from '../../../topology/frontier/hosts/clock.ts';
import { DomainPace } from '../../../topology/frontier/hosts/domain-pace.ts';
import { HostSlots } from '../../../topology/frontier/hosts/host-slots.ts';
import { ParkedHosts } from '../../../topology/frontier/hosts/parked-hosts.ts';

const games = 30;
/** So many games find each planted bug. */
const gamesToFind = 50;

/** Plays with a method replaced, from a game on, until one differs. */
function foundWith<T extends object, K extends keyof T>(
  prototype: T,
  name: K,
  from: number,
  bug: (real: T[K]) => T[K],
): GameFault {
  const real = prototype[name];
  prototype[name] = bug(real);
  try {
    const { fault } = playGames(from, gamesToFind);
    assert.ok(fault !== null, 'no game differs');
    return fault;
  } finally {
    prototype[name] = real;
  }
}

describe('the frontier and a naive one in random games', () => {
  it('the frontier grants in random games what a naive one predicts, and nothing where it predicts nothing', () => {
    const { fault, grants } = playGames(0, games);
    assert.equal(fault, null, fault === null ? '' : [fault.message, ...fault.history].join('\n'));
    assert.ok(grants > 10 * games, `${grants} grants`);
  });

  it('a host whose budget is spent at its turn gives the turn to the next host of its domain at once', () => {
    const { fault } = playGames(1458, 1);
    assert.equal(fault, null, fault === null ? '' : [fault.message, ...fault.history].join('\n'));
  });

  it('random games find a frontier that leases a host before its time, and print the shortest history', () => {
    const { message, turns, history } = foundWith(
      HostClock.prototype,
      'schedule',
      0,
      (real) =>
        function (this: HostClock, host, readyAtMs, frontQueue) {
          return real.call(this, host, readyAtMs - (readyAtMs % 60_000), frontQueue);
        },
    );
    assert.match(message, /has a lease, and/);
    assert.ok(turns.length <= 12 && history.length > 0, `${turns.length} turns`);
    assert.match(history.at(-1)!, /leases asked for/);
  });

  it('random games find a host with several slots that keeps its place after a lease', () => {
    const { message } = foundWith(
      HostSlots.prototype,
      'take',
      7,
      () =>
        function (this: HostSlots, host, nowMs) {
          const slots = this.of(host);
          if (this.entries.has(host))
            this.put(host, { ...slots, nextAtMs: 0, freeAtMs: slots.freeAtMs.filter((atMs) => atMs > nowMs) });
        },
    );
    assert.notEqual(message, '');
  });

  it('random games find a domain that is contacted for two hosts at once', () => {
    const { message } = foundWith(DomainPace.prototype, 'readyAtMs', 2, () => () => 0);
    assert.match(message, /has a lease, and/);
  });

  it('random games find a host of a domain that keeps its former place', () => {
    const { message } = foundWith(ParkedHosts.prototype, 'leave', 16, () => () => {});
    assert.match(message, /is next|left out/);
  });

  it('random games find a budget that is not looked at when it grows', () => {
    const { message } = foundWith(BudgetsState.prototype, 'lookAt', 7, () => () => {});
    assert.match(message, /budget left|left out|counters differ/);
  });
});
