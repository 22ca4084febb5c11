/** The worlds that can be explored, by name. */
import { claimsAllowed, createClaimsWorld, lossesAllowed } from './claims/world.ts';
import type { World } from './engine/explore.ts';

export interface NamedWorld {
  readonly about: string;
  /** The depth that takes about two minutes. */
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
};
