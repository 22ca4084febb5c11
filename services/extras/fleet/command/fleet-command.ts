/** `crawlstream fleet`: many crawls in one process, managed by HTTP, with one clock for each host. */
import type { Command } from 'commander';
import { CrawlstreamError } from '../../../../topology/errors.ts';
import { setting } from '../../../cli/flags/setting.ts';
import { rulesFile } from '../../../hosting/options/rules-file.ts';
import { ownersOf, ownersSchema } from '../owners/owner-file.ts';
import { CrawlDashboards } from './crawl-dashboards.ts';
import { addFleetOptions, type FleetFlags } from './fleet-flags.ts';
import { fleetHttp } from './fleet-http.ts';
import { addKafkaFleetOptions, checkConsumers, type KafkaFleetFlags } from './kafka-fleet-flags.ts';
import { runConsumersRole } from './run-consumers-role.ts';
import { runFetcherRole } from './run-fetcher-role.ts';
import { type FleetCommand, runFleet } from './run-fleet.ts';
import { runKafkaFleet } from './run-kafka-fleet.ts';

const readFile = rulesFile('--owners', ownersSchema, []);

export function addFleetCommand(program: Command): void {
  const command = program
    .command('fleet')
    .description('run many crawls, managed by HTTP; together they keep one delay for each host');
  addKafkaFleetOptions(addFleetOptions(command)).addOption(
    setting(
      '--owners <file>',
      'owners with keys and quotas (YAML or JSON file); every call then needs a key',
      'a fleet of one team needs no keys',
    ),
  );
  command.action(async ({ owners, ...flags }: FleetFlags & KafkaFleetFlags & { readonly owners?: string }) => {
    const isOnKafka = [flags.brokers, flags.fleet, flags.registry, flags.role].some((one) => one !== undefined);
    checkConsumers(flags);
    if (flags.role === 'consumers') return runConsumersRole(flags);
    if (flags.role === 'fetcher') {
      if (owners === undefined) return runFetcherRole(flags);
      const message =
        '--owners has no effect with --role fetcher: give it to the process with --role frontier, which answers calls';
      throw new CrawlstreamError('INVALID_ARGUMENT', message);
    }
    if (flags.http === undefined) {
      const message = '--http is missing: it is the address for creating crawls, as in --http 8090';
      throw new CrawlstreamError('INVALID_ARGUMENT', message);
    }
    const dashboards = new CrawlDashboards();
    const fleet: FleetCommand = {
      dashboards,
      role: 'fleet',
      routes: fleetHttp(dashboards),
      owners: owners === undefined ? undefined : () => ownersOf(readFile(owners)),
    };
    await (isOnKafka ? runKafkaFleet(flags, fleet) : runFleet(flags, fleet));
  });
}
