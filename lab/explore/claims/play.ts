/** Types and checks that all actions of a world share. */
import type { Control, Discovered, Result } from '../../../schemas/types.ts';
import { LogTree } from '../engine/append-only.ts';
import { Copies } from './copies.ts';
import { Deciders } from './deciders.ts';
import { type Left, type NumberedTask, Parts, type State } from './state.ts';

export interface Play {
  readonly copies: Copies;
  readonly deciders: Deciders;
  readonly parts: Parts;
  readonly topics: Topics;
  /** The events that one run of the world may contain. */
  readonly allowed: Left;
  /** True if an owner notices at once that the changelog has lost one of its acknowledged records. */
  readonly noticesLosses: boolean;
}

export interface Topics {
  readonly control: LogTree<Control>;
  readonly results: LogTree<Result>;
  readonly discovered: LogTree<Discovered>;
  readonly tasks: LogTree<NumberedTask>;
}

/** Nothing fails any more, and there are no outside events. */
export function calm(state: State): State {
  const none = { kills: 0, disks: 0, acks: 0, moves: 0, events: 0, saves: 0, faults: 0 };
  return { ...state, left: { ...none, losses: state.left.losses } };
}

export function createPlay(allowed: Left, noticesLosses: boolean): Play {
  const copies = new Copies();
  const topics = { control: new LogTree(), results: new LogTree(), discovered: new LogTree(), tasks: new LogTree() };
  return {
    copies,
    deciders: new Deciders(copies),
    parts: new Parts(),
    topics: topics as Topics,
    allowed,
    noticesLosses,
  };
}

/** True if the changelog has lost acknowledged records. */
export function hasLost({ allowed }: Play, { left }: State): boolean {
  return left.losses < allowed.losses;
}
