/**
 * The intended uses in a crawl's policies, read from `control` as plain JSON: by version, each with the time when it
 * was set.
 */
import { readRecord } from '../../runtime/avro/read-record.ts';
import { recordsOf } from '../../runtime/log/records-of.ts';
import type { AuditSource } from './run-audit.ts';

export interface UsagePolicies {
  /**
   * Uses for which a page that is barred from them must not have been published: those in the policy of its lease,
   * and in each policy set from then until the fetch.
   */
  barring(leaseVersion: number, fetchedAtMs: number): readonly string[];
}

export async function usagePolicies({ log, codec, crawl, partitions }: AuditSource): Promise<UsagePolicies> {
  const policies = new Map<number, { readonly uses: readonly string[]; readonly atMs: number }>();
  for (let partition = 0; partition < partitions; partition++) {
    const { start, end } = await log.offsets(`${crawl}.control`, partition);
    for await (const { value } of recordsOf(log, `${crawl}.control`, partition, start, end)) {
      const event = await readRecord(codec, 'control', value);
      if (event?.kind !== 'policy' || policies.has(event.version)) continue;
      policies.set(event.version, { uses: usesIn(event.payload), atMs: event.atMs });
    }
  }
  return {
    barring(leaseVersion, fetchedAtMs) {
      const first = policies.get(leaseVersion)?.uses ?? [];
      const since = [...policies].filter(([version, { atMs }]) => version > leaseVersion && atMs <= fetchedAtMs);
      return first.filter((use) => since.every(([, { uses }]) => uses.includes(use)));
    },
  };
}

/** None if a page with a barred use is published with its mark. */
function usesIn(payload: string): readonly string[] {
  try {
    const { uses, usesBarred } = JSON.parse(payload) as { readonly uses?: unknown; readonly usesBarred?: unknown };
    return Array.isArray(uses) && usesBarred !== 'mark' ? uses.filter((use) => typeof use === 'string') : [];
  } catch {
    return [];
  }
}
