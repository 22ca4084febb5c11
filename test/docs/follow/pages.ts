/** The pages that are followed, in the order in which somebody new reads them. */
export const followedPages: readonly string[] = [
  'README.md',
  'docs/tutorial.md',
  'docs/operations.md',
  'docs/day-in-the-life.md',
  'docs/politeness.md',
  'docs/testing.md',
  'services/README.md',
  'deploy/RUNBOOK.md',
];

/**
 * Pages that are looked things up in: each block stands alone, on a crawl that the reader has, unless it makes one itself.
 * The others are read from the top, and their blocks build on each other.
 */
export const referencePages: ReadonlySet<string> = new Set([
  'docs/politeness.md',
  'services/README.md',
  'deploy/RUNBOOK.md',
]);

/** Pages with commands that are parsed by a unit test, and not typed by `docs:check`. */
export const onlyParsed: Readonly<Record<string, string>> = {
  'docs/judge-suite.md':
    'the crawler in it is the reader’s: test/services/cli/prove/judge-suite.integration.test.ts starts one',
  'CONTRIBUTING.md': 'the commands of a checkout that CI runs',
  'docs/policy.md': 'generated; policy show and set are followed in the tutorial and the runbook',
  'docs/lease-api.md': 'needs a client: test/clients/scrapy.integration.test.ts',
  'docs/fleet.md': 'a fleet runs on: test/services/extras/fleet/fleet-api.integration.test.ts makes the calls',
  'clients/python/README.md': 'needs Scrapy: test/examples/scrapy.integration.test.ts types them',
  'clients/crawlee/README.md': 'needs Crawlee: test/examples/crawlee.integration.test.ts types them',
  'docs/troubleshooting.md': 'speaks of machines and hosts of the reader',
  'deploy/KAFKA.md': 'needs brokers with rights, quotas or Strimzi: test/kafka/secured.integration.test.ts',
  'deploy/CHART.md':
    'needs a cluster: test/deploy/install.integration.test.ts types them against an API server that keeps objects',
  'deploy/SIZING.md': 'generated; test/services/cli/plan/size.integration.test.ts asks the model',
  'deploy/COMMANDS.md': 'generated from the command tree',
};
