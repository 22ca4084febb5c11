/** Switches to another policy, in slices: first the waits of hosts move, and then the policy is in force. */
import type { Control } from '../../../../schemas/types.ts';
import { compilePolicy, type Policy } from '../../../policy/policy.ts';
import { otherIdentity } from '../../../policy/url-identity.ts';
import { parsePolicy } from '../../../policy/validate.ts';
import { isCrawlDelayTooLong } from '../../../robots/crawl-delay-cap.ts';
import type { Decision } from '../decision.ts';
import { switchHostSlots } from '../leases/host-slots.ts';
import { isAtLimit } from '../politeness.ts';
import { beginRetiming } from './begin-retiming.ts';
import { moveWaits } from './move-waits.ts';
import { setFacts, withPages } from './set-facts.ts';

/**
 * Decides a policy from slice `from` on; returns the next slice, or 'done'. `to`: stops before this slice, at the latest.
 * Slices are numbers of hosts. Until it is done, the partition decides nothing else.
 */
export function decidePolicy(decision: Decision, event: Control, from: number, to?: number): number | 'done' {
  if (event.version <= decision.state.policyVersion) return 'done';
  const next = compiled(decision, event);
  if (next === null) {
    decision.tally('unknownControls');
    return 'done';
  }
  const slice = moveWaits(decision, next, from, to);
  if (slice !== 'done') return slice;
  const former = decision.policy;
  decision.emit({ kind: 'policy', version: event.version, json: event.payload });
  switchHostSlots(decision);
  beginRetiming(decision, former);
  releaseHeld(decision, decision.policy!);
  return 'done';
}

/** null: the policy is invalid, which our own tools never send, and changes nothing. */
function compiled({ policy, lists }: Decision, { payload }: Control): Policy | null {
  try {
    const config = parsePolicy(payload);
    const next = compilePolicy(config, lists);
    // A crawl cannot change the kind of client that takes its leases: the other kind would never learn of current
    // leases.
    if (policy !== null && policy.config.sink !== config.sink) return null;
    // The identity of URLs must not change either, because known URLs are stored by it.
    return policy !== null && otherIdentity(policy.config, config, true) !== null ? null : next;
  } catch {
    return null;
  }
}

/** Hosts that the former policy held, and this one does not. */
function releaseHeld(decision: Decision, policy: Policy): void {
  const { facts } = decision.state.hosts;
  for (const host of decision.state.hosts.values()) {
    const hold = facts.hold(host.id);
    if (hold !== 'crawlDelay' && hold !== 'limit') continue;
    const settings = policy.hostSettings(host.key);
    const changed = withPages(decision, host);
    const isHeld =
      hold === 'limit' ? isAtLimit(settings, changed) : isCrawlDelayTooLong(changed.crawlDelayMs, settings);
    if (!isHeld) setFacts(decision, host.key, { hold: '' });
  }
}
