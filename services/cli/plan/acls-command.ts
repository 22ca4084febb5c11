/** `crawlstream acls`: what each service must be allowed on the brokers, as a table, as commands, as Strimzi's users, or as JSON. */
import type { Command } from 'commander';
import { CrawlstreamError } from '../../../topology/errors.ts';
import { type Access, type Service, services } from '../../application/access.ts';
import { crawlName } from '../flags/kafka-flags.ts';
import { toStdout } from '../terminal/door.ts';
import { kafkaUser, manifestText } from './strimzi.ts';

interface AclFlags {
  readonly crawl: string;
  readonly commands?: boolean;
  readonly principal?: string;
  readonly strimzi?: string;
  readonly json?: boolean;
}

export function addAclsCommand(program: Command): void {
  program
    .command('acls')
    .description('what each service must be allowed on Kafka brokers with an authorizer')
    .argument('[service]', `one of ${services.map(({ name }) => name).join(', ')} (default: all)`)
    .option('--crawl <name>', 'name of the crawl: prefix of its topics and groups', crawlName, 'crawl')
    .option('--commands', 'as commands of Kafka’s kafka-acls.sh')
    .option('--principal <name>', 'whom the commands allow it to (default: User: and the service)')
    .option('--strimzi <cluster>', 'as KafkaUser resources for Strimzi’s operator of this Kafka cluster')
    .option('--json', 'as one JSON object')
    .action((name: string | undefined, flags: AclFlags) => {
      const chosen = services.filter((service) => name === undefined || service.name === name);
      if (chosen.length === 0) {
        const known = services.map((service) => service.name).join(', ');
        throw new CrawlstreamError('INVALID_ARGUMENT', `there is no service ${name}: name one of ${known}`);
      }
      toStdout(printed(chosen, flags));
    });
}

function printed(chosen: readonly Service[], { crawl, commands, principal, strimzi, json }: AclFlags): string {
  if (strimzi !== undefined) return manifestText(chosen.map((service) => kafkaUser(service, crawl, strimzi)));
  if (json) {
    const all = chosen.map(({ name, does, access }) => ({ service: name, does, access: access(crawl) }));
    return `${JSON.stringify({ crawl, services: all })}\n`;
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
