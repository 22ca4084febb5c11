/**
 * Compares schedules by the freshness of an index at equal bandwidth, with changing pages on virtual time.
 *
 *   npm run bench -- freshness [--pages N] [--days D] [--visits V] [--mean M] [--shape S] [--rates FILE] [--json]
 *
 * `--visits`: fetches a day per page. `--mean`, `--shape`: parameters of the gamma distribution of change rates, per
 * day. `--rates`: instead, a file of change rates that a crawl observed, one a line. Averages are over the second half
 * of the days: in the first, policies learn. The oracle knows the true rates.
 */
import { parseArgs } from 'node:util';
import { CrawlstreamError } from '../../../topology/errors.ts';
import { gammaRates, observedRates } from './freshness-pages.ts';
import { policyNames } from './freshness-policies.ts';
import { type FreshnessRun, runPolicy } from './freshness-run.ts';

interface Options {
  readonly pages: number;
  readonly days: number;
  readonly visits: number;
  readonly mean: number;
  readonly shape: number;
  readonly seed: number;
  readonly rates: string | undefined;
  readonly json: boolean;
}

export async function run(args: readonly string[]): Promise<void> {
  const { pages, days, visits, mean, shape, seed, rates: path, json } = options(args);
  const rates = path === undefined ? gammaRates(pages, mean, shape, seed) : observedRates(path, pages, seed);
  const world = { rates, visitsPerDay: pages * visits };
  const law = path === undefined ? `gamma, mean ${mean} a day, shape ${shape}` : path;
  process.stdout.write(`${pages} pages, ${days} days, ${visits} visits a page and day; changes: ${law}\n\n`);
  process.stdout.write(`${'policy'.padEnd(14)}freshness  of oracle's   age, days  visits that found a change\n`);
  const runs: FreshnessRun[] = [];
  for (const name of policyNames) {
    const one = runPolicy(name, world, days, seed);
    runs.push(one);
    process.stdout.write(`${line(one, runs[0]!.freshness)}\n`);
  }
  process.stdout.write(`\n${verdict(runs)}\n`);
  const policies = runs.map(({ name, freshness }) => ({ name, freshness: Number(freshness.toFixed(6)) }));
  if (json) process.stdout.write(`${JSON.stringify({ policies })}\n`);
}

function line({ name, freshness, age, found }: FreshnessRun, best: number): string {
  const cells = [
    freshness.toFixed(4).padStart(9),
    (freshness / best).toFixed(4).padStart(13),
    age.toFixed(2).padStart(12),
  ];
  return `${name.padEnd(14)}${cells.join('')}${found.toFixed(3).padStart(12)}`;
}

function verdict(runs: readonly FreshnessRun[]): string {
  const of = new Map(runs.map(({ name, freshness }) => [name, freshness]));
  const optimal = of.get('optimal')!;
  const margins = (['adaptive', 'nutch', 'stormcrawler'] as const).map(
    (name) => `${name} by ${(100 * (optimal / of.get(name)! - 1)).toFixed(1)} %`,
  );
  const share = (100 * optimal) / of.get('oracle')!;
  return `optimal, with estimated rates, reaches ${share.toFixed(1)} % of the oracle and beats ${margins.join(', ')}`;
}

function options(args: readonly string[]): Options {
  const { values } = parse(args);
  const number = (name: 'pages' | 'days' | 'visits' | 'mean' | 'shape' | 'seed', byDefault: number, whole: boolean) => {
    const value = values[name] === undefined ? byDefault : Number(values[name]);
    if (!(value > 0 && value < 1e9) || (whole && !Number.isInteger(value))) {
      const wanted = whole ? 'a whole number above 0' : 'a number above 0';
      throw new CrawlstreamError('INVALID_ARGUMENT', `--${name} ${values[name]}: give ${wanted}`);
    }
    return value;
  };
  return {
    pages: number('pages', 20_000, true),
    days: number('days', 120, true),
    visits: number('visits', 0.5, false),
    mean: number('mean', 0.2, false),
    shape: number('shape', 0.5, false),
    seed: number('seed', 1, true),
    rates: values.rates,
    json: values.json,
  };
}

function parse(args: readonly string[]) {
  try {
    const one = { type: 'string' } as const;
    return parseArgs({
      args: [...args],
      options: {
        pages: one,
        days: one,
        visits: one,
        mean: one,
        shape: one,
        seed: one,
        rates: one,
        json: { type: 'boolean', default: false },
      },
    });
  } catch (error) {
    throw new CrawlstreamError('INVALID_ARGUMENT', (error as Error).message);
  }
}
