/** `/v1/owners`: usage and quotas. */
import { ownersAnswer } from '../fleet-schemas.ts';
import { json, type RoutesOf } from './fleet-route.ts';

export const ownerRoutes: RoutesOf = (access) => [
  {
    method: 'get',
    path: '/v1/owners',
    operationId: 'owners',
    summary: 'Owners with their usage and quotas.',
    tag: 'owners',
    answers: { '200': json('All owners, or only the caller.', { ownersAnswer }) },
    handle(request) {
      const { quotas, fleet } = access.parts();
      const caller = access.callerOf(request);
      const all = quotas?.status(fleet.list(caller?.name)) ?? [];
      return { owners: all.filter(({ name }) => caller === null || name === caller.name) };
    },
  },
];
