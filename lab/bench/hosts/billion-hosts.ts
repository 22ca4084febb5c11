/**
 * `npm run bench -- billion-hosts [--hosts N] [--pages-per-host N] [--days D] [--rate N] [--check HOSTS,…] [--json]`
 *
 * A simulated crawl of a billion hosts (host-model.ts): the frontier's own host clock and budgets on virtual time, with
 * the largest hosts one by one and the rest by sample, in bounded memory. `--rate`: pages a second that the fetchers
 * could fetch if hosts were always ready. The results (hosts and URLs known, queued, deferred, on the clock) go into
 * the sizing model (`crawlstream size`), with its measured costs.
 *
 * First the model is checked at sizes at which the real frontier still fits into memory: at each of `--check` hosts
 * (1000000; 0: no check) both crawl the same population for seventeen minutes of virtual time, and the difference is
 * printed.
 */
import { parseArgs } from 'node:util';
import { sizeDefaults, sizeOf } from '../../../services/planning/size-model.ts';
import { CrawlstreamError } from '../../../topology/errors.ts';
import { newHostFacts } from '../../../topology/frontier/changes/changes.ts';
import { defaultBudget } from '../../../topology/policy/budget.ts';
import { compilePolicy, defaultPolicy, type PolicyConfig } from '../../../topology/policy/policy.ts';
import { onOneCore } from '../process/one-core.ts';
import { peakRssBytes, startCost } from '../process/process-cost.ts';
import { HostModel, type Mark } from './host-model.ts';
import { drawPopulation } from './host-population.ts';
import { type RealRun, runRealHosts } from './real-hosts.ts';

const fetchMs = 300;
const delayMs = 2_000;
/** A fetch, and the wait after it, take whole ticks. */
const modelTickMs = 100;
/** Tick of checks: the real frontier decides in each. */
const tickMs = 1_000;
const dayMs = 86_400_000;
const linksPerPage = 42;
const acrossHosts = 0.3;
/** Hosts known before the first page is fetched. */
const seeds = 1_000_000;
/** Number of drawn hosts, for any number of hosts. */
const drawn = 1_000_000;
const facts = { fresh: newHostFacts, fetched: { ...newHostFacts, fetchMs } };

/** An account and its sketch (topology/frontier/budgets/budgets-state.ts). */
const bytesPerBudget = 300;

/** For a check: all hosts known, and small budgets with a short period, so that many URLs are deferred and return. */
const checked = { pagesPerHost: 3, untilMs: 1_020_000, marks: 17, drawn: 50_000, hostsPerLease: 200 } as const;
const checkBudget = { key: 'host', base: 4, perSource: 0, max: 4, refillMs: 300_000 } as const;

export async function run(args: readonly string[]): Promise<void> {
  const options = optionsOf(args);
  const { hosts, days, rate, pagesPerHost, json } = options;
  const checks: Check[] = [];
  for (const count of options.check) {
    const one = await onOneCore('billion-hosts', ['--check', `${count}`], async () => check(count));
    if (one === undefined) return;
    checks.push(one);
    const { marks, worst, ...figures } = one;
    console.table(marks);
    console.table(figures);
    console.table({ worst });
  }
  const population = drawPopulation({ hosts, pagesPerHost, drawn });
  const policy = compilePolicy(configOf({ budget: { ...defaultBudget, key: 'host' } }));
  const cost = startCost();
  const model = new HostModel({
    ...{ population, policy, fetchMs, facts },
    // A lease lasts for its fetches and the delays between them; this is the most leases at once for that rate.
    leases: Math.round((rate * (fetchMs + delayMs)) / 1000),
    pagesPerSecondMax: rate,
    tickMs: modelTickMs,
    links: { perPage: linksPerPage, acrossHosts, seeds },
    untilMs: days * dayMs,
    marks: 20,
  });
  const marks = model.run();
  const { cpuSeconds } = cost();
  console.table(marks.map(rowOf));
  const last = marks.at(-1)!;
  const { size, budgetBytes } = sizeFor(last, Math.min(rate, rateOf(marks)));
  const { frontiers, fetchers, brokers, partitions } = size;
  const gigabytes = (bytes: number) => Number((bytes / 1e9).toFixed(1));
  const cores = ({ cores }: { readonly cores: number }) => Number(cores.toFixed(1));
  console.table({
    partitions: { count: partitions },
    frontiers: {
      count: frontiers.processes,
      cores: cores(frontiers),
      'memory GB': gigabytes(frontiers.memoryBytes),
      'disk GB': gigabytes(frontiers.diskBytes),
    },
    'budgets, in frontiers too': { 'memory GB': gigabytes(budgetBytes) },
    fetchers: { count: fetchers.processes, cores: cores(fetchers), 'memory GB': gigabytes(fetchers.memoryBytes) },
    'brokers, each record once': { cores: cores(brokers), 'disk GB': gigabytes(brokers.diskBytes) },
  });
  if (!json) return;
  const result = {
    name: 'billion-hosts',
    ...{ hosts, pagesPerHost, days, rate, drawnHosts: population.pages.length, events: model.events },
    ...{ simulationCpuSeconds: cpuSeconds, rssBytes: peakRssBytes(), checks },
    marks,
    size,
    budgetBytes,
  };
  process.stdout.write(`${JSON.stringify(result)}\n`);
}

interface Check extends Omit<RealRun, 'marks'> {
  readonly hosts: number;
  readonly drawnHosts: number;
  /** The greatest difference at any moment, as a share of the real maximum. */
  readonly worst: { readonly pages: number; readonly workingHosts: number; readonly waiting: number };
  readonly modelCpuSeconds: number;
  readonly realCpuSeconds: number;
  readonly marks: readonly Readonly<Record<string, number>>[];
}

function check(hosts: number): Check {
  const config = configOf({ budget: checkBudget });
  const { pagesPerHost, untilMs, marks } = checked;
  const leases = Math.round(hosts / checked.hostsPerLease);
  const same = { fetchMs, leases, tickMs, untilMs, marks, pagesPerSecondMax: Number.POSITIVE_INFINITY };
  const sample = drawPopulation({ hosts, pagesPerHost, drawn: checked.drawn });
  const modelCost = startCost();
  const model = new HostModel({ ...same, population: sample, policy: compilePolicy(config), facts, links: null }).run();
  const modelCpuSeconds = modelCost().cpuSeconds;
  const realCost = startCost();
  const population = drawPopulation({ hosts, pagesPerHost, drawn: hosts });
  const { marks: real, ...figures } = runRealHosts({ ...same, population, config });
  const realCpuSeconds = realCost().cpuSeconds;
  const waiting = ({ queued, deferred }: Mark) => queued + deferred;
  // Shares of the maximum: as shares of a value near zero, differences would say nothing.
  const worstOf = (of: (mark: Mark) => number) => {
    const most = Math.max(1, ...real.map(of));
    return Number(Math.max(...real.map((mark, i) => Math.abs(of(model[i]!) - of(mark)) / most)).toFixed(4));
  };
  return {
    ...{ hosts, drawnHosts: sample.pages.length, ...figures, modelCpuSeconds, realCpuSeconds },
    worst: {
      pages: worstOf(({ pages }) => pages),
      workingHosts: worstOf(({ workingHosts }) => workingHosts),
      waiting: worstOf(waiting),
    },
    marks: real.map((mark, i) => ({
      minutes: mark.atMs / 60_000,
      pages: mark.pages,
      'pages, model': Math.round(model[i]!.pages),
      working: mark.workingHosts,
      'working, model': Math.round(model[i]!.workingHosts),
      waiting: waiting(mark),
      'waiting, model': Math.round(waiting(model[i]!)),
    })),
  };
}

function configOf(changes: Partial<PolicyConfig>): PolicyConfig {
  return { ...defaultPolicy(), version: 1, delayMs, delayFactor: 0, queuedMax: Number.MAX_SAFE_INTEGER, ...changes };
}

/**
 * Resources for the known URLs at the end and for fetching at that rate, each record kept once. Budgets are not in the
 * sizing model, as most crawls have none.
 */
function sizeFor({ knownHosts, pages, queued, deferred }: Mark, rate: number) {
  const urls = Math.round(pages + queued + deferred);
  const { linksPerPage, pagesKeptDays } = sizeDefaults;
  const hosts = Math.min(urls, Math.round(knownHosts));
  const size = sizeOf({ urls, hosts, rate, delayMs, fetchMs, linksPerPage, replication: 1, pagesKeptDays });
  return { size, budgetBytes: hosts * bytesPerBudget };
}

/** Over the busiest stretch between two marks. */
function rateOf(marks: readonly Mark[]): number {
  let [most, before] = [0, { atMs: 0, pages: 0 }];
  for (const mark of marks) {
    most = Math.max(most, (1000 * (mark.pages - before.pages)) / (mark.atMs - before.atMs));
    before = mark;
  }
  return most;
}

function rowOf({ atMs, pages, knownHosts, workingHosts, leases, queued, deferred }: Mark) {
  const millions = (value: number) => Math.max(0, Number((value / 1e6).toFixed(1)));
  return {
    days: Number((atMs / dayMs).toFixed(2)),
    'pages M': millions(pages),
    'known hosts M': millions(knownHosts),
    'on the clock M': millions(workingHosts),
    leases: Math.round(leases),
    'queued M': millions(queued),
    'deferred M': millions(deferred),
  };
}

function optionsOf(args: readonly string[]) {
  const text = { type: 'string' } as const;
  const names = { hosts: text, 'pages-per-host': text, days: text, rate: text, check: text };
  let values: { readonly [name in keyof typeof names]?: string } & { readonly json?: boolean };
  try {
    values = parseArgs({ args: [...args], options: { ...names, json: { type: 'boolean' } } }).values;
  } catch (error) {
    throw new CrawlstreamError('INVALID_ARGUMENT', (error as Error).message);
  }
  const number = (name: keyof typeof names, given: string | undefined, byDefault: number, least: number) => {
    const value = Number(given ?? byDefault);
    if (value >= least && value <= 1e12) return value;
    throw new CrawlstreamError('INVALID_ARGUMENT', `--${name} ${given}: give a number from ${least} on`);
  };
  const check = (values.check ?? '1000000').split(',').map((one) => number('check', one, 0, 0));
  return {
    hosts: Math.round(number('hosts', values.hosts, 1e9, 10_000)),
    pagesPerHost: number('pages-per-host', values['pages-per-host'], 50, 1),
    days: number('days', values.days, 30, 0.1),
    rate: number('rate', values.rate, 20_000, 1),
    check: check.filter((count) => count > 0).map(Math.round),
    json: values.json ?? false,
  };
}
