/** The policy of a served crawl: clients fetch, so only what is about queues matters here. */
import { defaultPolicy, type PolicyConfig } from '../../../topology/policy/policy.ts';

/** The first policy of a served crawl; the sender gives it a version. */
export function servedPolicy(): PolicyConfig {
  return {
    ...defaultPolicy(),
    sink: 'pull',
    // A second after a queue last gave URLs, as in URLFrontier; how long fetches take is not known here.
    delayMs: 1_000,
    delayFactor: 0,
    // Clients wait for acks, so queues grow no faster than disks; a crawl that stops taking URLs would lose them.
    queuedMax: 4_000_000_000,
  };
}
