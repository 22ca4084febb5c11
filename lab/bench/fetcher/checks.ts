/**
 * `npm run bench -- checks [--pairs N] [--hosts N] [--pages N] [--json]`
 *
 * The cost of the checks that protect a crawl from hostile webs. One synthetic web is crawled with the product as it
 * is, and with a copy without the checks, in turns. Prints CPU of the whole crawling process per page, with over
 * without. The address guard is measured separately, because the web's names lead to loopback by `--resolve`: ns per
 * address.
 */
import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { parseArgs } from 'node:util';
import { build as bundle } from 'esbuild';
import { compileAddressGuard } from '../../../topology/fetch/address.ts';
import { build, projectRoot } from '../process/compiled.ts';
import { startCost } from '../process/process-cost.ts';
import { type CrawlBench, measureCrawl } from './fetch-crawl.ts';

/** The removed checks: file, text, and replacement. */
const edits: readonly { readonly check: string; readonly file: string; readonly find: string; readonly put: string }[] =
  [
    {
      check: 'answers spread over turns of the event loop',
      file: 'services/fetcher/http/loop-turns.ts',
      find: '    take() {\n',
      put: '    take() {\n      if (budgetMs > 0) return undefined;\n',
    },
    {
      check: 'memory of bodies under way',
      file: 'services/fetcher/http/exchange.ts',
      find: '    this.#body.add(chunk);\n',
      put: '    this.#body.add(chunk);\n    if (chunk.length >= 0) return true;\n',
    },
    {
      check: 'pieces of bodies counted',
      file: 'services/fetcher/http/exchange.ts',
      find: '    this.#pieces += 1;\n',
      put: '',
    },
    {
      check: 'each host its share of the processor',
      file: 'services/fetcher/pace/processor-share.ts',
      find: '  const waitMs = share.waitMs(costMs);\n',
      put: '  const waitMs = 0;\n',
    },
    {
      check: 'and what a response has cost',
      file: 'services/fetcher/pace/processor-share.ts',
      find: "  const brokenMs = failure?.kind === 'badResponse' ? brokenCostMs : 0;\n",
      put: "  const brokenMs = failure?.kind === 'badResponse' ? brokenCostMs : 0;\n  if (readMs >= 0) return 0;\n",
    },
    {
      check: 'each host and domain its share of the queue',
      file: 'topology/frontier/decide/links/discovered.ts',
      find: '  if (isBeyondShare(decision, policy.config, hostKey, admission.frontOf(hostKey))) {\n',
      put: '  if (policy.config === undefined) {\n',
    },
    {
      check: 'traps',
      file: 'topology/frontier/decide/links/discovered.ts',
      find: '  const trap = traps === undefined ? null : trapAt(decision, traps, hostKey, url);\n',
      put: '  const trap = traps === undefined || true ? null : trapAt(decision, traps, hostKey, url);\n',
    },
    {
      check: 'and their evidence',
      file: 'topology/frontier/decide/results/results.ts',
      find: '    if (policy.config.traps !== undefined)\n',
      put: '    if (policy.config.traps !== undefined && nowMs < 0)\n',
    },
  ];

const unchecked = 'dist/unchecked';

export async function run(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      pairs: { type: 'string', default: '5' },
      hosts: { type: 'string', default: '200' },
      pages: { type: 'string', default: '100' },
      json: { type: 'boolean', default: false },
    },
  });
  build();
  await takeOut();
  const bench: CrawlBench = {
    web: ['--preset', 'plain', '--hosts', values.hosts, '--pages', values.pages],
    crawl: ['--delay', '0'],
    report: 'delayMs=0&sitemaps=false',
  };
  const cost = async (entry: string) => {
    const { report, cpuMillis } = await measureCrawl({ ...bench, entry });
    if (!report.ok)
      throw new Error(`the crawl of ${entry} is not whole: ${report.fetched} of ${report.expected} pages`);
    return cpuMillis / report.fetched;
  };
  const pairs: { readonly checkedMs: number; readonly uncheckedMs: number; readonly ratio: number }[] = [];
  for (let i = 0; i < Number(values.pairs); i++) {
    // Each goes first in turn.
    const order = i % 2 === 0 ? ['dist/bundle', unchecked] : [unchecked, 'dist/bundle'];
    const took = new Map<string, number>();
    for (const folder of order) took.set(folder, await cost(`${folder}/crawlstream.js`));
    const [checkedMs, uncheckedMs] = [took.get('dist/bundle')!, took.get(unchecked)!];
    pairs.push({ checkedMs, uncheckedMs, ratio: checkedMs / uncheckedMs });
    say(`${checkedMs.toFixed(3)} ms of CPU a page with the checks, ${uncheckedMs.toFixed(3)} without`);
  }
  const ratios = pairs.map(({ ratio }) => ratio).sort((a, b) => a - b);
  const [min, median, max] = [ratios[0]!, ratios[ratios.length >> 1]!, ratios.at(-1)!];
  say(`with over without: ${min.toFixed(3)} / ${median.toFixed(3)} / ${max.toFixed(3)} (least, middle, greatest)`);
  for (const { check } of edits) say(`  taken out: ${check}`);
  const guardNs = nanosOfGuard();
  say(`the address guard, for each address that a name is at: ${guardNs} ns`);
  if (values.json) process.stdout.write(`${JSON.stringify({ bench: 'checks', pairs, min, median, max, guardNs })}\n`);
}

/** A copy of the command without the checks. Throws if an edit does not fit. */
async function takeOut(): Promise<void> {
  const untouched = new Set(edits);
  await bundle({
    absWorkingDir: projectRoot,
    outdir: unchecked,
    entryPoints: {
      crawlstream: 'services/cli/main.ts',
      'parse-worker': 'services/fetcher/pages/parse-worker.ts',
      'fetch-worker': 'services/application/workers/fetch-worker.ts',
    },
    chunkNames: 'part-[hash]',
    bundle: true,
    splitting: true,
    packages: 'external',
    format: 'esm',
    platform: 'node',
    target: 'node20',
    logLevel: 'error',
    plugins: [
      {
        name: 'take-out',
        setup(builder) {
          builder.onLoad({ filter: /\.ts$/ }, ({ path }) => {
            const own = edits.filter(({ file }) => file === relative(projectRoot, path));
            if (own.length === 0) return undefined;
            let contents = readFileSync(path, 'utf8');
            for (const edit of own) {
              if (contents.split(edit.find).length !== 2)
                throw new Error(`${edit.file} does not hold once: ${edit.find}`);
              contents = contents.replace(edit.find, () => edit.put);
              untouched.delete(edit);
            }
            return { contents, loader: 'ts' };
          });
        },
      },
    ],
  });
  if (untouched.size > 0) throw new Error(`not in the product: ${[...untouched].map(({ file }) => file).join(', ')}`);
}

function nanosOfGuard(): number {
  const isBlocked = compileAddressGuard([]);
  const addresses = Array.from({ length: 1_000 }, (_, i) => `${1 + (i % 200)}.${i % 250}.${(7 * i) % 250}.9`);
  let blocked = 0;
  const round = () => {
    for (const address of addresses) blocked += isBlocked(address) ? 1 : 0;
  };
  for (let i = 0; i < 100; i++) round();
  const end = startCost();
  for (let i = 0; i < 500; i++) round();
  const { cpuSeconds } = end();
  if (blocked === 0) throw new Error('no address was blocked');
  return Math.round((cpuSeconds * 1e9) / (500 * addresses.length));
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
