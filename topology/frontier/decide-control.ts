/** Control events: policies, page quota, operators' words about hosts. */
import type { Control } from '../../schemas/types.ts';
import { compilePolicy } from '../policy/policy.ts';
import { parsePolicy } from '../policy/validate.ts';
import type { HostFacts } from './changes.ts';
import { newHostFacts } from './changes.ts';
import { decideQuotaGrant, decideQuotaReport } from './decide-quota.ts';
import type { Decision } from './decision.ts';

export function decideControl(decision: Decision, event: Control): void {
  const { state } = decision;
  switch (event.kind) {
    case 'policy':
      if (event.version > state.policyVersion) switchPolicy(decision, event);
      return;
    case 'quota':
      return decideQuotaGrant(decision, event);
    case 'quotaReport':
      return decideQuotaReport(decision, event);
    case 'blockHost':
      return setFacts(decision, event.hostKey, { hold: 'blocked' });
    case 'releaseHost':
      return setFacts(decision, event.hostKey, { hold: '', deadUntilMs: 0, failures: 0, throttles: 0 });
    case 'hostDelay':
      return setFacts(decision, event.hostKey, { ownDelayMs: event.amount });
    default:
      decision.tally('unknownControls');
  }
}

/** An invalid policy never gets here from our own tools; from others it is counted and changes nothing. */
function switchPolicy(decision: Decision, event: Control): void {
  try {
    compilePolicy(parsePolicy(event.payload));
  } catch {
    decision.tally('unknownControls');
    return;
  }
  decision.emit({ kind: 'policy', version: event.version, json: event.payload });
  const capMs = decision.policy!.config.crawlDelayCapMs;
  for (const host of decision.state.hostsById) {
    if (host.facts.hold === 'crawlDelay' && host.facts.crawlDelayMs <= capMs)
      setFacts(decision, host.key, { hold: '' });
  }
}

function setFacts(decision: Decision, hostKey: string, change: Partial<HostFacts>): void {
  const facts = decision.state.hosts.get(hostKey)?.facts ?? newHostFacts;
  decision.emit({ kind: 'host', hostKey, facts: { ...facts, ...change } });
}
