/** The policy and the operators' orders in force, and what in a fetcher follows them. */
import { crawlLimits } from '../../topology/policy/crawl-limits.ts';
import type { FetcherHttp } from './fetcher-http.ts';
import type { Running } from './fetcher-options.ts';
import type { FetcherRecords } from './fetcher-records.ts';
import { createHooks, type Hooks } from './hooks/run-hooks.ts';
import { type BlockedHosts, watchBlockedHosts } from './leases/blocked-hosts.ts';
import { createHostSlots, type HostSlots } from './leases/host-slots.ts';
import { type AddressPacer, createAddressPacer } from './pace/address-pacer.ts';
import { type Bandwidth, createBandwidth } from './pace/bandwidth.ts';
import type { Payments } from './pay/payments.ts';
import { followPolicy } from './policy-in-force.ts';

export interface FetcherOrders {
  readonly hostSlots: HostSlots;
  readonly policies: ReturnType<typeof followPolicy>;
  readonly bandwidth: Bandwidth;
  readonly addressPacer: AddressPacer;
  readonly hooks: Hooks | undefined;
  readonly payments: Payments | undefined;
  readonly blockedHosts: BlockedHosts;
}

export function followOrders(
  { options, clock, signal, fail }: Running,
  { exchanges }: Pick<FetcherRecords, 'exchanges'>,
  { signer }: Pick<FetcherHttp, 'signer'>,
): FetcherOrders {
  const { log, codec, crawl, partitions, config } = options;
  const hostSlots = createHostSlots();
  const policies = followPolicy();
  const bandwidth = options.bandwidth ?? createBandwidth(options.clock, config.groupSize);
  const addressPacer =
    options.addressPacer ?? createAddressPacer(options.clock, config.addressDelayMs, config.groupSize);
  const hooks = config.hooks === undefined ? undefined : createHooks(config.hooks);
  const payments =
    hooks &&
    config.openPayments?.({
      ...{ log, codec, crawl, hooks, signal, clock: options.clock },
      policy: () => policies.now.pay,
      by: `fetcher ${options.fetcherId}`,
    });
  const blockedHosts = watchBlockedHosts({
    clock,
    log,
    codec,
    crawl,
    partitions,
    onPause: hostSlots.pause,
    onSigningKey: (key) => signer?.use(key, options.clock.nowMs()),
    ...(payments !== undefined && { onPayment: payments.take }),
    onPolicy: (policy, version, payload) => {
      exchanges?.setPolicy(version, payload);
      const { bytesPerSecond, addressDelayMs = crawlLimits.addressDelayMs } = policy;
      policies.follow(policy);
      bandwidth.setRate(bytesPerSecond ?? null);
      // A replacement for HTTP has no addresses.
      if (config.addressDelayMs > 0) addressPacer.setDelay(addressDelayMs);
      config.onPolicy?.(policy, config.say ?? (() => {}));
    },
    onFailure: fail,
  });
  return { hostSlots, policies, bandwidth, addressPacer, hooks, payments, blockedHosts };
}
