/**
 * The runs of `bench all`: every bench, at a size that takes seconds, or at its default size if none is given here.
 * Sizes stay as they are, so that results of two commits measure the same thing; a new measurement gets a new label.
 */
import { benchNames } from './bench-names.ts';

export interface PlannedBench {
  /** Unique: results are compared by it. */
  readonly label: string;
  readonly bench: string;
  readonly args: readonly string[];
}

const plan = (label: string, bench: string, ...args: readonly string[]): PlannedBench => ({ label, bench, args });

const sized: readonly PlannedBench[] = [
  plan('frontier', 'frontier', '--urls', '2000000'),
  plan('seen-test, exact', 'seen-test', '--urls', '3000000'),
  plan('seen-test, drum', 'seen-test', '--urls', '3000000', '--seen', 'drum', '--memory', '32'),
  plan('host-clock', 'host-clock', '--hosts', '1000000'),
  plan('lease-cycle', 'lease-cycle', '--urls', '200000', '--hosts', '100000'),
  plan('restart', 'restart', '--urls', '1000000', '--hosts', '50000'),
  plan('restore', 'restore', '--urls', '1000000', '--hosts', '50000'),
  plan('snapshot', 'snapshot', '--urls', '500000', '--hosts', '50000'),
  plan('growth, drum', 'hundred-million', '--urls', '2000000', '--hosts', '100000', '--seen', 'drum'),
  plan('billion-hosts', 'billion-hosts', '--hosts', '10000000', '--days', '1', '--check', '100000'),
  plan('topology', 'topology', '--urls', '1000000'),
  plan('topology, snappy', 'topology', '--urls', '1000000', '--no-stages', '--compression', 'snappy'),
  plan('clients', 'clients', '--urls', '200000'),
  plan('crawl', 'crawl', '--kafka', '--hosts', '100', '--pages', '50'),
  plan('fetch', 'fetch', '--runs', '1', '--no-stages'),
  plan('fetch, messy', 'fetch', '--web', 'messy', '--runs', '1', '--no-stages'),
  plan('fetch, over TLS', 'fetch', '--set', 'tls=1', '--runs', '1', '--no-stages'),
  plan('answers', 'answers', '--hosts', '40', '--pages', '50', '--runs', '1', '--seconds', '10'),
  plan('polite', 'polite', '--seconds', '10'),
  plan('fleet', 'fleet', '--crawls', '20', '--hosts', '200', '--seconds', '10'),
  plan('hostile', 'hostile', '--hosts', '300', '--runs', '1'),
  plan('checks', 'checks', '--pairs', '2'),
  plan('takeover', 'takeover', '--urls', '100000'),
  plan('urlfrontier', 'urlfrontier', '--urls', '100000', '--hosts', '5000'),
  plan('storm', 'storm', '--seconds', '20', '--runs', '1'),
  plan('crawlee-queue', 'crawlee-queue', '--requests', '20000', '--hosts', '500', '--own', '2000'),
  plan('scrapy-pairs', 'scrapy-pairs', '--pairs', '1', '--hosts', '20', '--pages', '30'),
  plan('coverage', 'coverage', '--pages', '2000'),
  plan('freshness', 'freshness', '--pages', '4000'),
  plan('recrawl-year', 'recrawl-year', '--pages', '2000'),
  plan('from-cc', 'from-cc', '--urls', '200000', '--hosts', '10000'),
];

/** These benches compare results and measure nothing, or need files that are not in the tree. */
const others = new Set(['all', 'compare', 'against-release', 'beside-urlfrontier']);

export interface ReleaseFigure {
  readonly label: string;
  /** Fields in the last line of the bench. */
  readonly path: string;
}

/** CPU per unit, by which releases are compared: the cost of a page and of a URL, in runs with little waiting. */
export const releaseFigures: readonly ReleaseFigure[] = [
  { label: 'fetch', path: 'cpuMillisPerPage' },
  { label: 'frontier', path: 'cpuMicrosPerUrl' },
  { label: 'lease-cycle', path: 'cpuMicrosPerUrl' },
  { label: 'restart', path: 'cpuSeconds' },
];

export function benchPlan(): PlannedBench[] {
  const isSized = new Set(sized.map(({ bench }) => bench));
  const rest = benchNames().filter((name) => !isSized.has(name) && !others.has(name));
  return [...sized, ...rest.map((name) => plan(name, name))];
}

/** The yardstick runs first, then the benches that give the figures of a release. */
export function releasePlan(): PlannedBench[] {
  const labels = new Set(['yardstick', ...releaseFigures.map(({ label }) => label)]);
  const all = benchPlan();
  return [...labels].map((label) => all.find((one) => one.label === label)!);
}
