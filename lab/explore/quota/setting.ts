/**
 * The web of the world `quota`: a host in each of two partitions, with two URLs each. One of the four fails, so that its
 * page of the quota is given back. The quota is smaller than the number of pages.
 */
import { blankControl } from '../../../schemas/blank.ts';
import type { Control } from '../../../schemas/types.ts';
import { defaultPolicy } from '../../../topology/policy/policy.ts';
import { partitionOf } from '../../../topology/url/partition.ts';

export const partitions = 2;
export const pageQuota = 2;
export const startMs = 1_000_000;

const hosts = [0, 1].map((partition) => {
  const names = Array.from({ length: 64 }, (_, n) => `h${n}.test`);
  return names.find((name) => partitionOf(name, partitions) === partition)!;
});

/** Of each partition. */
export const seeds = hosts.map((host) => [`http://${host}/first`, `http://${host}/second`]);

/** True: the URL has a page. */
export function hasPage(url: string): boolean {
  return url !== seeds[0]![0];
}

/** Without delays, so that the order of messages is all that differs. */
export function policyEvent(): Control {
  const policy = { ...defaultPolicy(), delayMs: 0, delayFactor: 0, retriesMs: [], urlsPerLeaseMax: 1, pageQuota };
  return { ...blankControl, kind: 'policy', version: 1, payload: JSON.stringify(policy) };
}
