/** What the processes of a fleet on Kafka share on the brokers, beside the topics of its crawls; `fleet` is its name. */

/** Topic of one partition: its documents; whose owner runs the fleet. */
export function crawlsTopic(fleet: string): string {
  return `${fleet}.crawls`;
}

/** Group of its processes. */
export function fleetGroup(fleet: string): string {
  return `${fleet}.fleet`;
}
