/** The policy of a served crawl: clients fetch, so only settings of queues matter here. */
import { defaultPolicy, type PolicyConfig } from '../../../topology/policy/policy.ts';

/** The first policy of a served crawl; the sender assigns its version. */
export function servedPolicy(): PolicyConfig {
  return {
    ...defaultPolicy(),
    sink: 'pull',
    // A second after a queue's last lease, as in URLFrontier; the duration of fetches is unknown here.
    delayMs: 1_000,
    delayFactor: 0,
    // Clients wait for acks, so queues grow no faster than disks; a crawl that stops taking URLs would lose them.
    queuedMax: 4_000_000_000,
  };
}
