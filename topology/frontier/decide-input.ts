/** Decides one record of an input. */
import type { Control, Discovered, Result } from '../../schemas/types.ts';
import type { Policy } from '../policy/policy.ts';
import type { Waiting } from './checkpoint/read-rows.ts';
import { decideControl } from './decide/control/control.ts';
import type { Decision } from './decide/decision.ts';
import { decideDiscovered } from './decide/links/discovered.ts';
import type { Growth } from './decide/links/growth.ts';
import { isAboutHost } from './decide/misrouted.ts';
import { decideResult } from './decide/results/results.ts';
import type { Input } from './partition.ts';
import { refusedDeadLetters, unreadable } from './unreadable.ts';

/** The context of a decision on a record, beside the state. */
export interface InputSide {
  readonly policy: Policy | null;
  readonly growth: Growth;
  /** For an event that names URLs: the places where they wait. */
  readonly named: readonly Waiting[];
  /** Latest slice to decide. Absent: to the end. */
  readonly to?: number | undefined;
}

/** The next slice, or 'done'. */
export function decideInput(decision: Decision, input: Input, side: InputSide): number | 'done' {
  const { identity, nowMs } = decision;
  if (input.record === null) {
    decision.tally('undecodable');
    decision.deadLetters.push(unreadable(identity, input, nowMs));
    return 'done';
  }
  decision.misrouted.arrives(input);
  const slice = decideRecord(decision, input, side);
  const { refusals = [] } = input;
  if (slice !== 'done' || refusals.length === 0) return slice;
  decision.tally('undecodable', refusals.length);
  decision.deadLetters.push(...refusedDeadLetters(identity, input, refusals, nowMs));
  return slice;
}

function decideRecord(decision: Decision, { topic, offset, record }: Input, side: InputSide): number | 'done' {
  if (topic === 'discovered') {
    const at = decision.state.positions.discovered;
    const from = at.offset === offset ? at.slice : 0;
    return decideDiscovered(decision, side.policy!, record as Discovered, from, side.growth, side.to);
  }
  if (topic === 'control') {
    const at = decision.state.positions.control;
    return decideEvent(decision, record as Control, side, at.offset === offset ? at.slice : 0);
  }
  decideReport(decision, record as Result);
  return 'done';
}

function decideEvent(decision: Decision, event: Control, { named, to }: InputSide, from: number): number | 'done' {
  if (!isAboutHost(event) || decision.isOurs(event.hostKey)) return decideControl(decision, event, named, from, to);
  decision.tally('misrouted');
  decision.misrouted.control(event);
  return 'done';
}

function decideReport(decision: Decision, result: Result): void {
  if (decision.isOurs(result.hostKey)) return decideResult(decision, result);
  decision.tally('misrouted');
  decision.misrouted.result(result);
}
