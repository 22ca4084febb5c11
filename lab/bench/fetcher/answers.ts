/**
 * `npm run bench -- answers [--hosts N] [--pages N] [--seconds N] [--runs N] [--node=--FLAG] [--json]`
 *
 * The cost of URLs that lead to no page, and the cost of waiting. It runs a whole crawl of a synthetic web as in `bench
 * fetch`, one with twice the pages (which gives the cost of a page without the start), and one for each kind of URL
 * without a page: redirects, missing pages, paths that robots.txt denies. The additional CPU of such a crawl is divided
 * by the number of these URLs. Goal: half a page.
 *
 * Then it runs a crawl with all hosts waiting for a minute, and one of a hundred hosts at a page a second. Both are
 * measured as a share of a core over `--seconds`, from their tenth second on, when code is still being compiled, and
 * from their fortieth. Goals: 0.01 and 0.15.
 */
import { parseArgs } from 'node:util';
import { build } from '../process/compiled.ts';
import { type MeasuredCrawl, measureCrawl } from './fetch-crawl.ts';

/** Kind → the web's options that create as many of them as there are pages, and the crawl's own count of them. */
const kinds: readonly (readonly [kind: string, set: readonly string[], counter: string])[] = [
  ['redirects', ['redirects=1'], 'redirected'],
  ['missing', ['missing=1'], 'failed'],
  ['denied', ['disallowed=1', 'robotsRules=1'], 'denied'],
];

/** At the first moment a crawl is under way; at the second its code is compiled. */
const warmSeconds = [10, 40] as const;

interface Answer {
  readonly kind: string;
  readonly count: number;
  /** CPU beyond the cost of the pages beside them; ms each. */
  readonly cpuMillis: number;
  /** As a share of the cost of a page. */
  readonly ofPage: number;
}

export async function run(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      hosts: { type: 'string', default: '100' },
      pages: { type: 'string', default: '100' },
      seconds: { type: 'string', default: '30' },
      runs: { type: 'string', default: '3' },
      node: { type: 'string', multiple: true, default: [] },
      json: { type: 'boolean', default: false },
    },
  });
  build();
  const { hosts, pages, node } = values;
  const crawlOf = (set: readonly string[], times = 1) =>
    measureCrawl({
      web: [
        '--preset',
        'plain',
        '--hosts',
        hosts,
        '--pages',
        `${times * Number(pages)}`,
        ...set.flatMap((one) => ['--set', one]),
      ],
      crawl: ['--delay', '0'],
      report: 'delayMs=0&sitemaps=false',
      node,
    });
  const runs: { readonly cpuMillisPerPage: number; readonly answers: Answer[] }[] = [];
  for (let n = 0; n < Number(values.runs); n++) {
    const plain = await crawlOf([]);
    const twice = await crawlOf([], 2);
    const [few, many] = [countOf(plain, 'pages'), countOf(twice, 'pages')];
    const pageMillis = (twice.cpuMillis - plain.cpuMillis) / (many - few);
    say(`${few} and ${many} pages, ${pageMillis.toFixed(3)} ms CPU for each more`);
    const answers: Answer[] = [];
    for (const [kind, set, counter] of kinds) {
      const measured = await crawlOf(set);
      const count = countOf(measured, counter);
      // Such a web may contain other pages, too.
      const morePages = countOf(measured, 'pages') - few;
      const cpuMillis = (measured.cpuMillis - plain.cpuMillis - morePages * pageMillis) / count;
      answers.push({ kind, count, cpuMillis, ofPage: cpuMillis / pageMillis });
      say(
        `${count} ${kind}, ${cpuMillis.toFixed(3)} ms each: ${(cpuMillis / pageMillis).toFixed(2)} of a page (goal 0.50)`,
      );
    }
    runs.push({ cpuMillisPerPage: pageMillis, answers });
  }
  const seconds = Number(values.seconds);
  const idle = await sharesOfCore(['--hosts', '20', '--pages', '50'], '60000', seconds, node);
  for (const { fromSecond, share } of idle)
    say(`a crawl that waits for its hosts: ${percent(share, 2)} of a core from second ${fromSecond} on (goal 1 %)`);
  const polite = await sharesOfCore(['--hosts', '100', '--pages', '500'], '1000', seconds, node);
  for (const { fromSecond, share, pagesPerSecond } of polite) {
    const pages = `${pagesPerSecond.toFixed(1)} pages a second`;
    say(
      `100 hosts at a page a second: ${pages}, ${percent(share, 1)} of a core from second ${fromSecond} on (goal 15 %)`,
    );
  }
  if (!values.json) return;
  process.stdout.write(`${JSON.stringify({ bench: 'answers', runs: runs, idle, polite })}\n`);
}

/** CPU of a crawl with a delay, over `seconds` from each of `warmSeconds` on. */
async function sharesOfCore(web: readonly string[], delayMs: string, seconds: number, node: readonly string[]) {
  const { samples } = await measureCrawl({
    web: ['--preset', 'plain', ...web],
    crawl: ['--delay', `${delayMs}ms`],
    report: `delayMs=${delayMs}&sitemaps=false`,
    stopAfterMs: 1_000 * (Math.max(...warmSeconds) + seconds),
    stopAtPages: Number.POSITIVE_INFINITY,
    node,
  });
  // The last sample belongs to a process that has ended.
  const live = samples.filter(({ cpuMillis }) => !Number.isNaN(cpuMillis));
  const from = (second: number) => live.find(({ atMs }) => atMs >= live[0]!.atMs + 1_000 * second);
  return warmSeconds.map((fromSecond) => {
    const first = from(fromSecond) ?? live[0]!;
    const last = from(fromSecond + seconds) ?? live.at(-1)!;
    const tookMs = last.atMs - first.atMs;
    return {
      fromSecond,
      share: (last.cpuMillis - first.cpuMillis) / tookMs,
      pagesPerSecond: (1_000 * (last.pages - first.pages)) / tookMs,
    };
  });
}

const percent = (share: number, digits: number) => `${(100 * share).toFixed(digits)} %`;

function countOf({ said }: MeasuredCrawl, counter: string): number {
  const count = said[counter];
  if (typeof count === 'number' && count > 0) return count;
  throw new Error(`the crawl counts no ${counter}: ${JSON.stringify(said)}`);
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
