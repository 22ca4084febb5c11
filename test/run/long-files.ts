/**
 * Integration tests that `npm run verify` leaves out, for their time: `npm run test:long` runs them, and `npm run verify:full`.
 * Each takes one to five minutes beside another on two cores. What they try is tried in small by others, which CI runs.
 */
export const longFiles: ReadonlySet<string> = new Set([
  // Many processes on brokers, which come, go, and are away.
  'test/deploy/alerts.integration.test.ts',
  'test/deploy/rendered-crawl.integration.test.ts',
  'test/deploy/scaling.integration.test.ts',
  'test/kafka/broker-outage.integration.test.ts',
  'test/kafka/chaos.integration.test.ts',
  'test/kafka/cluster-watch.integration.test.ts',
  'test/kafka/crawl.integration.test.ts',
  'test/kafka/demand.integration.test.ts',
  'test/kafka/fleet-fetchers.integration.test.ts',
  'test/kafka/fleet-registry.integration.test.ts',
  'test/kafka/registry-forgets.integration.test.ts',
  'test/kafka/roll.integration.test.ts',
  'test/kafka/secured.integration.test.ts',
  'test/kafka/snapshots.integration.test.ts',
  'test/kafka/zones.integration.test.ts',
  'test/outages/cable.integration.test.ts',
  'test/outages/outages.integration.test.ts',
  'test/services/runtime/log/kafka/faults.integration.test.ts',
  // Other releases, installed and run.
  'test/upgrade/kept-releases.integration.test.ts',
  'test/upgrade/rolling.integration.test.ts',
  // Projects that install the package, or packages of other languages.
  'test/clients/crawlee.integration.test.ts',
  'test/clients/scrapy.integration.test.ts',
  'test/deploy/kubeconform.integration.test.ts',
  'test/examples/examples.integration.test.ts',
  'test/examples/languages.integration.test.ts',
  'test/package/optional.integration.test.ts',
  // The sources, copied and compiled again.
  'test/services/extras/core-alone.integration.test.ts',
  'test/topology/policy/one-field.integration.test.ts',
  'test/services/extras/each-removed.integration.test.ts',
  'test/services/extras/core-tested.integration.test.ts',
  // Many crawls, one after another.
  'test/lab/simulation/network-away.integration.test.ts',
  'test/services/cli/crawl/consumer-worker.integration.test.ts',
  'test/services/extras/fleet/shares/stopped-process.integration.test.ts',
  'test/docs/tutorial.integration.test.ts',
  'test/fuzz/planted.integration.test.ts',
  'test/lab/explore/planted.integration.test.ts',
  'test/lab/simulation/mutations.integration.test.ts',
  'test/services/cli/bad-day.integration.test.ts',
  'test/services/cli/crawl/workers.integration.test.ts',
  'test/services/extras/fleet/race/every-pair.integration.test.ts',
]);
