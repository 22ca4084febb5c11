/**
 * The front queue of a page that was just visited, by everything known now: its domain, its in-links, and its change
 * history. It may be better or worse than before. It decides how often the schedule `importance` revisits the page,
 * and which host is leased first when visits are due.
 *
 * Cash does not count here, because a fetched page has passed it on. A page keeps its front queue if cash alone
 * decides, or if an overlay sets the queue.
 */
import type { FreshnessInputs } from '../../../policy/score/inputs.ts';
import type { UrlRecord } from '../../changes/changes.ts';
import type { Host } from '../../state/state.ts';
import type { Decision } from '../decision.ts';
import { linkingDomains } from './budgets.ts';
import { queuedInputs } from './score-inputs.ts';

/** undefined: the page keeps its front queue. */
export function scorerOf(
  decision: Decision,
  host: Host,
  { url, depth }: UrlRecord,
): ((freshness: FreshnessInputs, isFeed: boolean) => number) | undefined {
  const { policy, state } = decision;
  if (policy === null || !policy.scores || policy.byCash) return undefined;
  return (freshness, isFeed) => {
    const given = policy.givenQueueOf(url);
    if (given !== null) return given;
    const [hi, lo] = state.fingerprintOf(url);
    const inLinks = state.inLinks.countOf(hi!, lo!);
    const linking = linkingDomains(decision, host.key);
    const inputs = queuedInputs(url, depth, host.facts, inLinks, linking, null, freshness);
    const page = isFeed ? { ...inputs.page, type: 'feed' as const } : inputs.page;
    return policy.frontQueueOf(url, { ...inputs, page });
  };
}
