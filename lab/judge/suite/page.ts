/** The pages of the suite: its checks (docs/judge-suite.md), and the cards of crawlers (docs/judge-cards.md). */
import { readdirSync, readFileSync } from 'node:fs';
import { type Check, type Family, families, needsNames } from './check/check.ts';
import { suiteChecks, suiteVersion } from './checks.ts';

const cards = new URL('../../../docs/judge-cards/', import.meta.url);

export function suitePage(): string {
  const names = Object.keys(families) as Family[];
  const withNames = suiteChecks.filter(needsNames).length;
  return `<!-- Generated from lab/judge/suite by npm run generate. -->
# The suite: ${suiteChecks.length} checks of any crawler

This is suite ${suiteVersion}. \`crawlstream judge --suite\` serves a small web for each check, and grades a crawler by the
requests that come. The crawler needs a seed URL, and one of the ways to the hosts below. [Cards of crawlers](judge-cards.md)
shows results.

\`\`\`sh
npx crawlstream judge --suite --report report.html --badge badge.svg --least 80 -- my-crawler {seed}
\`\`\`

- The command gets the seed as \`{seed}\` and \`CRAWL_SEED\`.
- Without a command, start the crawler in another terminal, with the seed that the suite prints.
- All hosts of the suite are in scope. The crawler should wait 250 ms between requests to a host.
- The crawler must trust the authority of the suite: a PEM file, \`{ca}\` and \`CRAWL_CA\`. \`SSL_CERT_FILE\`,
  \`NODE_EXTRA_CA_CERTS\`, \`REQUESTS_CA_BUNDLE\` and \`CURL_CA_BUNDLE\` name it too. Without it, checks of TLS fail.
- The exit code is 1 if the score is below \`--least\`, or if no request came.

## Ways to the hosts

| way | the crawler | not reached, or left out |
| --- | --- | --- |
| HTTP proxy, the default | gets it as \`{proxy}\`, \`CRAWL_PROXY\`, \`http_proxy\` and \`https_proxy\` | names and addresses |
| as curl's \`--resolve\` | resolves \`*.test\` to 127.0.0.1, port \`{port}\` | names and addresses |
| \`--addresses\` (Linux) | needs nothing: URLs have addresses of 127.1.0.0/16 | ${withNames} checks that need names |
| \`--name-server 53\` (Linux) | uses the name server at 127.0.0.1 | – |

With the last two, a crawler that refuses private addresses must allow 127.1.0.0/16, and no other network. A name server at
port 53 needs a separate machine or network namespace. As root, for example in a workflow by \`sudo\` (the namespace has no
network, so install crawlstream before):

\`\`\`sh
unshare --net --mount sh -c '
  ip link set lo up
  echo "nameserver 127.0.0.1" > resolv.conf
  mount --bind resolv.conf /etc/resolv.conf
  npx crawlstream judge --suite --name-server 53 --least 80 -- my-crawler {seed}'
\`\`\`

## In a workflow

The default times are scaled, for a run of some minutes. \`--delay\`, \`--crawl-delay\` and \`--retry-after\` set real ones, for a
run of at most an hour (\`--minutes\`). For GitHub Actions, both:

\`\`\`yaml
on:
  push:
  schedule:
    - cron: '0 3 * * 0'
jobs:
  suite:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - uses: actions/setup-node@v4
        with: { node-version: 22 }
      - if: github.event_name == 'push'
        run: npx crawlstream judge --suite --least 80 --report report.html -- ./my-crawler {seed}
      - if: github.event_name == 'schedule'
        run: >
          npx crawlstream judge --suite --least 80 --report report.html
          --delay 2s --crawl-delay 10s --retry-after 60s --minutes 60 --quiet 3m -- ./my-crawler {seed}
      - uses: actions/upload-artifact@v4
        if: always()
        with: { name: crawler-suite, path: report.html }
\`\`\`

The crawler of the weekly run must keep the longer delay: 2 s between requests to a host.

## Verdicts

A check passes or fails by the requests to its hosts. It is *not reached* if the crawler never asked for the page that the
check needs. Such a check counts as failed if reaching a page is its point; otherwise it does not count.

The score is the weight of all passed checks, of all that count. The weight of a check is its harm, from 1 to 5. The
default is 3 for a MUST of a standard, 2 for a SHOULD, and 1 for a practice.

Scores of two suites are not comparable: the number of the suite is raised with each change of its checks. Scores of two ways
to the hosts differ by the checks that are left out.

What the suite cannot see: through a proxy, requests to private addresses are seen only if they go to the suite. The name
server leads names to loopback only, as nothing else is on every machine. HTTP/3 is not offered.

## Proof

\`test/lab/judge/suite/planted.test.ts\` visits each check twice: a visitor that keeps the rule passes, and one that breaks
only this rule fails. Both are scripts. The cards show which pages real crawlers reach.

${names.map(familySection).join('\n\n')}
`;
}

function familySection(family: Family): string {
  const own = suiteChecks.filter((check) => check.family === family);
  return `## ${families[family]}\n\n${own.length} checks.\n\n| id | check | level | weight |\n| --- | --- | --- | --- |\n${own.map(row).join('\n')}`;
}

function row({ id, title, level, source, weight }: Check): string {
  return `| \`${id}\` | ${plain(title)} | [${level}](${source}) | ${weight} |`;
}

/** Signs that Markdown reads as markup. */
function plain(title: string): string {
  return title.replace(/[<>*_|]/g, (sign) => `\\${sign}`);
}

interface Card {
  /** The suite that it was made with. */
  readonly suite: number;
  readonly name: string;
  readonly version: string;
  readonly settingsFrom: string;
  readonly command: string;
  readonly requests: number;
  readonly seconds: number;
  readonly score: number;
  readonly passed: number;
  readonly checks: number;
  readonly minutes: number;
  readonly families: readonly { readonly name: string; readonly score: number | null }[];
  readonly failed: Readonly<Record<string, string>>;
  readonly notReached: readonly string[];
}

export function cardsPage(): string {
  const all = readdirSync(cards)
    .filter((file) => file.endsWith('.json'))
    .map((file) => JSON.parse(readFileSync(new URL(file, cards), 'utf8')) as Card)
    .sort((a, b) => b.score - a.score);
  return `<!-- Generated from docs/judge-cards by npm run generate. -->
# Cards of crawlers

Each crawler ran once against [the suite](judge-suite.md), configured as its documents say for a polite crawl.
\`npx tsx lab/judge/cards/main.ts NAME\` installs the crawler, runs it, and writes its file in [judge-cards](judge-cards).
A polite delay was 250 ms a host. crawlstream comes from the same authors as the suite; read its score with that in mind.
Scores of two suites are not comparable. All crawlers got the hosts by a proxy or as by curl's \`--resolve\`, so that no check of
names and addresses was reached.

| crawler | suite | score | passed | failed | not reached | requests | ended |
| --- | --- | --- | --- | --- | --- | --- | --- |
${all.map((card) => `| [${card.name}](#${card.name}) | ${card.suite} | ${card.score} % | ${card.passed} | ${Object.keys(card.failed).length} | ${card.notReached.length} | ${card.requests} | ${endOf(card)} |`).join('\n')}

Score of each family, in percent; – means that no check of the family counts:

| family | ${all.map(({ name }) => name).join(' | ')} |
| --- |${' --- |'.repeat(all.length)}
${familiesOf(all)
  .map(
    (name) =>
      `| ${name} | ${all.map((card) => card.families.find((one) => one.name === name)?.score ?? '–').join(' | ')} |`,
  )
  .join('\n')}

A crawler that the time limit ended reached fewer checks: its score shows its speed on one busy machine with two cores
rather than its rules. The same is true of a crawler that stopped early. A check that was not reached shows nothing about a crawler.

Why crawlstream fails what it fails: it joins empty segments of a path and sorts parameters, so that a page has one URL. It
drops pages that arrive cut off. It reads a body in an unknown coding as it is. It visits any number of subdomains.

${all.map(cardSection).join('\n\n')}
`;
}

/** In the order of the suite: a card has the families that its suite had. */
function familiesOf(all: readonly Card[]): string[] {
  const known = new Set(all.flatMap((card) => card.families.map(({ name }) => name)));
  return Object.values(families).filter((name) => known.has(name));
}

function cardSection(card: Card): string {
  const failed = Object.entries(card.failed).map(([id, why]) => `- \`${id}\`: ${plain(shortened(why))}`);
  return `## ${card.name}

Version: ${plain(card.version)}. Settings: ${card.settingsFrom.startsWith('http') ? `[its documents](${card.settingsFrom})` : `[${card.settingsFrom}](../${card.settingsFrom})`}. Time limit: ${card.minutes} minutes. Of ${card.checks} checks:

<details><summary>${failed.length} failed</summary>

${failed.join('\n')}

</details>

<details><summary>${card.notReached.length} not reached</summary>

${card.notReached.map((id) => `- \`${id}\``).join('\n')}

</details>`;
}

/** The time limit ends a visit that sends requests until then; a silence of 30 s or its own end ends another. */
function endOf({ seconds, minutes }: Card): string {
  const isCut = seconds > minutes * 60 - 15;
  return isCut ? `by the time limit, ${minutes} min` : `after ${seconds} s`;
}

/** Only the beginning of long URLs and lists is shown. */
function shortened(text: string): string {
  return text.length > 120 ? `${text.slice(0, 117)}…` : text;
}
