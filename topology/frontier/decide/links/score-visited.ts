/**
 * The front queue of a page that was just visited, by all that is known now: its domain, its in-links, and what its visits
 * have told of its changes. It may be a better one than before, or a worse one. What goes by it: how often the schedule
 * `importance` comes again, and which host is leased first when its visits are due.
 *
 * Cash has no say: a page that was fetched has handed on what it held. Where cash alone decides, and where an overlay does,
 * a page stays where it is.
 */
import type { FreshnessInputs } from '../../../policy/score/inputs.ts';
import type { UrlRecord } from '../../changes/changes.ts';
import type { Host } from '../../state/state.ts';
import type { Decision } from '../decision.ts';
import { linkingDomains } from './budgets.ts';
import { queuedInputs } from './score-inputs.ts';

/** undefined: nothing but what it came with says where it belongs. */
export function scorerOf(
  decision: Decision,
  host: Host,
  { url, depth }: UrlRecord,
): ((freshness: FreshnessInputs) => number) | undefined {
  const { policy, state } = decision;
  if (policy === null || !policy.scores || policy.byCash) return undefined;
  return (freshness) => {
    const given = policy.givenQueueOf(url);
    if (given !== null) return given;
    const [hi, lo] = state.fingerprintOf(url);
    const inLinks = state.inLinks.countOf(hi!, lo!);
    const linking = policy.config.budget === undefined ? null : linkingDomains(decision, host.key);
    return policy.frontQueueOf(url, queuedInputs(url, depth, host.facts, inLinks, linking, null, freshness));
  };
}
