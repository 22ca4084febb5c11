/**
 * `npm run bench -- polite [--hosts N] [--delay MS] [--seconds N] [--json]`
 *
 * The rate of a crawl compared with the rate that politeness permits: one start per host and delay. The web counts over a
 * window that begins with the first request, while the hosts are still being discovered; robots.txt and redirects count
 * as starts. A violation is a gap below the delay, from the end of one request to the start of the next on its host.
 */
import { parseArgs } from 'node:util';
import type { RequestRecord } from '../../web/records.ts';
import { build } from '../process/compiled.ts';
import { measureCrawl } from './fetch-crawl.ts';

export async function run(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      hosts: { type: 'string', default: '200' },
      delay: { type: 'string', default: '250' },
      seconds: { type: 'string', default: '30' },
      json: { type: 'boolean', default: false },
    },
  });
  const delayMs = Number(values.delay);
  const seconds = Number(values.seconds);
  const hosts = Number(values.hosts);
  // More pages than the window has room for, so that no host runs dry.
  const pages = Math.ceil((seconds * 2_000) / delayMs);
  build();
  const measured = await measureCrawl({
    web: ['--preset', 'plain', '--hosts', values.hosts, '--pages', `${pages}`, '--set', 'redirects=0.05'],
    crawl: ['--delay', `${values.delay}ms`],
    report: `delayMs=${delayMs}&sitemaps=false`,
    stopAfterMs: (seconds + 2) * 1_000,
  });
  const gaps = gapsOf(measured.requests);
  const firstMs = starts(measured.requests).reduce((least, ms) => Math.min(least, ms));
  const inWindow = starts(measured.requests).filter((ms) => ms < firstMs + seconds * 1_000);
  const half = inWindow.filter((ms) => ms >= firstMs + seconds * 500).length;
  const ideal = (hosts * seconds * 1_000) / delayMs;
  const result = {
    bench: 'polite',
    starts: inWindow.length,
    achievedOverIdeal: inWindow.length / ideal,
    achievedOverIdealSecondHalf: half / (ideal / 2),
    smallestGapMs: gaps.reduce((least, gap) => Math.min(least, gap), Number.POSITIVE_INFINITY),
    medianGapMs: gaps.sort((a, b) => a - b)[gaps.length >> 1],
    violations: gaps.filter((gap) => gap < delayMs).length,
    concurrent: measured.report.concurrency.count,
    cpuMillisPerStart: measured.cpuMillis / measured.requests.length,
    rssBytes: measured.peakRssBytes,
    pinned: measured.pinned,
  };
  const { achievedOverIdeal, achievedOverIdealSecondHalf, smallestGapMs, violations } = result;
  process.stdout.write(
    `${inWindow.length} starts in ${seconds} s, ${achievedOverIdeal.toFixed(3)} of the ideal ` +
      `(${achievedOverIdealSecondHalf.toFixed(3)} in the second half); smallest gap ${smallestGapMs.toFixed(2)} ms, ` +
      `${violations} below ${delayMs}\n`,
  );
  if (values.json) process.stdout.write(`${JSON.stringify(result)}\n`);
}

function starts(requests: readonly RequestRecord[]): number[] {
  return requests.map(({ startMs }) => startMs);
}

/** End of one request to start of the next, per host. */
function gapsOf(requests: readonly RequestRecord[]): number[] {
  const ends = new Map<number, number>();
  const gaps: number[] = [];
  for (const { host, startMs, endMs } of [...requests].sort((a, b) => a.startMs - b.startMs)) {
    const endBefore = ends.get(host);
    if (endBefore !== undefined) gaps.push(startMs - endBefore);
    ends.set(host, Math.max(endBefore ?? 0, endMs));
  }
  return gaps;
}
