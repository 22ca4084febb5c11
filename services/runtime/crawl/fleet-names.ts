/**
 * Names on the brokers that the processes of a fleet on Kafka share, besides the topics of its crawls; `fleet` is its
 * name.
 */

/** Topic of one partition: the fleet's documents; its owner runs the fleet. */
export function crawlsTopic(fleet: string): string {
  return `${fleet}.crawls`;
}

/** Group of its processes. */
export function fleetGroup(fleet: string): string {
  return `${fleet}.fleet`;
}

/** Topic of the tasks of all its crawls, by host, if fetchers are separate processes. */
export function fleetTasksTopic(fleet: string): string {
  return `${fleet}.tasks`;
}

/** Topic of the hosts' delays, with as many partitions as the topic of tasks. */
export function fleetHostsTopic(fleet: string): string {
  return `${fleet}.hosts`;
}

/** Topic on which fetchers report the number of leases of each crawl that they can take. */
export function fleetDemandTopic(fleet: string): string {
  return `${fleet}.demand`;
}

/** Group of those fetchers. */
export function fleetFetchersGroup(fleet: string): string {
  return `${fleet}.fetchers`;
}

/**
 * First part of the subjects of a crawl's schemas in a registry. Crawls of a fleet use the fleet's name, so that
 * there is one subject for each kind of record, however many crawls are created.
 */
export function subjectsOwner(crawl: string): string {
  const dot = crawl.indexOf('.');
  return dot < 0 ? crawl : crawl.slice(0, dot);
}
