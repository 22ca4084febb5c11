/** The page for a webmaster, in Markdown that reads as plain text too. */
import type { RobotsCopy } from '../../../schemas/types.ts';
import { type Violation, violationText } from '../../../topology/extras/audit/violation.ts';
import type { Visits } from './host-visits.ts';

export interface HostPageParts {
  readonly host: string;
  readonly crawl: string;
  readonly visits: Visits;
  /** Copies of robots.txt of the host's origins, oldest first. */
  readonly copies: readonly RobotsCopy[];
  readonly violations: readonly Violation[];
  readonly skewMs: number;
}

/** Lines of a robots.txt that are shown. */
const linesShown = 20;
const violationsShown = 50;

export function hostPage({ host, crawl, visits, copies, violations, skewMs }: HostPageParts): string {
  if (visits.requests === 0) return `# Our visits to ${host}\n\nThe crawl ${crawl} has made no request to this host.\n`;
  const lines = [`# Our visits to ${host}`, ''];
  lines.push(`From the records of the crawl ${crawl}. Times are UTC.`, '');
  lines.push('## Our requests', '');
  lines.push(
    `- from ${time(visits.firstMs)} to ${time(visits.lastMs)}: ${visits.requests} requests (${list(visits.byKind, kindNames)})`,
  );
  lines.push(`- ${visits.bytes} bytes of decompressed bodies, from ${visits.addresses.join(', ') || 'no address'}`);
  if (visits.shortestGapMs !== null) {
    lines.push(
      `- from the end of a request to the next: ${visits.shortestGapMs} ms minimum, ${visits.meanGapMs} ms on average`,
    );
  }
  for (const [hour, requests] of visits.byHour)
    lines.push(`- in the hour from ${hour.replace('T', ' ')}: ${requests} requests`);
  lines.push('', '## Answers of your server', '');
  lines.push(`- answers: ${list(visits.byStatus)}`);
  for (const copy of copies) lines.push(...copyLines(copy));
  if (copies.length === 0) lines.push('- robots.txt: no readable copy');
  for (const { atMs, status, askedMs, keptMs } of visits.pauses) {
    const kept = keptMs === null ? 'we sent no request since' : `our next request was after ${keptMs} ms`;
    lines.push(`- ${time(atMs)}: status ${status} asked us to wait ${askedMs} ms; ${kept}`);
  }
  lines.push('', '## What we skipped, and rule violations', '');
  const left = visits.denied === 0 ? '' : `, as ${visits.deniedUrls.join(', ')}`;
  lines.push(`- URLs that we found but did not request, because robots.txt disallows them: ${visits.denied}${left}`);
  if (violations.length === 0) {
    lines.push(`- every request was checked against the delays, limits and rules in force at its time: no violations`);
  }
  for (const violation of violations.slice(0, violationsShown)) {
    const { atMs, url, kind, topic, partition, offset } = violation;
    lines.push(
      `- **broken** (${kind}), ${time(atMs)}, ${url}: ${violationText(violation)} [${topic} ${partition}:${offset}]`,
    );
  }
  if (violations.length > violationsShown) lines.push(`- and ${violations.length - violationsShown} more`);
  lines.push('', `The clocks of our machines may differ by ${skewMs} ms.`);
  return `${lines.join('\n')}\n`;
}

function copyLines({ origin, url, status, fetchedAtMs, hash, crawlDelayMs, body }: RobotsCopy): string[] {
  const what = `- ${time(fetchedAtMs)}: ${url} answered ${status}`;
  if (hash === '') return [`${what}: there is no robots.txt, so everything is allowed on ${origin}`];
  const text = Buffer.from(body).toString('utf8').replace(/\r\n?/g, '\n').trimEnd().split('\n');
  const delay = crawlDelayMs > 0 ? `, Crawl-delay ${crawlDelayMs} ms` : '';
  const shown = text.slice(0, linesShown).map((line) => `      ${printable(line)}`);
  const more = text.length > linesShown ? [`      (${text.length - linesShown} more lines)`] : [];
  return [`${what}, ${body.length} bytes${delay}:`, '', ...shown, ...more, ''];
}

/** The file's author must not be able to control our terminal. */
function printable(line: string): string {
  let text = '';
  for (const char of line.slice(0, 200)) text += char >= ' ' && char !== '\x7f' ? char : ' ';
  return text;
}

const kindNames: Readonly<Record<string, string>> = {
  page: 'page',
  robots: 'robots.txt',
  sitemap: 'sitemap',
  other: 'other',
};

function list(tally: Readonly<Record<string, number>>, names: Readonly<Record<string, string>> = {}): string {
  const some = Object.entries(tally).filter(([, number]) => number > 0);
  return some.map(([name, number]) => `${number} × ${names[name] ?? name}`).join(', ');
}

function time(ms: number): string {
  return new Date(ms).toISOString().replace('T', ' ').replace('Z', '');
}
