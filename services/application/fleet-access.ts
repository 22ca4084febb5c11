/**
 * The rights of a fleet on Kafka on a broker with an authorizer, and the rights of services that read its crawls. A
 * fleet creates and deletes crawls while it runs, so it has all rights on names that begin with its own name and a
 * dot. Most topics of a fleet's crawl are stored together (services/runtime/log/folded/fold.ts).
 */
import { fleetFetchersGroup, fleetGroup } from '../runtime/crawl/fleet-names.ts';
import { type Apart, heldBy, ownResponses } from '../runtime/log/folded/fold.ts';
import { type Access, type Operation, people, type Service, services } from './access.ts';

/** Services with access by the name of the fleet. */
export const fleetServices: readonly Service[] = [
  {
    name: 'fleet',
    does: 'runs the crawls of a fleet or stands by; makes and deletes their topics',
    access: (fleet) => [
      {
        resource: 'Topic',
        name: `${fleet}.`,
        pattern: 'Prefixed',
        operations: ['Create', 'Delete', 'Describe', 'DescribeConfigs', 'Read', 'Write'],
      },
      { resource: 'Group', name: fleetGroup(fleet), pattern: 'Literal', operations: ['Read'] },
      // A process with its own fetcher waits until these fetchers have ended.
      { resource: 'Group', name: fleetFetchersGroup(fleet), pattern: 'Literal', operations: ['Describe'] },
    ],
  },
  {
    name: 'fetcher',
    does: 'fetches for the crawls of a fleet that `fleet --role frontier` runs',
    access: (fleet) => [
      { resource: 'Topic', name: `${fleet}.`, pattern: 'Prefixed', operations: ['Describe', 'Read', 'Write'] },
      { resource: 'Group', name: fleetFetchersGroup(fleet), pattern: 'Literal', operations: ['Read'] },
    ],
  },
  {
    name: 'consumers',
    does: 'runs consumers for all crawls of a fleet, as `fleet --role consumers` does',
    access: (fleet) => [
      {
        resource: 'Topic',
        name: `${fleet}.`,
        pattern: 'Prefixed',
        operations: ['Describe', 'DescribeConfigs', 'Read', 'Write'],
      },
      { resource: 'Group', name: `${fleet}.`, pattern: 'Prefixed', operations: ['Describe', 'Read'] },
    ],
  },
  ...people.filter(({ name }) => name === 'operator'),
];

/** Processors that contact hosts: only a fleet knows when the hosts of its crawls were contacted. */
export const contactHosts: ReadonlySet<string> = new Set(['frontier', 'fetcher', 'render']);

/** Services outside the fleet, with access by the full name of a crawl, `FLEET.CRAWL`. */
export const servicesBesideFleet: readonly Service[] = services
  .filter(({ name }) => !contactHosts.has(name))
  .map((one) => ({ ...one, access: (crawl) => folded(one.access(crawl), new Set([ownResponses(crawl)])) }));

function folded(access: readonly Access[], apart: Apart): Access[] {
  const all = new Map<string, Access>();
  for (const one of access) {
    const name = one.resource === 'Topic' && one.pattern === 'Literal' ? heldBy(one.name, apart) : one.name;
    const key = `${one.resource} ${one.pattern} ${name}`;
    const before: readonly Operation[] = all.get(key)?.operations ?? [];
    all.set(key, { ...one, name, operations: [...new Set([...before, ...one.operations])] });
  }
  return [...all.values()];
}
