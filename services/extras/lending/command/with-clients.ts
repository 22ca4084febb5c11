/** The effect of `--clients` on the other options of `crawl`. */
import type { PolicyConfig } from '../../../../topology/policy/policy.ts';
import type { ScopeKind } from '../../../../topology/url/scope.ts';
import { bad } from '../../../runtime/option-text.ts';
import { clientTimeMs } from './lending-of.ts';

/** Clients connect to the process with the log and the frontier. Throws INVALID_ARGUMENT. */
export function oneWorker(workers = 1): number {
  if (workers === 1) return workers;
  throw bad(
    '--workers',
    `${workers}`,
    'with --clients, only one process can lease URLs: remove this option, or set it to 1',
  );
}

/** Without seeds, what clients add is all there is to stay near. */
export function withClients<T extends { readonly leaseTime?: number; readonly scope?: ScopeKind }>(
  flags: T,
  seeds: readonly string[],
  before: PolicyConfig | null,
): T {
  const leaseTime = flags.leaseTime ?? (before?.leaseMarginMs === undefined ? clientTimeMs : undefined);
  const isOpen = seeds.length === 0 && before === null && flags.scope === undefined;
  return { ...flags, ...(leaseTime !== undefined && { leaseTime }), ...(isOpen && { scope: 'all' as const }) };
}
