/** deploy/SIZING.md: the model's factors, worked for four sizes. */
import { topics } from '../../topology/topics.ts';
import { coresText, count, durationText } from '../cli/plan/size-text.ts';
import { busyShare, cpuMicros, diskBytes, memoryBytes, recordBytes, webDefaults } from '../planning/coefficients.ts';
import { costsOf, defaultPrices, prices } from '../planning/size-costs.ts';
import { type SizeInput, sizeDefaults, sizeOf, urlsPerPartition } from '../planning/size-model.ts';
import { bytesText } from '../runtime/figure-text.ts';

const worked: readonly SizeInput[] = [
  { ...sizeDefaults, urls: 1e6, hosts: 10e3, rate: 20, delayMs: 1000 },
  { ...sizeDefaults, urls: 100e6, hosts: 1e6, rate: 500, delayMs: 1000 },
  { ...sizeDefaults, urls: 10e9, hosts: 50e6, rate: 5_000, delayMs: 1000 },
  { ...sizeDefaults, urls: 1e12, hosts: 1e9, rate: 50_000, delayMs: 1000 },
];

const head = `# Sizing

\`npm run generate\` writes this page from the model of \`crawlstream size\` (services/planning/). Its factors were measured
on one core of the development machine. \`npm run bench -- size\` measures them on your machine, and prints the error of the
model. Bytes are the same everywhere; cores differ.

\`\`\`sh
crawlstream size --urls 100M --hosts 1M --rate 500 --delay 1000ms
\`\`\`

`;

export function sizingPage(): string {
  const { linksPerPage, pageBytes } = webDefaults;
  return `${head}## Worked

Assumptions:

- Each host gets one request a second. A page has ${bytesText(pageBytes)}, and ${linksPerPage} of its links reach the frontier.
- Brokers keep ${sizeDefaults.replication} copies, and pages with the defaults of their topic: ${topics.pages.kept!.days} days, and at most ${bytesText(topics.pages.kept!.bytes)} of each partition.
- Topics of state are trimmed below snapshots. Nothing is compressed ([snappy](KAFKA.md#compression) leaves a third).
- A process may use ${100 * busyShare} % of a core.

${workedTable()}
The last but one row is the cost of a million pages at these prices. They are no offer; \`--price name=number\` changes each:

${pricesTable()}
Disks are counted at the end. Traffic between zones is two thirds of the clients' traffic, with random zones
out of three, plus all copies between brokers. [Racks](KAFKA.md#racks) save the part that is read.

## What it goes by

${factorsTable()}
A host gives at most one page per delay: a \`--rate\` above hosts ÷ delay is refused. Fingerprints above
\`--seen-memory\` (${bytesText(memoryBytes.seen)} a process) are looked up on disk. Archive and other consumers are not included: an archive
adds a response's bytes (\`--responses\`) to the brokers' traffic, a dedup costs about 130 µs a page in a separate process.
`;
}

function workedTable(): string {
  const sized = worked.map((input) => ({ input, sizing: sizeOf(input) }));
  const row = (name: string, of: (one: (typeof sized)[number]) => string) =>
    `| ${name} | ${sized.map(of).join(' | ')} |\n`;
  return [
    row('URLs', ({ input }) => `**${count(input.urls)}**`),
    `| --- | ${sized.map(() => '---').join(' | ')} |\n`,
    row('hosts', ({ input }) => count(input.hosts)),
    row('pages/s', ({ input }) => count(input.rate)),
    row('takes', ({ sizing }) => durationText(sizing.days)),
    row('hosts at once', ({ sizing }) => count(sizing.hostsAtOnce)),
    row('partitions', ({ sizing }) => `${sizing.partitions}`),
    row('URLs a partition', ({ sizing }) => count(sizing.urlsPerPartition)),
    row('frontiers', ({ sizing: { frontiers } }) => `${frontiers.processes}: ${coresText(frontiers.cores)}`),
    row('their memory', ({ sizing }) => bytesText(sizing.frontiers.memoryBytes)),
    row('their disk', ({ sizing }) => bytesText(sizing.frontiers.diskBytes)),
    row('fetchers', ({ sizing: { fetchers } }) => `${fetchers.processes}: ${coresText(fetchers.cores)}`),
    row('their memory', ({ sizing }) => bytesText(sizing.fetchers.memoryBytes)),
    row('from the web', ({ sizing }) => `${bytesText(sizing.receivedBytesPerSecond)}/s`),
    row('brokers', ({ sizing }) => coresText(sizing.brokers.cores)),
    row('in, out', ({ sizing: { brokers } }) =>
      [brokers.inBytesPerSecond, brokers.outBytesPerSecond].map((bytes) => `${bytesText(bytes)}/s`).join(', '),
    ),
    row('their disk', ({ sizing }) => bytesText(sizing.brokers.diskBytes)),
    row('pages kept there', ({ sizing }) => durationText(sizing.brokers.pagesKeptSeconds / 86_400)),
    row('a million pages', ({ input, sizing }) => {
      return costsOf(input, sizing, busyShare, defaultPrices).millionPages.toPrecision(3);
    }),
    row('in one process', ({ sizing: { laptop } }) =>
      laptop === null
        ? 'no'
        : `${coresText(laptop.cores)}, ${bytesText(laptop.memoryBytes)}, ${bytesText(laptop.diskBytes)} of disk`,
    ),
  ].join('');
}

function pricesTable(): string {
  const rows = Object.entries(prices).map(([name, price]) => `| \`${name}\` | ${price.default} | ${price.of} |`);
  return `| price | | of |\n| --- | --- | --- |\n${rows.join('\n')}\n`;
}

function factorsTable(): string {
  const a = (micros: number) => count(1e6 / micros);
  const gib = (bytes: number) => count(2 ** 30 / bytes);
  const decided = webDefaults.linksPerPage * cpuMicros.link + cpuMicros.lease;
  const frontierMicros = decided + cpuMicros.frontierOnKafka;
  const table: readonly (readonly [string, string, string])[] = [
    ['a core, a second', 'links decided, durable', a(cpuMicros.link)],
    ['', 'the same, most fingerprints on disk', a(cpuMicros.linkOnDisk)],
    ['', 'URLs leased and resolved', a(cpuMicros.lease)],
    ['', 'pages crawled in one process', a(decided + cpuMicros.fetch)],
    ['', 'pages of a fetcher on Kafka', a(cpuMicros.fetchOnKafka)],
    ['', 'pages of a frontier on Kafka', a(frontierMicros)],
    ['', 'pages of a broker that leads all partitions', a(cpuMicros.broker)],
    ['a GiB of memory', 'URLs, fingerprints in memory', gib(memoryBytes.url)],
    ['', 'URLs, fingerprints on disk', gib(memoryBytes.urlOnDisk)],
    ['', 'hosts with work', gib(memoryBytes.host)],
    ['', 'hosts on lease', gib(memoryBytes.lease)],
    ['a GiB of disk', 'URLs queued, in the state', gib(diskBytes.queuedUrl)],
    ['', 'URLs fetched, in the state', gib(diskBytes.queuedUrl + diskBytes.fetchedPage)],
    ['', 'pages on Kafka’s topic, one copy', gib(recordBytes.pages)],
    ['a partition', 'URLs', count(urlsPerPartition)],
    ['', `pages a second, one frontier at ${100 * busyShare} %`, count((busyShare * 1e6) / frontierMicros)],
  ];
  const rows = table.map((cells) => `| ${cells.join(' | ')} |`);
  return `| of | holds, or does | |\n| --- | --- | --- |\n${rows.join('\n')}\n`;
}
