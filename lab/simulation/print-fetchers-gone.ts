/** `npm run simulate -- --fetchers-gone`: fetchers-gone.ts at full size, with its progress. */
import { fetchersGone } from './fetchers-gone.ts';

const size = { partitions: 48, hosts: 3_000, urlsPerHost: 20, phaseMs: 60_000, awayMs: 2 * 3_600_000 };
const violationsShown = 5;

/** True if all checks passed. */
export async function printFetchersGone(asJson: boolean): Promise<boolean> {
  const say = (line: string) => void (asJson || process.stdout.write(`${line}\n`));
  say(`${size.hosts} hosts of ${size.urlsPerHost} URLs on ${size.partitions} partitions`);
  say('  minute  fetchers  leases out   pages  untaken  dead letters');
  const report = await fetchersGone({
    ...size,
    onSample: ({ atMs, fetchers, leases, pages, untaken, deadLetters }) => {
      const columns = [(atMs / 60_000).toFixed(2), fetchers, leases, pages, untaken, deadLetters];
      say(columns.map((one, i) => `${one}`.padStart([8, 10, 12, 8, 9, 14][i]!)).join(''));
    },
  });
  const { urls, pages, deadLetters, lost, grantedForNobody, endedMs, violations } = report;
  const ending = endedMs === null ? 'the crawl has no end' : `ended after ${(endedMs / 60_000).toFixed(1)} min`;
  say(`${pages} of ${urls} URLs fetched, ${deadLetters} dead letters, ${lost} URLs lost, ${ending}`);
  say(`${grantedForNobody} leases granted while there was no fetcher`);
  for (const violation of violations.slice(0, violationsShown)) say(`violated: ${violation}`);
  if (violations.length > violationsShown) say(`and ${violations.length - violationsShown} more`);
  if (asJson) process.stdout.write(`${JSON.stringify(report)}\n`);
  return violations.length === 0 && endedMs !== null && deadLetters === 0 && lost === 0 && pages === urls;
}
