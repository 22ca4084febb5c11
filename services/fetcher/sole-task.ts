/** A lease of one URL that nobody granted, for readers of pages that were fetched before: no delays, no deadline. */
import type { Task } from '../../schemas/types.ts';

export function soleTask(url: string, hostKey: string, depth: number): Task {
  return {
    partition: 0,
    epoch: 0,
    leaseId: 0,
    hostKey,
    grantedAtMs: 0,
    deadlineMs: 0,
    lanes: 1,
    notBeforeMs: 0,
    delayMs: 0,
    crawlDelayCapMs: 0,
    delayFactor: 0,
    signatures: false,
    policyVersion: 0,
    robotsHops: [],
    urls: [{ url, depth, hop: 0, attempt: 0, etag: '', lastModified: '', cash: 0, traceparent: '' }],
  };
}
