/** Payments for plugins that pay. */
import { invalid } from '../../../topology/errors.ts';
import type { FetcherConfig } from '../../fetcher/fetcher-config.ts';
import type { NamedHooks } from '../../fetcher/hooks/fetch-hooks.ts';
import { openPaymentsOf } from '../extension/offers.ts';

/** Empty if none pays. Throws INVALID_ARGUMENT if one does, and this program has no extra for payments, or several. */
export async function paymentsOf(plugins: readonly NamedHooks[]): Promise<Pick<FetcherConfig, 'openPayments'>> {
  const payer = plugins.find(({ pay }) => pay !== undefined);
  if (payer === undefined) return {};
  // Loaded for plugins that pay alone: a fetch worker has no other use for extras.
  const { installed } = await import('../../extras/installed.ts');
  const openPayments = await openPaymentsOf(installed);
  if (openPayments === undefined)
    throw invalid(`plugin ${payer.name} pays for pages, but this program lacks the extra payments: remove its pay`);
  return { openPayments };
}
