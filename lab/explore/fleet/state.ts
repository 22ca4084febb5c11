/** A state of the world `fleet`: two processes, the group that gives the host to one of them, and the host itself. */
import type { HostFact } from '../../../topology/fleet/arbiter.ts';
import { hashNumbers, hashText } from '../engine/hash.ts';
import type { Calls } from './arbiters.ts';
import type { Crawl } from './setting.ts';

/** Of the two processes. */
export const names = ['P', 'Q'] as const;

/** A process of the fleet. */
export interface Side {
  /** `cut`: it reaches no broker. */
  readonly status: 'up' | 'cut' | 'dead';
  readonly calls: Calls;
  /** `given`: the host is its own, and it has not read the facts about it. */
  readonly holds: 'no' | 'given' | 'read';
  /** It gives the host up as soon as no request is under way. */
  readonly isMoving: boolean;
  /** The host went to another process while a permit was out: the permit is void. */
  readonly isVoid: boolean;
  /** Since when its request is under way; 0: none is. */
  readonly openSinceMs: number;
  /** When the group counts it as gone; Infinity: it answers. */
  readonly untilMs: number;
  /** A fact that is not in the fleet's topic yet. */
  readonly unsent: HostFact | null;
  /** Number of times that it has taken the host. */
  readonly terms: number;
}

/** The requests as the host saw them. */
export interface Seen {
  /** End of the last request; 0: there was none. */
  readonly endMs: number;
  readonly by: Crawl | null;
  /** The pause that it asked for ends then; 0: it asked for none. */
  readonly pauseMs: number;
  /** The pause is known to a process in one of its terms, or to all. */
  readonly known: string;
}

/** Remaining numbers of possible events. */
export interface Left {
  readonly moves: number;
  readonly cuts: number;
  readonly kills: number;
  /** Answers that ask for a pause. */
  readonly pauses: number;
}

export interface State {
  readonly nowMs: number;
  readonly sides: readonly [Side, Side];
  /** The process to which the group gives the host. */
  readonly owner: 0 | 1;
  /** The newest fact in the fleet's topic. */
  readonly fact: HostFact | null;
  readonly seen: Seen;
  /** Pages that each crawl still wants, without those that it has asked for. */
  readonly wants: Readonly<Record<Crawl, number>>;
  /** Requests that were answered. */
  readonly made: number;
  readonly left: Left;
}

export function withSide({ sides, ...rest }: State, at: number, change: Partial<Side>): State {
  const side = { ...sides[at]!, ...change };
  return { ...rest, sides: at === 0 ? [side, sides[1]] : [sides[0], side] };
}

/** Writes two words that are equal for equal states. */
export function hashState({ nowMs, sides, owner, fact, seen, wants, made, left }: State, words: Uint32Array): void {
  const parts = sides.map(({ calls, ...side }) => [calls.id, side]);
  hashNumbers([nowMs, owner, made, hashText(JSON.stringify([parts, fact, seen, wants, left]))], words);
}
