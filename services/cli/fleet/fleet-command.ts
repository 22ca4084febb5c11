/** `crawlstream fleet`: many crawls in one process, made and ended by HTTP, polite together. */
import type { Command } from 'commander';
import { CrawlstreamError } from '../../../topology/errors.ts';
import { fleetRoutes } from '../../fleet/fleet-routes.ts';
import { addFleetOptions, type FleetFlags } from './fleet-flags.ts';
import { runFleet } from './run-fleet.ts';

export function addFleetCommand(program: Command): void {
  const command = program
    .command('fleet')
    .description('many crawls in one process, made, paused, ended and deleted by HTTP, polite to each host together');
  addFleetOptions(command).action(async (flags: FleetFlags) => {
    if (flags.http === undefined) {
      const message = '--http is missing: crawls are made there, so say where it listens, as in --http 8090';
      throw new CrawlstreamError('INVALID_ARGUMENT', message);
    }
    await runFleet(flags, { role: 'fleet', routes: (desk) => [fleetRoutes(desk)] });
  });
}
