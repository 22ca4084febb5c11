/**
 * `npm run bench -- size [--json]`
 *
 * Measures the predictions of the sizing model (services/planning/), and prints its errors: a frontier that admits
 * links until it knows 0.3 M and 1.5 M URLs, and whole crawls of the synthetic web, 5,000 and 20,000 pages, on the
 * embedded log. It takes two minutes. Bytes are the same on every machine. The model's CPU is that of a core of the
 * development machine without other work: elsewhere, or beside other work, the errors compare that core; the load is
 * printed with them.
 */
import { loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { webDefaults } from '../../../services/planning/coefficients.ts';
import { type EmbeddedCosts, embeddedCosts } from '../../../services/planning/embedded-costs.ts';
import { onOneCore } from '../process/one-core.ts';
import { type WeighedCrawl, type WeighedIngest, weighCrawl, weighIngest } from './size-runs.ts';

interface Line {
  readonly run: string;
  readonly what: string;
  readonly unit: string;
  readonly model: number;
  readonly measured: number;
  /** Share of the measured value: above 0, the model predicts too much. */
  readonly error: number;
}

const ingests = [
  [1_000_000, 20_000],
  [5_000_000, 100_000],
] as const;
const crawls = [
  [100, 50],
  [200, 100],
] as const;

/** A model with a larger error is useless. */
const errorMax = 0.25;

export async function run(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({ args: [...args], options: { json: { type: 'boolean' }, ingest: { type: 'string' } } });
  const load = loadavg()[0]!;
  const lines: Line[] = [];
  for (const [index, [links, hosts]] of ingests.entries()) {
    // The measuring process gets the number of one of them.
    if (values.ingest !== undefined && Number(values.ingest) !== index) continue;
    const one = await onOneCore('size', ['--ingest', `${index}`], () => weighIngest(links, hosts));
    if (one === undefined) return;
    lines.push(...ofIngest(one));
  }
  for (const [hosts, pages] of crawls) lines.push(...ofCrawl(await weighCrawl(hosts, pages)));
  console.table(lines.map((line) => ({ ...line, error: `${(100 * line.error).toFixed(0)} %` })));
  const off = lines.filter(({ error }) => Math.abs(error) > errorMax);
  const within = `${lines.length - off.length} of ${lines.length} within ${100 * errorMax} %`;
  process.stdout.write(`${within}; load of the machine at the start ${load.toFixed(1)}\n`);
  if (values.json) process.stdout.write(`${JSON.stringify({ name: 'size', load, lines })}\n`);
}

function ofIngest(one: WeighedIngest): Line[] {
  const { links, urls, hosts, cpuMs, rssBytes, stateBytes, changelogBytes } = one;
  const model = embeddedCosts({ urls, pages: 0, links, hosts });
  // Links are played here: they take no log and no memory.
  const played = embeddedCosts({ urls, pages: 0, links: 0, hosts });
  const line = liner(`${links / 1e6} M links, ${(urls / 1e6).toFixed(1)} M URLs queued`);
  return [
    line('CPU', 'µs a link', (1000 * model.cpuMs) / links, (1000 * cpuMs) / links),
    line('memory', 'MB', played.memoryBytes / 1e6, rssBytes / 1e6),
    line('state on disk', 'B a URL', model.stateBytes / urls, stateBytes / urls),
    line('changelog', 'B a URL', model.topicBytes['frontier-changelog'] / urls, changelogBytes / urls),
  ];
}

function ofCrawl(one: WeighedCrawl): Line[] {
  const { pages, hosts, urls, cpuMs, rssBytes, diskBytes, topics } = one;
  const model = embeddedCosts({ urls, pages, links: pages * webDefaults.linksPerPage, hosts });
  const line = liner(`crawl of ${pages} pages`);
  const topic = (name: keyof EmbeddedCosts['topicBytes']) =>
    line(name, 'B a page', model.topicBytes[name] / pages, topics[name]! / pages);
  return [
    line('CPU', 'ms a page', (model.startMs + model.cpuMs) / pages, cpuMs / pages),
    line('memory', 'MB', model.memoryBytes / 1e6, rssBytes / 1e6),
    line('disk', 'MB', (model.stateBytes + model.logBytes) / 1e6, diskBytes / 1e6),
    topic('pages'),
    topic('discovered'),
    topic('results'),
    topic('tasks'),
    topic('frontier-changelog'),
  ];
}

function liner(run: string) {
  return (what: string, unit: string, model: number, measured: number): Line => ({
    ...{ run, what, unit },
    model: Number(model.toPrecision(3)),
    measured: Number(measured.toPrecision(3)),
    error: Number((model / measured - 1).toFixed(3)),
  });
}
