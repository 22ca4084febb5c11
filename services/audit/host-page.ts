/** The page for a webmaster, in Markdown that reads as plain text too. */
import type { RobotsCopy } from '../../schemas/types.ts';
import { type Violation, violationText } from '../../topology/audit/violation.ts';
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
  lines.push(`By the records of the crawl ${crawl}, as its own audit reads them. Times are UTC.`, '');
  lines.push('## When we came, and how often', '');
  lines.push(
    `- from ${time(visits.firstMs)} to ${time(visits.lastMs)}: ${visits.requests} requests (${list(visits.byKind, kindNames)})`,
  );
  lines.push(`- ${visits.bytes} bytes of bodies, unpacked, from ${visits.addresses.join(', ') || 'no address'}`);
  if (visits.shortestGapMs !== null) {
    lines.push(
      `- from the end of a request to the next: ${visits.shortestGapMs} ms at least, ${visits.meanGapMs} ms on average`,
    );
  }
  for (const [hour, requests] of visits.byHour)
    lines.push(`- in the hour from ${hour.replace('T', ' ')}: ${requests} requests`);
  lines.push('', '## What we were told', '');
  lines.push(`- answers: ${list(visits.byStatus)}`);
  for (const copy of copies) lines.push(...copyLines(copy));
  if (copies.length === 0) lines.push('- robots.txt: none that could be read');
  for (const { atMs, status, askedMs, keptMs } of visits.pauses) {
    const kept = keptMs === null ? 'we have not come since' : `we came again after ${keptMs} ms`;
    lines.push(`- ${time(atMs)}: status ${status} asked us to wait ${askedMs} ms; ${kept}`);
  }
  lines.push('', '## What we did', '');
  const left = visits.denied === 0 ? '' : `, as ${visits.deniedUrls.join(', ')}`;
  lines.push(`- URLs we were linked to and left alone, because robots.txt forbids them: ${visits.denied}${left}`);
  if (violations.length === 0) {
    lines.push(
      `- every request was held against the waits, limits and rules in force when it was made: none broke any`,
    );
  }
  for (const violation of violations.slice(0, violationsShown)) {
    const { atMs, url, kind, topic, partition, offset } = violation;
    lines.push(
      `- **broken** (${kind}), ${time(atMs)}, ${url}: ${violationText(violation)} [${topic} ${partition}:${offset}]`,
    );
  }
  if (violations.length > violationsShown) lines.push(`- and ${violations.length - violationsShown} more`);
  lines.push('', `Clocks of two of our machines may differ by ${skewMs} ms.`);
  return `${lines.join('\n')}\n`;
}

function copyLines({ origin, url, status, fetchedAtMs, hash, crawlDelayMs, body }: RobotsCopy): string[] {
  const what = `- ${time(fetchedAtMs)}: ${url} answered ${status}`;
  if (hash === '') return [`${what}: there is no robots.txt, nothing is forbidden on ${origin}`];
  const text = Buffer.from(body).toString('utf8').replace(/\r\n?/g, '\n').trimEnd().split('\n');
  const delay = crawlDelayMs > 0 ? `, we wait ${crawlDelayMs} ms by its Crawl-delay` : '';
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
  page: 'pages',
  robots: 'robots.txt',
  sitemap: 'sitemaps',
  other: 'others',
};

function list(tally: Readonly<Record<string, number>>, names: Readonly<Record<string, string>> = {}): string {
  const some = Object.entries(tally).filter(([, number]) => number > 0);
  return some.map(([name, number]) => `${number} ${names[name] ?? name}`).join(', ');
}

function time(ms: number): string {
  return new Date(ms).toISOString().replace('T', ' ').replace('Z', '');
}
