/** `crawlstream acls`: what each service must be allowed on the brokers, as a table, as commands, as Strimzi's users, or as JSON. */
import type { Command } from 'commander';

import { CrawlstreamError } from '../../../topology/errors.ts';
import { type Access, type Service, services, servicesOf } from '../../application/access.ts';
import { loadPlugins } from '../../application/plugin/load-plugins.ts';
import { declarationOf } from '../../application/plugin/plugin-processor.ts';
import { withPlugins } from '../../application/plugin/tell-plugins.ts';
import type { Declaration } from '../../application/processor/processor.ts';
import { processors } from '../../application/topology.ts';
import { crawlName } from '../flags/kafka-flags.ts';
import { addPluginOption, type PluginFlags } from '../flags/plugin-flags.ts';
import { toStdout } from '../terminal/door.ts';
import { kafkaUser, manifestText } from './strimzi.ts';

interface AclFlags extends PluginFlags {
  readonly crawl: string;
  readonly commands?: boolean;
  readonly principal?: string;
  readonly strimzi?: string;
  readonly json?: boolean;
}

export function addAclsCommand(program: Command): void {
  const command = program
    .command('acls')
    .description('what each service must be allowed on Kafka brokers with an authorizer')
    .argument(
      '[service]',
      `one of ${services.map(({ name }) => name).join(', ')}, or a consumer of a plugin (default: all)`,
    )
    .option('--crawl <name>', 'name of the crawl: prefix of its topics and groups', crawlName, 'crawl')
    .option('--commands', 'as commands of Kafka’s kafka-acls.sh')
    .option('--principal <name>', 'whom the commands allow it to (default: User: and the service)')
    .option('--strimzi <cluster>', 'as KafkaUser resources for Strimzi’s operator of this Kafka cluster')
    .option('--json', 'as one JSON object');
  addPluginOption(command).action(async (name: string | undefined, flags: AclFlags) => {
    const all = servicesOf(await declared(flags));
    const chosen = all.filter((service) => name === undefined || service.name === name);
    if (chosen.length === 0) {
      const known = all.map((service) => service.name).join(', ');
      throw new CrawlstreamError('INVALID_ARGUMENT', `there is no service ${name}: name one of ${known}`);
    }
    toStdout(printed(chosen, flags));
  });
}

/** A service that runs plugins records them, which needs a right; plugins' consumers are services like ours. */
async function declared(flags: PluginFlags): Promise<readonly Declaration[]> {
  if (flags.plugin === undefined) return processors;
  const plugins = await loadPlugins(flags.plugin, []);
  const ours = processors.map((one) => (/^(fetcher|render)$/.test(one.name) ? withPlugins(one) : one));
  const theirs = plugins.flatMap(({ plugin }) => plugin.processors ?? []).map(declarationOf);
  return [...ours, ...theirs.map(withPlugins)];
}

function printed(chosen: readonly Service[], { crawl, commands, principal, strimzi, json }: AclFlags): string {
  if (strimzi !== undefined) return manifestText(chosen.map((service) => kafkaUser(service, crawl, strimzi)));
  if (json) {
    const told = chosen.map(({ name, does, access }) => ({ service: name, does, access: access(crawl) }));
    return `${JSON.stringify({ crawl, services: told })}\n`;
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
