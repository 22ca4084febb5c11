/** Options of a fleet on Kafka, and checks of options that do not apply to it. */
import type { Command } from 'commander';
import { invalid } from '../../../../topology/errors.ts';
import { contactHosts } from '../../../application/fleet-access.ts';
import { consumers } from '../../../application/topology.ts';
import { oneOf } from '../../../cli/flags/arguments.ts';
import { addBrokersOptions, fleetName } from '../../../cli/flags/kafka-flags.ts';
import { setting } from '../../../cli/flags/setting.ts';
import { bad } from '../../../runtime/option-text.ts';
import type { FleetFlags } from './fleet-flags.ts';

export interface KafkaFleetFlags {
  readonly brokers?: string;
  readonly registry?: string;
  readonly fleet?: string;
  /** Absent: the process has all roles but consumers. */
  readonly role?: FleetRole;
  /** Names of consumers, in the order of the topology. */
  readonly with?: readonly string[];
}

/** The consumers that a fleet can run: those that contact no host. */
export const fleetConsumers = consumers.filter(({ name }) => !contactHosts.has(name));

export const fleetRoles = ['frontier', 'fetcher', 'consumers'] as const;
export type FleetRole = (typeof fleetRoles)[number];

export function addKafkaFleetOptions(command: Command): Command {
  return addBrokersOptions(command)
    .addOption(
      setting(
        '--fleet <name>',
        'on Kafka, name of the fleet; the prefix of its topics and groups',
        'with a default name, two fleets of a cluster would mix',
        fleetName,
      ),
    )
    .addOption(
      setting(
        '--role <role>',
        'on Kafka, role of this process: frontier, fetcher or consumers (of --with)',
        'one process does everything, and the others stand by',
        oneOf('--role', fleetRoles),
      ),
    )
    .addOption(
      setting(
        '--with <list>',
        `with --role consumers: the consumers to run for each crawl, some of ${fleetConsumers.map(({ name }) => name).join(',')}`,
        'consumers cost CPU and disk, and can be added later',
        consumerList,
      ),
    );
}

function consumerList(value: string): string[] {
  const given = value.split(',').map((name) => name.trim());
  const names = fleetConsumers.map(({ name }) => name);
  const unknown = given.find((name) => !names.includes(name));
  if (unknown === undefined) return names.filter((name) => given.includes(name));
  throw bad('--with', value, `${unknown || 'nothing'} is not a consumer of a fleet: use some of ${names.join(',')}`);
}

/** Throws INVALID_ARGUMENT if consumers are named without their role, or the role is given without consumers. */
export function checkConsumers({ role, with: names }: KafkaFleetFlags): void {
  if (role === 'consumers' && names === undefined)
    throw invalid('--with is missing: with --role consumers, list the consumers to run, as in --with dedup,index');
  if (role !== 'consumers' && names !== undefined)
    throw invalid('--with works only with --role consumers: run the consumers in a separate process, on Kafka');
}

/** Throws INVALID_ARGUMENT, with the name of the option, if one is missing or does not apply on Kafka. */
export function needKafkaFleet(flags: FleetFlags & KafkaFleetFlags): {
  readonly brokers: string;
  readonly fleet: string;
} {
  const { brokers, fleet, keep, snapshotEvery, snapshotTo } = flags;
  if (brokers === undefined)
    throw invalid(
      '--brokers is missing: --fleet, --registry and --role need Kafka; for a fleet in a data folder, remove them',
    );
  if (fleet === undefined)
    throw invalid('--fleet is missing: give the name that all processes of the fleet share, as in --fleet search');
  if (keep !== undefined)
    throw invalid('--keep cannot be used with --brokers: a fleet on Kafka does not drop records by age; remove it');
  if (snapshotEvery !== undefined || snapshotTo !== undefined) {
    const option = snapshotEvery === undefined ? '--snapshot-to' : '--snapshot-every';
    throw invalid(
      `${option} cannot be used with --brokers: a fleet on Kafka does not trim topics at snapshots; remove it`,
    );
  }
  return { brokers, fleet };
}
