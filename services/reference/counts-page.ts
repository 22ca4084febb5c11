/** docs/counts.md: each count of a crawl, from the table that `stats` and `--json` are made of. */
import { type CountName, countTable, placesOfUrls } from '../../topology/frontier/ask/crawl-counts.ts';
import { countLabels } from '../cli/inspect/counters-text.ts';

const head = `# Counts

- This page lists the counts of a crawl: the lines of \`stats\` and of the final report, and the fields of their \`--json\`. A crawl of the
  library resolves with the same fields. The API of a fleet has those of places, hosts and bytes.
- Every admitted URL is in one place: \`admitted\` = ${placesOfUrls.map((name) => `\`${name}\``).join(' + ')}. With \`--recrawl\` a URL that is due
  again stays in the place of its last visit.
- \`pages --failed\` lists the URLs of \`denied\`, \`failed\` and \`deadLettered\`, one line each, and ends with their sums. Its JSON names the
  count of each URL as \`place\`. It lists two more kinds: URLs that wait for a retry (\`queued\`), and chains of too many redirects (\`redirected\`).
- A URL that is sent again, as by \`requeue\`, counts at each end. \`pages --failed\` lists it once, and says how many more \`stats\` counts.
- \`export urls\` has a row for each URL that was requested or given up.
- In \`hosts\` and on the dashboard, *no page* is \`fetched\` − \`pages\` of a host: its URLs that ended without a page, redirects included. *In a row*
  counts failed leases and back-offs since the last good answer. \`export hosts\` counts answers by outcome: each try counts.
- \`npm run generate\` writes this page from \`topology/frontier/ask/crawl-counts.ts\`.

| field of \`--json\` | line | counter | what it counts |
| --- | --- | --- | --- |
`;

export function countsPage(): string {
  const rows = Object.entries(countTable).map(([name, count]) => {
    const label = countLabels[name as CountName]?.label.trim() ?? '–';
    const counters = count.of.map((one) => `\`${one}\``).join(' + ');
    return `| \`${name}\` | ${label} | ${counters} | ${count.means} |\n`;
  });
  return `${head}${rows.join('')}`;
}
