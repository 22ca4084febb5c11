/** What the processes of a fleet on Kafka share on the brokers, beside the topics of its crawls; `fleet` is its name. */

/** Topic of one partition: its documents; whose owner runs the fleet. */
export function crawlsTopic(fleet: string): string {
  return `${fleet}.crawls`;
}

/** Group of its processes. */
export function fleetGroup(fleet: string): string {
  return `${fleet}.fleet`;
}

/**
 * Whose name the subjects of a crawl's schemas begin with, in a registry: those of a fleet's crawls are the fleet's, so that there are as many as
 * kinds of records, however many crawls are made.
 */
export function subjectsOwner(crawl: string): string {
  const dot = crawl.indexOf('.');
  return dot < 0 ? crawl : crawl.slice(0, dot);
}
