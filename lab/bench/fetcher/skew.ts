/**
 * `npm run bench -- skew [--hosts N] [--pages N] [--json]`
 *
 * The loss of a group of fetchers from the rule that the tasks of a partition belong to one fetcher. The same number of
 * hosts is spread once over all partitions, and once over the partitions of one of two fetchers, so that the other has
 * no work. There are two crawls. In the first, hosts set the pace (a second between requests). In the second, fetchers
 * do: no delay, answers after 300 ms, and only four requests at once per fetcher, so that each fetcher is busy all the
 * time. Work stealing could win back at most the share of pages a second that is lost by skew.
 */
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { CrawlstreamError } from '../../../topology/errors.ts';
import { partitionKeyOf } from '../../../topology/url/host-key.ts';
import { partitionOf } from '../../../topology/url/partition.ts';
import { build } from '../process/compiled.ts';
import { startMeasured } from '../process/compiled-process.ts';
import { inTemporaryFolder } from '../process/temporary-folder.ts';
import { startWebProcess } from '../process/web-process.ts';

const fetchers = 2;
const partitions = 8;
const latencyMs = 300;
const crawls = {
  'by its hosts': ['--delay', '1000ms'],
  'by its fetchers': ['--delay', '0', '--concurrency', '8'],
} as const;
const placements = ['even', 'on one fetcher'] as const;

export async function run(args: readonly string[]): Promise<void> {
  const options = { hosts: { type: 'string' }, pages: { type: 'string' }, json: { type: 'boolean' } } as const;
  const { values } = parseArgs({ args: [...args], options });
  const [hosts, pages] = [Number(values.hosts ?? 24), Number(values.pages ?? 20)];
  build();
  const results: Record<string, Record<string, number>> = {};
  for (const [pace, flags] of Object.entries(crawls)) {
    const rates: Record<string, number> = {};
    for (const placement of placements) {
      const { fetched, perSecond } = await measure(hosts, pages, flags, placement);
      rates[placement] = perSecond;
      process.stdout.write(`paced ${pace}, hosts ${placement}: ${fetched} pages, ${perSecond} a second\n`);
    }
    rates['left'] = Number((rates['on one fetcher']! / rates['even']!).toFixed(2));
    process.stdout.write(`paced ${pace}: skew leaves ${rates['left']} of the pages a second\n`);
    results[pace] = rates;
  }
  if (values.json) process.stdout.write(`${JSON.stringify({ name: 'skew', hosts, pages, results })}\n`);
}

function measure(hosts: number, pages: number, flags: readonly string[], placement: (typeof placements)[number]) {
  return inTemporaryFolder(async (folder) => {
    // Half of all hosts are on the partitions of the first fetcher.
    const web = ['--preset', 'plain', '--hosts', `${3 * hosts}`, '--pages', `${pages}`];
    const set = ['slow=1', `slowMs=${latencyMs}`, `domains=${3 * hosts}`].flatMap((one) => ['--set', one]);
    const running = await startWebProcess([...web, ...set], null);
    try {
      const resolve = running.resolve.flatMap((one) => ['--resolve', one]);
      const seeds = placed(running.seeds, hosts, placement);
      const where = ['--data', join(folder, 'crawl'), '--partitions', `${partitions}`, '--workers', `${fetchers}`];
      const { ended } = startMeasured(['crawl', ...seeds, '--scope', 'host', ...resolve, ...flags, ...where], {
        core: null,
      });
      await ended;
      const { fetched, pagesPerSecond } = await running.report('delayMs=0&sitemaps=false');
      return { fetched, perSecond: Number(pagesPerSecond.toFixed(1)) };
    } finally {
      await running.end();
    }
  });
}

function placed(seeds: readonly string[], count: number, placement: (typeof placements)[number]): readonly string[] {
  const fetcherOf = (seed: string) => {
    const { host } = new URL(seed);
    return partitionOf(partitionKeyOf(host, 'host'), partitions) % fetchers;
  };
  const of = (fetcher: number) => seeds.filter((seed) => fetcherOf(seed) === fetcher);
  const chosen =
    placement === 'on one fetcher'
      ? of(0).slice(0, count)
      : [...of(0).slice(0, count / 2), ...of(1).slice(0, count / 2)];
  if (chosen.length === count) return chosen;
  throw new CrawlstreamError(
    'INVALID_ARGUMENT',
    `--hosts ${count}: too few of them are on one fetcher; try another even number`,
  );
}
