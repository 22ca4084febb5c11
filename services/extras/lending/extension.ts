/** Lease clients. */
import { defineExtension } from '../../application/extension/extension.ts';

export const extension = defineExtension({
  name: 'lending',
  about: 'leases URLs of a crawl to programs of others, by HTTP and gRPC',
  leaseClients: async () => (await import('./command/lease-clients.ts')).leaseClients,
});
