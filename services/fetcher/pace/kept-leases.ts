/**
 * The leases that a fetcher keeps while its own network is away. Of several fetchers the others take what this one cannot fetch; one
 * that is alone keeps its leases until they end.
 */
import { networkLimits } from '../../../topology/fetch/network-limits.ts';
import type { OwnNetwork } from './own-network.ts';

/** `ownNetwork` as requests wait for it: those of a few leases alone, if there are other fetchers. */
export function keepingFew(ownNetwork: OwnNetwork, isAlone: () => boolean): OwnNetwork {
  let kept = 0;
  return {
    get awaySinceMs() {
      return ownNetwork.awaySinceMs;
    },
    get isUnproven() {
      return ownNetwork.isUnproven;
    },
    judge: ownNetwork.judge,
    wait(asked) {
      if (ownNetwork.awaySinceMs === null) return undefined;
      if (isAlone() || ownNetwork.isUnproven) return ownNetwork.wait(asked);
      if (kept >= networkLimits.keptOfSeveral) return ownNetwork.wait(asked, 0);
      kept += 1;
      return ownNetwork.wait(asked)?.finally(() => (kept -= 1));
    },
  };
}

/** The hosts of a few leases show whether the network is back: those that answered before may be gone for good. */
export function leasesKept(network: OwnNetwork | undefined, leasesMax: number, isAlone: () => boolean): number {
  if (isAlone() || (network?.awaySinceMs ?? null) === null) return leasesMax;
  return Math.min(leasesMax, network?.isUnproven ? networkLimits.unprovenAtOnce : networkLimits.keptOfSeveral);
}
