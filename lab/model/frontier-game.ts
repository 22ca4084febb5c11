/**
 * A random game of the frontier against the naive one (naive-frontier.ts), over many features at once. Each grant is
 * predicted, and also that no host is granted. Each turn draws with a separate seed, so that a game can be played
 * without some of its turns: the shortest list of turns that still differs is the history of a fault.
 */
import assert from 'node:assert/strict';
import { blankLinkGroup as blankGroup } from '../../schemas/blank.ts';
import type { Control, Discovered, Result } from '../../schemas/types.ts';
import { digest } from '../../topology/frontier/check/digest.ts';
import { defaultPolicy } from '../../topology/policy/policy.ts';
import { clockOf } from './clock-of.ts';
import { drawFeatures, gameLinks, gameOrder, randomPolicy } from './game-script.ts';
import { ModelRig } from './model-rig.ts';
import { Chance, randomResult } from './model-script.ts';
import { NaiveFrontier } from './naive-frontier.ts';

const turnsOfGame = 40;
const startMs = Date.UTC(2026, 0, 5, 21);
const pauses = [0, 1, 50, 400, 1_000, 1_000, 5_000, 31_000, 120_000] as const;
const longPauses = [3_600_000, 5 * 3_600_000, 3 * 86_400_000] as const;

export interface GameFault {
  readonly seed: number;
  readonly message: string;
  /** Turns that are needed for the difference. */
  readonly turns: readonly number[];
  readonly history: readonly string[];
}

/** Predicted grants, and steps with nothing to grant. */
export interface GamesPlayed {
  readonly games: number;
  readonly grants: number;
  readonly fault: GameFault | null;
}

export function playGames(from: number, games: number): GamesPlayed {
  let grants = 0;
  for (let seed = from; seed < from + games; seed++) {
    const game = new FrontierGame(seed);
    const message = game.play(allTurns);
    grants += game.grants;
    if (message !== null) return { games: seed - from + 1, grants, fault: shrunk(seed, message) };
  }
  return { games, grants, fault: null };
}

const allTurns: readonly number[] = Array.from({ length: turnsOfGame }, (_, turn) => turn);

/** Leaves out turns, many at a time and then one by one, while the game still differs. */
function shrunk(seed: number, first: string): GameFault {
  let turns: readonly number[] = allTurns;
  let message = first;
  let history: readonly string[] = [];
  const fails = (some: readonly number[]) => {
    const game = new FrontierGame(seed);
    const found = game.play(some);
    if (found === null) return false;
    [message, history] = [found, game.history];
    return true;
  };
  assert.ok(fails(turns), `game ${seed} differs each time it is played`);
  for (let size = turnsOfGame >> 1; size >= 1; size >>= 1)
    for (let at = 0; at < turns.length; ) {
      const fewer = [...turns.slice(0, at), ...turns.slice(at + size)];
      if (fails(fewer)) turns = fewer;
      else at += size;
    }
  fails(turns);
  return { seed, message, turns, history };
}

export class FrontierGame {
  readonly #seed: number;
  readonly #features;
  readonly #rig: ModelRig;
  readonly #naive = new NaiveFrontier();
  /** Results that were sent before, or delayed by slow fetchers: reported again, or late. */
  readonly #former: Result[] = [];
  #nowMs = startMs;
  #policies = 0;
  grants = 0;
  readonly history: string[] = [];

  constructor(seed: number) {
    this.#seed = seed;
    this.#features = drawFeatures(new Chance(seed));
    this.#rig = new ModelRig(this.#nowMs);
  }

  /** The difference; null: none. */
  play(turns: readonly number[]): string | null {
    try {
      this.#step([this.#policy(new Chance(this.#seed + 500_000))], [], [], 0);
      for (const turn of turns) this.#turn(new Chance(Math.imul(this.#seed, 7_919) + turn));
      return null;
    } catch (error) {
      return (error as Error).message;
    }
  }

  #turn(chance: Chance): void {
    this.#nowMs += chance.percent(93) ? chance.of(pauses) : chance.of(longPauses);
    const control = chance.percent(12) ? [gameOrder(chance)] : [];
    if (chance.percent(4)) control.push(this.#policy(chance));
    const results = this.#someResults(chance);
    const discovered = chance.percent(45) ? [gameLinks(chance, this.#features)] : [];
    discovered.push(...results.flatMap(redirectsOf));
    this.#step(control, results, discovered, chance.below(4));
    if (chance.percent(10)) this.#rig.save();
    if (chance.percent(5)) this.#restart(chance.percent(50));
  }

  /** Results of some leases, now and then late or twice. */
  #someResults(chance: Chance): Result[] {
    const results: Result[] = [];
    for (const lease of this.#naive.leases.values()) {
      if (!chance.percent(50)) continue;
      const result = randomResult(chance, lease, this.#nowMs);
      if (chance.percent(85)) results.push(result);
      if (chance.percent(20)) this.#former.push(result);
    }
    if (this.#former.length > 0 && chance.percent(15)) results.push(chance.of(this.#former));
    return results;
  }

  #policy(chance: Chance): Control {
    return randomPolicy(chance, this.#features, ++this.#policies);
  }

  #step(
    control: readonly Control[],
    results: readonly Result[],
    discovered: readonly Discovered[],
    demand: number,
  ): void {
    for (const record of control) this.#note(orderText(record));
    for (const record of results) this.#note(resultText(record));
    for (const record of discovered) this.#note(linksText(record));
    for (const record of control) this.#rig.send('control', record);
    for (const record of results) this.#rig.send('results', record);
    for (const record of discovered) this.#rig.send('discovered', record);
    const tasks = this.#rig.step(this.#nowMs, demand)?.tasks ?? [];
    const granted = tasks.map(({ hostKey, urls }) => `${hostKey} [${urls.map(({ url }) => pathOf(url)).join(' ')}]`);
    if (demand > 0) this.#note(`${demand} leases asked for: ${granted.join(', ') || 'none'}`);
    this.#naive.step(this.#nowMs, control, results, discovered);
    const { hosts } = this.#rig.core.state;
    this.#naive.observe((host) => hosts.get(host)?.facts);
    this.#naive.grant(demand, tasks);
    this.#naive.observeClosed((host) => hosts.get(host)!.facts.deferredOpen);
    this.grants += tasks.length;
    this.#compareCounters();
  }

  #compareCounters(): void {
    const { counters } = this.#rig.core.state;
    const wanted = this.#naive.counters;
    const got = Object.fromEntries(Object.keys(wanted).map((name) => [name, counters[name as keyof typeof counters]]));
    assert.deepEqual(got, wanted, `counters differ: ${differences(got, wanted)}`);
  }

  /** The owner may disappear at any moment: the next one finds the state that follows from the changelog alone. */
  #restart(fetchersDied: boolean): void {
    this.#note(fetchersDied ? 'a new owner, and the fetchers died' : 'a new owner');
    const before = digest(this.#rig.core.state);
    this.#rig.reopen(this.#nowMs, fetchersDied);
    this.#naive.restart();
    if (fetchersDied) this.#naive.endLeases(this.#nowMs);
    else assert.equal(digest(this.#rig.core.state), before, 'checkpoint and tail give the live state');
    const replayed = this.#rig.replayed();
    assert.equal(digest(replayed), digest(this.#rig.core.state), 'checkpoint and tail give what a replay gives');
    this.#compareCounters();
    // A new owner puts hosts back on the clock that were looked at outside a window, or while their domain waited.
    if (this.#features.politenessKey === 'domain' || this.#features.hasWindows) return;
    assert.deepEqual(clockOf(this.#rig.core.state), clockOf(replayed), 'no host is forgotten, or early');
  }

  #note(text: string): void {
    this.history.push(`${new Date(this.#nowMs).toISOString().slice(8, 23)} ${text}`);
  }
}

/** A fetcher publishes the target of a redirect as a link, one hop further. */
function redirectsOf({ outcomes }: Result): Discovered[] {
  return outcomes
    .filter(({ kind, redirectUrl, url }) => kind === 'redirect' && redirectUrl !== url)
    .map(({ redirectUrl, url }) => ({ groups: [redirectGroup(url, redirectUrl)] }));
}

function redirectGroup(sourceUrl: string, url: string): Discovered['groups'][number] {
  const link = { url, lastModifiedMs: 0, priority: 3, spelling: '' };
  return { ...blankGroup, hostKey: new URL(url).host, sourceUrl, hop: 1, links: [link] };
}

function pathOf(url: string): string {
  return new URL(url).pathname;
}

/** The fields of a policy that differ from the default. */
function orderText({ kind, hostKey, amount, payload }: Control): string {
  if (kind !== 'policy') return `order ${kind} ${hostKey} ${amount} ${payload}`;
  const usual = defaultPolicy() as unknown as Record<string, unknown>;
  const drawn = Object.entries(JSON.parse(payload) as Record<string, unknown>);
  const others = drawn.filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(usual[name]));
  return `policy ${others.map(([name, value]) => `${name}=${JSON.stringify(value)}`).join(' ')}`;
}

function resultText({ leaseId, hostKey, outcomes, last }: Result): string {
  const ends = outcomes.map(({ url, kind, status }) => `${pathOf(url)} ${kind} ${status}`);
  return `lease ${leaseId} of ${hostKey}${last ? ' ends' : ''}: ${ends.join(', ') || 'no outcome'}`;
}

function linksText({ groups }: Discovered): string {
  const texts = groups.map(({ hostKey, depth, front, intent, sourceUrl, links }) => {
    const found = links.map(({ url, priority }) => `${pathOf(url)} in ${front ? 0 : Math.min(priority, 7)}`);
    return `${hostKey} (depth ${depth}, ${intent}, from ${sourceUrl || 'nowhere'}): ${found.join(', ')}`;
  });
  return `links to ${texts.join('; ')}`;
}

function differences(got: Record<string, unknown>, wanted: Record<string, unknown>): string {
  const names = Object.keys(wanted).filter((name) => got[name] !== wanted[name]);
  return names.map((name) => `${name} is ${got[name]} and not ${wanted[name]}`).join(', ');
}
