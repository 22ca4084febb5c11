/**
 * The cost of an archive: `npm run bench -- archive [--pairs N] [--hosts N] [--pages N] [--json]`
 *
 * One process crawls a plain web into a data folder: without an archive, with an archive of the bodies that are read,
 * and with an archive of everything (`--archive all`). The three take turns, so that each round has the same minutes of
 * the machine. Prints CPU of the process per page, start and end included, and bytes of the archive per page; ratios
 * compare runs of one round. No process is pinned to a core.
 */
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { build } from '../process/compiled.ts';
import { startMeasured } from '../process/compiled-process.ts';
import { folderBytes } from '../process/folder-bytes.ts';
import { inTemporaryFolder } from '../process/temporary-folder.ts';
import { startWebProcess } from '../process/web-process.ts';

const ways = { none: [], pages: ['--with', 'archive'], all: ['--with', 'archive', '--archive', 'all'] } as const;
type Way = keyof typeof ways;

interface Measured {
  readonly pages: number;
  readonly complete: boolean;
  readonly cpuMillisPerPage: number;
  readonly peakRssBytes: number;
  readonly archiveBytesPerPage: number;
}

export async function run(args: readonly string[]): Promise<void> {
  const text = (byDefault: string) => ({ type: 'string', default: byDefault }) as const;
  const options = {
    pairs: text('3'),
    hosts: text('200'),
    pages: text('50'),
    json: { type: 'boolean', default: false },
  } as const;
  const { values } = parseArgs({ args: [...args], options });
  build();
  const rounds: Record<Way, Measured>[] = [];
  for (let n = 0; n < Number(values.pairs); n++) {
    const round: Partial<Record<Way, Measured>> = {};
    for (const way of Object.keys(ways) as Way[]) {
      const one = (round[way] = await measure(ways[way], values.hosts, values.pages));
      const megabytes = Math.round(one.peakRssBytes / 2 ** 20);
      process.stdout.write(
        `${way}: ${one.pages} pages${one.complete ? '' : ', with findings'}, ${one.cpuMillisPerPage} ms of CPU and ${one.archiveBytesPerPage} bytes of archive a page, ${megabytes} MB\n`,
      );
    }
    rounds.push(round as Record<Way, Measured>);
  }
  for (const way of ['pages', 'all'] as const) {
    const ratios = rounds
      .map((round) => round[way].cpuMillisPerPage / round.none.cpuMillisPerPage)
      .sort((a, b) => a - b);
    const said = [ratios[0]!, ratios[Math.floor(ratios.length / 2)]!, ratios.at(-1)!].map((one) => one.toFixed(2));
    process.stdout.write(`CPU a page with an archive of ${way} to none, min median max: ${said.join(' ')}\n`);
  }
  if (values.json) process.stdout.write(`${JSON.stringify({ name: 'archive', rounds })}\n`);
}

function measure(how: readonly string[], hosts: string, pages: string): Promise<Measured> {
  return inTemporaryFolder(async (folder) => {
    const web = await startWebProcess(['--preset', 'plain', '--hosts', hosts, '--pages', pages], null);
    try {
      const resolve = web.resolve.flatMap((one) => ['--resolve', one]);
      const data = join(folder, 'crawl');
      const words = ['crawl', ...web.seeds, ...resolve, '--delay', '0', '--workers', '1', ...how, '--data', data];
      const { ended } = startMeasured(words, { core: null, node: ['--max-semi-space-size=32'] });
      const { usage } = await ended;
      const { fetched, ok } = await web.report('delayMs=0&sitemaps=false');
      const bytes = how.length === 0 ? 0 : await folderBytes(join(data, 'archive'));
      return {
        pages: fetched,
        complete: ok,
        cpuMillisPerPage: Number((usage.cpuMillis / fetched).toFixed(3)),
        peakRssBytes: usage.peakRssBytes,
        archiveBytesPerPage: Math.round(bytes / fetched),
      };
    } finally {
      await web.end();
    }
  });
}
