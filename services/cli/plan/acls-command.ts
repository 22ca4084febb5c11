/** `crawlstream acls`: what each service must be allowed on the brokers, as a table, as commands, as Strimzi's users, or as JSON. */
import type { Command } from 'commander';

import { invalid } from '../../../topology/errors.ts';
import { type Access, type Service, services, servicesOf } from '../../application/access.ts';
import { fleetServices, servicesBesideFleet } from '../../application/fleet-access.ts';
import { loadPlugins } from '../../application/plugin/load-plugins.ts';
import { declarationOf } from '../../application/plugin/plugin-processor.ts';
import { withPlugins } from '../../application/plugin/record-plugins.ts';
import type { Declaration } from '../../application/processor/processor.ts';
import { processors } from '../../application/topology.ts';
import type { PluginFlags } from '../../hosting/options/plugins.ts';
import { kafkaUser, manifestText } from '../../planning/strimzi.ts';
import { toStdout } from '../../runtime/logging/door.ts';
import { crawlName, fleetName } from '../flags/kafka-flags.ts';
import { addPluginOption } from '../flags/plugin-flags.ts';

interface AclFlags extends PluginFlags {
  readonly crawl: string;
  readonly fleet?: string;
  readonly commands?: boolean;
  readonly principal?: string;
  readonly strimzi?: string;
  readonly json?: boolean;
}

export function addAclsCommand(program: Command): void {
  const command = program
    .command('acls')
    .description('print the rights that each service needs on Kafka brokers')
    .argument(
      '[service]',
      `one of ${services.map(({ name }) => name).join(', ')}, or a consumer of a plugin; with --fleet, one of ${fleetServices.map(({ name }) => name).join(', ')} (default: all)`,
    )
    .option('--crawl <name>', 'name of the crawl; the prefix of its topics and groups', crawlName, 'crawl')
    .option('--fleet <name>', 'fleet on Kafka instead of a crawl: rights for all names that begin with it', fleetName)
    .option('--commands', 'print commands for Kafka’s kafka-acls.sh')
    .option('--principal <name>', 'principal that gets the rights (default: User: and the service)')
    .option('--strimzi <cluster>', 'print KafkaUser resources for Strimzi and this Kafka cluster')
    .option('--json', 'print one JSON object');
  addPluginOption(command).action(async (name: string | undefined, flags: AclFlags) => {
    if (flags.fleet !== undefined && command.getOptionValueSource('crawl') !== 'default')
      throw invalid(
        '--crawl and --fleet exclude each other: remove one; for one crawl of a fleet, give --crawl FLEET.CRAWL',
      );
    const all = await servicesFor(flags);
    const chosen = all.filter((service) => name === undefined || service.name === name);
    if (chosen.length === 0) throw invalid(unknownService(name!, all, flags));
    toStdout(printed(chosen, flags));
  });
}

/** The rights of a crawl's services, as the command prints them: deploy/KAFKA.md has this text. */
export function aclsText(crawl: string): string {
  return printed(servicesOf(processors), { crawl });
}

async function servicesFor(flags: AclFlags): Promise<readonly Service[]> {
  const isOfFleet = flags.fleet !== undefined || flags.crawl.includes('.');
  if (!isOfFleet) return servicesOf(await declared(flags));
  if (flags.plugin !== undefined)
    throw invalid('--plugin cannot be used with --fleet, since fleets run without plugins: remove it');
  return flags.fleet === undefined ? servicesBesideFleet : fleetServices;
}

function unknownService(name: string, all: readonly Service[], { crawl, fleet }: AclFlags): string {
  const known = all.map((service) => service.name).join(', ');
  if (fleet === undefined && !crawl.includes('.')) return `there is no service ${name}: give one of ${known}`;
  const whole = fleet ?? crawl.split('.')[0];
  return `${name} is not a service of a fleet: give one of ${known}, as in crawlstream acls --fleet ${whole}`;
}

/** A service that runs plugins records them, which needs a right; plugins' consumers are services like ours. */
async function declared(flags: PluginFlags): Promise<readonly Declaration[]> {
  if (flags.plugin === undefined) return processors;
  const plugins = await loadPlugins(flags.plugin, []);
  const ours = processors.map((one) => (/^(fetcher|render)$/.test(one.name) ? withPlugins(one) : one));
  const theirs = plugins.flatMap(({ plugin }) => plugin.processors ?? []).map(declarationOf);
  return [...ours, ...theirs.map(withPlugins)];
}

function printed(chosen: readonly Service[], flags: AclFlags): string {
  const { fleet, commands, principal, strimzi, json } = flags;
  const crawl = fleet ?? flags.crawl;
  if (strimzi !== undefined) return manifestText(chosen.map((service) => kafkaUser(service, crawl, strimzi)));
  if (json) {
    const output = chosen.map(({ name, does, access }) => ({ service: name, does, access: access(crawl) }));
    return `${JSON.stringify({ ...(fleet === undefined ? { crawl } : { fleet }), services: output })}\n`;
  }
  if (commands) {
    const lines = chosen.flatMap(({ name, access }) =>
      access(crawl).map((one) => commandOf(one, principal ?? `User:${name}`)),
    );
    return `${lines.join('\n')}\n`;
  }
  return chosen.map(({ name, does, access }) => `${name}: ${does}\n${access(crawl).map(lineOf).join('')}`).join('\n');
}

function lineOf({ resource, name, pattern, operations }: Access): string {
  return `  ${resource.padEnd(6)} ${`${name}${pattern === 'Prefixed' ? '*' : ''}`.padEnd(30)} ${operations.join(', ')}\n`;
}

function commandOf({ resource, name, pattern, operations }: Access, principal: string): string {
  const allowed = operations.map((operation) => `--operation ${operation}`).join(' ');
  const what = `--${resource.toLowerCase()} ${name} --resource-pattern-type ${pattern.toLowerCase()}`;
  return `kafka-acls.sh --bootstrap-server $BROKERS --command-config admin.properties --add --allow-principal ${principal} ${allowed} ${what}`;
}
