/** The topics of a fleet on Kafka with separate fetcher processes, beside the topics of its crawls. */
import { topics } from '../../../../topology/topics.ts';
import { fleetDemandTopic, fleetHostsTopic, fleetTasksTopic } from '../../../runtime/crawl/fleet-names.ts';
import type { Log } from '../../../runtime/log/log.ts';
import { fleetFetcherLimits } from './fetcher-limits.ts';
import type { FleetTasksTopic } from './task-records.ts';

/**
 * Creates missing topics. An existing topic keeps its number of partitions: with another number, two fetchers could
 * have the same host for a while.
 */
export async function makeFleetTopics(
  log: Pick<Log, 'createTopics' | 'partitionsOf'>,
  fleet: string,
): Promise<FleetTasksTopic> {
  const [tasks, hosts] = [fleetTasksTopic(fleet), fleetHostsTopic(fleet)];
  const partitions = (await log.partitionsOf(tasks)) || fleetFetcherLimits.taskPartitions;
  const { settings } = topics.tasks;
  await log.createTopics([
    { name: tasks, partitions, retention: 'time', ...(settings && { settings }) },
    { name: hosts, partitions, retention: 'time', settings: { 'cleanup.policy': 'compact' } },
    { name: fleetDemandTopic(fleet), partitions: 1, retention: 'time', settings: { 'retention.ms': '3600000' } },
  ]);
  return { topic: tasks, partitions };
}

/** undefined: the frontier has not created the topics yet. */
export async function findFleetTopics(
  log: Pick<Log, 'partitionsOf'>,
  fleet: string,
): Promise<FleetTasksTopic | undefined> {
  const topic = fleetTasksTopic(fleet);
  const [partitions, hosts, demand] = await Promise.all(
    [topic, fleetHostsTopic(fleet), fleetDemandTopic(fleet)].map((name) => log.partitionsOf(name)),
  );
  return partitions! > 0 && hosts! >= partitions! && demand! > 0 ? { topic, partitions: partitions! } : undefined;
}
