/** Lease clients, as commands that fetch enable them. */
import type { LeaseClients } from '../../../application/extension/lease-clients.ts';
import { leaseRoutes } from '../lease-routes.ts';
import { withClientsGrpc } from './lease-server.ts';
import { addClientsOption } from './lending-flags.ts';
import { type LendingFlags, lendingOf } from './lending-of.ts';
import { oneWorker, withClients } from './with-clients.ts';

export const leaseClients: LeaseClients = {
  addOptions: addClientsOption,
  open(options: LendingFlags, hasHttp, clock) {
    const lending = lendingOf(options, hasHttp, clock);
    if (lending === undefined) return undefined;
    return {
      outside: lending.outside(options.clients === 'only'),
      routes: leaseRoutes(lending),
      serve: (say, act) => withClientsGrpc(options, lending, say, act),
      open: (crawl) => lending.open(crawl),
      close: () => lending.close(),
      look: () => lending.look(),
      workersOf: oneWorker,
      policyOptions: withClients,
    };
  },
};
