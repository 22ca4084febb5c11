/**
 * `npm run bench -- coverage [--pages N] [--spam N] [--leases N] [--seed N] [--json]`
 *
 * Which order finds the valuable pages first: the share of the good part's PageRank (coverage-web.ts) that is fetched
 * after each tenth of a crawl with as many fetches as there are good pages. It compares breadth-first, depth and
 * spelling, score, cash (OPIC), with budgets (STAR and BEAST) and without, on a web without spam and on one with spam.
 * Each crawl is the real frontier with another policy, on virtual time.
 */
import { parseArgs } from 'node:util';
import { CrawlstreamError } from '../../../topology/errors.ts';
import { defaultBudget } from '../../../topology/policy/budget.ts';
import { defaultOpic } from '../../../topology/policy/score/opic.ts';
import { defaultScore } from '../../../topology/policy/score/score-config.ts';
import { type Coverage, type CrawlOrder, crawlCoverage } from './coverage-crawl.ts';
import { drawCoverageWeb } from './coverage-web.ts';

const budget = defaultBudget;
const orders: readonly CrawlOrder[] = [
  { name: 'breadth-first', policy: {}, flat: true },
  { name: 'breadth-first, budgets', policy: { budget }, flat: true },
  { name: 'depth and spelling', policy: {} },
  { name: 'opic', policy: { score: defaultOpic } },
  { name: 'opic, budgets', policy: { score: defaultOpic, budget } },
  { name: 'score', policy: { score: defaultScore } },
  { name: 'score, budgets (ours)', policy: { score: defaultScore, budget } },
];

export async function run(args: readonly string[]): Promise<void> {
  const { pages, spam, leases, seed, json } = optionsOf(args);
  const all: ({ readonly order: string; readonly spam: number } & Coverage)[] = [];
  for (const share of spam === 0 ? [0] : [0, spam]) {
    const web = drawCoverageWeb({ pages, spam: share, seed });
    console.log(`${web.goodPages} good pages, ${web.urls.length - web.goodPages} of spam`);
    const rows: Record<string, Record<string, number>> = {};
    for (const order of orders) {
      const coverage = crawlCoverage(web, order, web.goodPages, leases);
      all.push({ order: order.name, spam: share, ...coverage });
      rows[order.name] = rowOf(coverage);
    }
    console.table(rows);
  }
  if (json) process.stdout.write(`${JSON.stringify({ name: 'coverage', pages, leases, seed, all })}\n`);
}

function rowOf({ found, spamShare }: Coverage): Record<string, number> {
  const tenths = found.map((share, tenth) => [`${tenth + 1}/10`, Number(share.toFixed(3))] as const);
  return { ...Object.fromEntries(tenths), spam: Number(spamShare.toFixed(2)) };
}

function optionsOf(args: readonly string[]) {
  let values: { [name in 'pages' | 'spam' | 'leases' | 'seed']?: string } & { json?: boolean };
  try {
    const text = { type: 'string' } as const;
    const options = { pages: text, spam: text, leases: text, seed: text, json: { type: 'boolean' } } as const;
    values = parseArgs({ args: [...args], options }).values;
  } catch (error) {
    throw new CrawlstreamError('INVALID_ARGUMENT', (error as Error).message);
  }
  const number = (name: 'pages' | 'spam' | 'leases' | 'seed', byDefault: number, least: number, whole = true) => {
    const value = Number(values[name] ?? byDefault);
    if (value >= least && value <= 1e6 && (!whole || Number.isSafeInteger(value))) return value;
    const remedy = `give a ${whole ? 'whole ' : ''}number from ${least} to 1000000`;
    throw new CrawlstreamError('INVALID_ARGUMENT', `--${name} ${values[name]}: ${remedy}`);
  };
  return {
    pages: number('pages', 10_000, 1_000),
    spam: number('spam', 1, 0, false),
    leases: number('leases', 20, 1),
    seed: number('seed', 1, 0),
    json: values.json ?? false,
  };
}
