/**
 * The webs of the worlds `quota` and `end`: a host in each of two partitions. In `quota` the quota is smaller than the
 * number of pages; in `end` a page of one partition leads to the other.
 */
import { blankControl } from '../../../schemas/blank.ts';
import type { Control } from '../../../schemas/types.ts';
import { defaultPolicy } from '../../../topology/policy/policy.ts';
import { partitionOf } from '../../../topology/url/partition.ts';

export const partitions = 2;
export const startMs = 1_000_000;

const hosts = [0, 1].map((partition) => {
  const names = Array.from({ length: 64 }, (_, n) => `h${n}.test`);
  return names.find((name) => partitionOf(name, partitions) === partition)!;
});

/** A crawl, as two partitions share it. */
export interface Setting {
  /** Of each partition. */
  readonly seeds: readonly (readonly string[])[];
  /** null: none. */
  readonly pageQuota: number | null;
  /** Pages that are fetched at the end. */
  readonly pages: number;
}

/** Fails, so that its page of the quota is given back. */
const failing = `http://${hosts[0]}/first`;
/** Each page has a link to the next one, in the other partition. */
const chain = [1, 0, 1, 0].map((partition, n) => `http://${hosts[partition]}/page${n}`);

export const sharedQuota: Setting = {
  seeds: [
    [failing, `http://${hosts[0]}/second`],
    [`http://${hosts[1]}/first`, `http://${hosts[1]}/second`],
  ],
  pageQuota: 2,
  pages: 2,
};

/** One partition has nothing to do until a page of the other one leads there, in turn. */
export const backAndForth: Setting = { seeds: [[], [chain[0]!]], pageQuota: null, pages: chain.length };

/** True: the URL has a page. */
export function hasPage(url: string): boolean {
  return url !== failing;
}

/** The link of a page, and its partition; undefined: it has none. */
export function linkOf(url: string): { readonly url: string; readonly partition: number } | undefined {
  const next = chain.includes(url) ? chain[chain.indexOf(url) + 1] : undefined;
  return next === undefined ? undefined : { url: next, partition: chain.indexOf(next) % 2 === 0 ? 1 : 0 };
}

/** Without delays, so that the order of messages is all that differs. */
export function policyEvent({ pageQuota }: Setting): Control {
  const policy = { ...defaultPolicy(), delayMs: 0, delayFactor: 0, retriesMs: [], urlsPerLeaseMax: 1, pageQuota };
  return { ...blankControl, kind: 'policy', version: 1, payload: JSON.stringify(policy) };
}
