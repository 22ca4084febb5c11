/** The worlds that can be explored, by name. */
import { claimsAllowed, createClaimsWorld, lossesAllowed } from './claims/world.ts';
import type { World } from './engine/explore.ts';
import { createFleetWorld, fleetAllowed } from './fleet/world.ts';
import { deskWorld, forgetWorld } from './orders/rules.ts';
import { createOrdersWorld } from './orders/world.ts';
import { backAndForth, sharedQuota } from './quota/setting.ts';
import { createQuotaWorld, endAllowed, quotaAllowed } from './quota/world.ts';

export interface NamedWorld {
  readonly about: string;
  /** The depth of `npm run explore` without `--depth`: half a minute to some minutes. */
  readonly depth: number;
  create(): World<unknown>;
}

export const worlds: Readonly<Record<string, NamedWorld>> = {
  claims: {
    about: 'two owners of a partition, two fetchers, two hosts, an order, a move, kills and lost acks',
    depth: 10,
    create: () => createClaimsWorld(claimsAllowed) as World<unknown>,
  },
  losses: {
    about: 'the same where the changelog may also lose its newest record',
    depth: 10,
    create: () => createClaimsWorld(lossesAllowed) as World<unknown>,
  },
  desk: {
    about: 'orders of a host’s webmaster and of the operator, in any order, with a kill',
    depth: 14,
    create: () => createOrdersWorld(deskWorld) as World<unknown>,
  },
  forget: {
    about: 'a page and its host are purged at any moment, beside orders that bring URLs back, with a kill',
    depth: 14,
    create: () => createOrdersWorld(forgetWorld) as World<unknown>,
  },
  quota: {
    about: 'two partitions that share a page quota by messages, which come late, twice, or from the next owner',
    depth: 30,
    create: () => createQuotaWorld(quotaAllowed, sharedQuota) as World<unknown>,
  },
  end: {
    about: 'pages of two partitions lead to each other while a watcher looks at one partition after the other',
    depth: 20,
    create: () => createQuotaWorld(endAllowed, backAndForth) as World<unknown>,
  },
  fleet: {
    about: 'two processes share a host between two crawls; it moves by request, after a kill, or when one is cut off',
    depth: 14,
    create: () => createFleetWorld(fleetAllowed) as World<unknown>,
  },
};
