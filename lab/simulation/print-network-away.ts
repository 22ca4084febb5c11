/** `npm run simulate -- --network-away`: network-away.ts with outages of two hours, and of a day. */
import { costOf, networkAway } from './network-away.ts';

const hour = 3_600_000;
const firstWithinMs = 10_000;
const outages = [
  { outage: 'network', awayMs: 2 * hour },
  { outage: 'names', awayMs: 2 * hour },
  { outage: 'oneFetcher', awayMs: 2 * hour },
  { outage: 'network', awayMs: 24 * hour },
] as const;

/** True if all checks passed. */
export async function printNetworkAway(asJson: boolean): Promise<boolean> {
  let isWell = true;
  for (const one of outages) {
    const report = await networkAway({ ...one, hosts: 40, urlsPerHost: 60 });
    const cost = costOf(report, firstWithinMs);
    isWell &&= cost === null;
    const { pages, urls, deadLetters, deadHosts, firstAfterMs } = report;
    const line = `${one.outage} away for ${one.awayMs / hour} h: ${pages} of ${urls} URLs fetched, ${deadLetters} dead letters, ${deadHosts} dead hosts, first request ${firstAfterMs} ms after its return`;
    process.stdout.write(
      `${asJson ? JSON.stringify({ ...one, ...report, cost }) : `${line}${cost === null ? '' : `; failed: ${cost}`}`}\n`,
    );
  }
  return isWell;
}
