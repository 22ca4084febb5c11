/** What `npm run verify:full` runs, in this order: what fails most often first. */

export interface Part {
  readonly name: string;
  /** Node's or npm's arguments, behind their name. */
  readonly command: readonly [program: 'npm' | 'node', ...args: string[]];
  /** Beside this process's own. */
  readonly env?: Readonly<Record<string, string>>;
}

const npm = (...args: string[]): Part['command'] => ['npm', 'run', '-s', ...args];
const tests = (...files: string[]): Part['command'] => ['node', '--import', 'tsx', '--test', ...files];
const script = (file: string): Part['command'] => ['node', '--import', 'tsx', file];

export const parts: readonly Part[] = [
  { name: 'verify', command: npm('verify') },
  { name: 'long', command: npm('test:long'), env: { CRAWLSTREAM_TEST_PLANTED: 'all' } },
  { name: 'planted', command: npm('mutate', '--', '--planted') },
  { name: 'mutants', command: npm('mutate', '--', '--sample', '200') },
  { name: 'fuzz', command: npm('fuzz', '--', '--seconds', '60') },
  { name: 'differential', command: npm('differential', '--', '--answers', '20000') },
  { name: 'ways', command: npm('ways') },
  { name: 'fields', command: npm('fuzz:fields') },
  {
    name: 'normalize',
    command: tests('test/topology/url/normalize-fuzz.test.ts'),
    env: { CRAWLSTREAM_TEST_FUZZ_ROUNDS: '200000' },
  },
  { name: 'predicted grants', command: npm('model', '--', '--games', '2000') },
  { name: 'every order', command: npm('explore', '--', '--depth', '15', '--ends-every', '4096', '--minutes', '60') },
  { name: 'quota', command: npm('explore', '--', '--world', 'quota', '--depth', '11', '--ends-every', '256') },
  { name: 'fleet', command: npm('explore', '--', '--world', 'fleet', '--depth', '16', '--ends-every', '256') },
  { name: 'desk', command: npm('explore', '--', '--world', 'desk', '--depth', '8', '--ends-every', '256') },
  { name: 'forget', command: npm('explore', '--', '--world', 'forget', '--depth', '8', '--ends-every', '256') },
  { name: 'lost records', command: npm('explore', '--', '--world', 'losses', '--depth', '10', '--ends-every', '256') },
  { name: 'power cuts', command: npm('crash', '--', '--seeds', '100') },
  { name: 'simulation', command: npm('simulate', '--', '--seeds', '1000') },
  { name: 'outages of the network', command: npm('simulate', '--', '--network-away') },
  {
    name: 'pulled cable',
    command: tests('test/outages/cable.integration.test.ts'),
    env: { CRAWLSTREAM_TEST_OUTAGE_MINUTES: '10' },
  },
  { name: 'fleets', command: npm('simulate', '--', '--fleet', '--seeds', '200') },
  {
    name: 'kills',
    command: tests(
      'test/services/cli/crawl/kill.integration.test.ts',
      'test/services/frontier/ingest-kill.integration.test.ts',
    ),
    env: { CRAWLSTREAM_TEST_KILLS: '60' },
  },
  {
    name: 'worker-kills',
    command: tests('test/services/cli/crawl/workers.integration.test.ts'),
    env: { CRAWLSTREAM_TEST_KILLS: '30' },
  },
  {
    name: 'games',
    command: tests('test/topology/frontier/model.test.ts'),
    env: { CRAWLSTREAM_TEST_MODEL_SEEDS: '20000' },
  },
  {
    name: 'overlapping calls',
    command: tests(
      'test/services/runtime/log/log-game.test.ts',
      'test/services/runtime/log/kafka/log-game.test.ts',
      'test/services/runtime/store/store-game.test.ts',
    ),
    env: { CRAWLSTREAM_TEST_CONCURRENT_SEEDS: '1000' },
  },
  {
    name: 'what-if',
    command: tests('test/topology/extras/what-if/re-decider.test.ts'),
    env: { CRAWLSTREAM_TEST_WHAT_IF_EVENTS: '1000000' },
  },
  {
    name: 'starvation',
    command: tests('test/topology/frontier/decide/leases/starvation-search.test.ts'),
    env: { CRAWLSTREAM_TEST_STARVATION_GAMES: '1500' },
  },
  {
    name: 'decide-again',
    command: tests('test/topology/extras/what-if/decide-again-after-restarts.test.ts'),
    env: { CRAWLSTREAM_TEST_DECIDE_AGAIN_GAMES: '2000' },
  },
  { name: 'kafka', command: tests('test/kafka/crawl.integration.test.ts'), env: { CRAWLSTREAM_TEST_KAFKA_FULL: '1' } },
  {
    name: 'chaos',
    command: tests('test/kafka/chaos.integration.test.ts'),
    env: { CRAWLSTREAM_TEST_CHAOS_MINUTES: '20' },
  },
  { name: 'nodes', command: script('test/nodes/run.ts') },
  { name: 'arm64', command: script('test/nodes/arm64.ts') },
  { name: 'zoo', command: npm('zoo') },
  { name: 'hostile', command: npm('hostile') },
  { name: 'hostile-fleet', command: npm('hostile', '--', '--fleet') },
  {
    name: 'alerts',
    command: tests('test/deploy/alerts.integration.test.ts'),
    env: { CRAWLSTREAM_TEST_PROMTOOL: 'newest' },
  },
  // Helm's own lint, and a comparison of the chart with what kustomize makes.
  { name: 'chart', command: npm('verify:containers', '--', 'helm') },
  { name: 'docs', command: npm('docs:check', '--', '--nodes', 'here') },
  {
    // What differs by Node, `nodes` tries; of the pages, what a newcomer types first is enough.
    name: 'docs-nodes',
    command: npm('docs:check', '--', '--nodes', '22.20.x,24.19.x', '--pages', 'README.md,docs/tutorial.md'),
  },
  { name: 'against-release', command: npm('bench', 'against-release') },
];
