/** docs/fetch-ways.md: each situation with its outcome, from the table that `npm run ways` crawls. */
import { besideCurl } from './situations/beside-curl.ts';
import type { Situation, Where } from './situations/situation.ts';
import { situations } from './situations/table.ts';
import { columns, isIn, ways } from './ways.ts';

const head = `# Answers of servers, over every way

- This page lists what a crawl makes of each answer. The outcome is the same over every way, unless the row names a difference.
- \`npm run ways\` crawls all of it by the built command: each situation on a host, over ${ways.length} ways, on a new connection and on the one that
  brought robots.txt. \`npm run test:integration\` crawls a part.
- The servers write bytes of HTTP/1.1 and frames of HTTP/2 by hand. Proxies pass bytes unchanged.
- Outcomes are those of \`crawlstream export urls\`, with the status. *Whole* and *a part* say how much of a page's text is kept.
- An answer "breaks off" at a place: in HTTP/2, a chunk is a DATA frame, and its size the head of the frame.
- \`npm run generate\` writes this page from \`lab/ways/situations/\`.
`;

export function waysPage(): string {
  const groups = [...new Set(situations.map(({ group }) => group))];
  const cases = columns.reduce((sum, column) => sum + situations.filter((one) => isIn(one, column)).length, 0);
  const counts = `${situations.length} situations, ${cases.toLocaleString('en')} cases.`;
  const wayRows = ways.map(({ label, version, means }) => `| \`${label}\` | ${version} | ${means} |\n`).join('');
  const wayTable = `\n## Ways\n\n| way | version | means |\n| --- | --- | --- |\n${wayRows}`;
  return `${head}\n${counts}\n${wayTable}${groups.map(section).join('')}${curlSection()}`;
}

const curlHead = `
## Beside curl

- \`npm run ways -- --curl\` has curl make one request for each situation over each way, on a new connection, with the time limits of the table. curl
  has no robots.txt, cookies of a session, second visits or retries, so that those situations are left out.
- curl agrees if it takes an answer as complete (exit 0) that the crawler takes, with its status and as much of its body. Where the crawler fails, curl
  has another exit code. This table lists all other cases, with curl 7.88.1.

| group | situation | crawler | curl | why |
| --- | --- | --- | --- | --- |
`;

function curlSection(): string {
  const byName = new Map(situations.map((one) => [`${one.group}: ${one.name}`, one]));
  const rows = besideCurl.flatMap(({ of, where, says, reason }) =>
    of.map((name) => {
      const place = where === undefined ? '' : ` (${whereOf(where)})`;
      const { group, name: short, expects } = byName.get(name)!;
      return `| ${group} | ${cell(short + place)} | ${cell(expects)} | ${cell(says)} | ${cell(reason)} |\n`;
    }),
  );
  return curlHead + rows.join('');
}

function section(group: string): string {
  const rows = situations.filter((one) => one.group === group).map(row);
  return `\n## ${group[0]!.toUpperCase()}${group.slice(1)}\n\n| situation | outcome | where it differs |\n| --- | --- | --- |\n${rows.join('')}`;
}

function row({ name, expects, only, differs = [] }: Situation): string {
  const differences = differs.map((one) => `${whereOf(one.where)}: ${one.expects}, since ${one.reason}`);
  const onlyThere = only === undefined ? [] : [`${whereOf(only.where)} alone`];
  return `| ${cell(name)} | ${cell(expects)} | ${cell([...onlyThere, ...differences].join('; '))} |\n`;
}

function whereOf({ version, through, secure, isFresh }: Where): string {
  const parts = [
    ...(version === undefined ? [] : [version]),
    ...(secure === undefined ? [] : [secure ? 'https' : 'http']),
    ...(through === undefined ? [] : [`through ${through.join(', ')}`]),
    ...(isFresh === undefined ? [] : [isFresh ? 'new connections' : 'kept connections']),
  ];
  return parts.join(', ');
}

const cell = (text: string) => text.replaceAll('|', '\\|').replaceAll('<', '&lt;').replaceAll('*', '\\*');
