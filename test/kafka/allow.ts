/** Rights on a broker with an authorizer, as `crawlstream acls` lists them. */
import { readFile } from 'node:fs/promises';
import { type AclEntry, Kafka, logLevel } from 'kafkajs';
import { lastJson, runCommand } from '../../lab/process/command.ts';
import { passwordOf, type SecuredBroker } from './secured-broker.ts';

/** What `crawlstream acls` prints with these arguments, as rules of the broker: each service is a user of its name. */
export async function allow(broker: SecuredBroker, args: readonly string[]): Promise<void> {
  const ssl = { ca: await readFile(broker.ca, 'utf8') };
  const sasl = { mechanism: 'plain', username: 'admin', password: passwordOf('admin') } as const;
  const brokers = broker.brokers.split(',');
  const admin = new Kafka({ clientId: 'acls', brokers, ssl, sasl, logLevel: logLevel.NOTHING }).admin();
  await admin.connect();
  const printed = lastJson(await runCommand(['acls', ...args, '--json']));
  const acl: AclEntry[] = [];
  for (const { service, access } of printed['services'] as { service: string; access: Rule[] }[]) {
    for (const { resource, name, pattern, operations } of access) {
      for (const operation of operations) {
        acl.push({
          resourceType: resource === 'Topic' ? 2 : 3,
          resourceName: name,
          resourcePatternType: pattern === 'Prefixed' ? 4 : 3,
          principal: `User:${service}`,
          host: '*',
          operation: operationNumbers[operation]!,
          permissionType: 3,
        });
      }
    }
  }
  await admin.createAcls({ acl });
  await admin.disconnect();
}

interface Rule {
  readonly resource: string;
  readonly name: string;
  readonly pattern: string;
  readonly operations: readonly string[];
}

/** As Kafka's protocol numbers them, like the types of resources, patterns and permissions above. */
const operationNumbers: Readonly<Record<string, number>> = {
  ...{ Read: 3, Write: 4, Create: 5, Delete: 6, Describe: 8, DescribeConfigs: 10 },
};
