/** `crawlstream frontier` and `crawlstream fetcher`: one role each, as members of a crawl on Kafka, until stopped. */
import type { Command } from 'commander';
import type { CrawlPart } from '../../application/extension/crawl-part.ts';
import type { AddCommands } from '../../application/extension/extension.ts';
import type { LeaseClients } from '../../application/extension/lease-clients.ts';
import { QueryService } from '../../hosting/roles/query-service.ts';
import { type FrontierFlags, keepFetcher, keepFrontier } from '../../hosting/roles/run-role.ts';
import { SystemClock } from '../../runtime/clock.ts';
import { addFetcherOptions } from '../flags/fetcher-flags.ts';
import { addHttpOption } from '../flags/http-flags.ts';
import { addCompressionOption, addKafkaOptions } from '../flags/kafka-flags.ts';
import { addPluginOption } from '../flags/plugin-flags.ts';
import { addSeenOptions } from '../flags/seen-flags.ts';
import { addSnapshotOptions } from '../flags/snapshot-flags.ts';
import { addOtlpOption } from '../flags/trace-flags.ts';
import { addMemberOptions } from './member-flags.ts';

/** `clients` undefined: this program has no lease clients. */
export function roleCommands(clients: LeaseClients | undefined, parts: readonly CrawlPart[]): AddCommands {
  return (program) => {
    addFrontier(program, parts);
    addFetcher(program, clients);
  };
}

function addFrontier(program: Command, parts: readonly CrawlPart[]): void {
  const frontier = addKafkaOptions(
    addSeenOptions(
      program.command('frontier').description('own partitions of a crawl on Kafka: admit, order and lease its URLs'),
    ),
    'folder for this process’s state (default: crawl-data/ and the name of the crawl)',
  );
  const ownOptions = addSnapshotOptions(addMemberOptions(addCompressionOption(frontier)));
  addOtlpOption(addHttpOption(ownOptions)).action((flags: FrontierFlags) =>
    keepFrontier(flags, new QueryService(new SystemClock(), parts, flags)),
  );
}

function addFetcher(program: Command, clients: LeaseClients | undefined): void {
  const fetcher = addKafkaOptions(
    addFetcherOptions(
      program.command('fetcher').description('fetch URLs of a crawl on Kafka; the frontier leases them to fetchers'),
    ),
    'not used: a fetcher keeps nothing',
  );
  clients?.addOptions(fetcher);
  addOtlpOption(addHttpOption(addCompressionOption(addPluginOption(fetcher)))).action(
    (flags: Parameters<typeof keepFetcher>[0]) => keepFetcher(flags, clients),
  );
}
