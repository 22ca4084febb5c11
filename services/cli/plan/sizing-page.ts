/** deploy/SIZING.md: the model's factors, worked for four sizes. */
import { topics } from '../../../topology/topics.ts';
import { bytesText } from '../terminal/progress.ts';
import { busyShare, cpuMicros, diskBytes, memoryBytes, recordBytes, webDefaults } from './coefficients.ts';
import { costsOf, defaultPrices, prices } from './size-costs.ts';
import { type SizeWish, sizeOf, urlsPerPartition, wishDefaults } from './size-model.ts';
import { coresText, count, durationText } from './size-text.ts';

const worked: readonly SizeWish[] = [
  { ...wishDefaults, urls: 1e6, hosts: 10e3, rate: 20, delayMs: 1000 },
  { ...wishDefaults, urls: 100e6, hosts: 1e6, rate: 500, delayMs: 1000 },
  { ...wishDefaults, urls: 10e9, hosts: 50e6, rate: 5_000, delayMs: 1000 },
  { ...wishDefaults, urls: 1e12, hosts: 1e9, rate: 50_000, delayMs: 1000 },
];

const head = `# Sizing

Made by \`npm run generate\` from the model that \`crawlstream size\` asks (services/cli/plan/), whose factors were measured
on one core of the development machine. \`npm run bench -- size\` measures again, on yours, and prints how far the model is
off; bytes are the same everywhere, cores differ.

\`\`\`sh
crawlstream size --urls 100M --hosts 1M --rate 500 --delay 1000ms
\`\`\`

`;

export function sizingPage(): string {
  const { linksPerPage, pageBytes } = webDefaults;
  return `${head}## Worked

Hosts are asked once a second; pages of ${bytesText(pageBytes)}, of which ${linksPerPage} links reach the frontier; ${wishDefaults.replication} copies on the brokers, pages
kept there as their topic is made (${topics.pages.kept!.days} days, and ${bytesText(topics.pages.kept!.bytes)} of each partition at most), topics of state trimmed below snapshots, nothing compressed ([snappy](KAFKA.md#compression) leaves a third). A process is planned to use ${100 * busyShare} % of a core.

${workedTable()}
The last but one row is a million pages' cost at these prices, which stand for no offer; \`--price name=number\` changes each:

${pricesTable()}
Disks count as they are at the end. Traffic between zones is two thirds of what clients send and read, with zones at random
out of three, and all copies between brokers; [racks](KAFKA.md#racks) save what is read.

## What it goes by

${factorsTable()}
A host gives one page in its delay at most: \`--rate\` beyond hosts ÷ delay is refused. Fingerprints that do not fit
\`--seen-memory\` (${bytesText(memoryBytes.seen)} a process) are looked up on disk. The archive and other consumers are not in it: an archive
adds a response's bytes (\`--responses\`) to the brokers' traffic, a dedup costs some 130 µs a page in a process of its own.
`;
}

function workedTable(): string {
  const sized = worked.map((wish) => ({ wish, sizing: sizeOf(wish) }));
  const row = (name: string, of: (one: (typeof sized)[number]) => string) =>
    `| ${name} | ${sized.map(of).join(' | ')} |\n`;
  return [
    row('URLs', ({ wish }) => `**${count(wish.urls)}**`),
    `| --- | ${sized.map(() => '---').join(' | ')} |\n`,
    row('hosts', ({ wish }) => count(wish.hosts)),
    row('pages/s', ({ wish }) => count(wish.rate)),
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
    row('a million pages', ({ wish, sizing }) => {
      return costsOf(wish, sizing, busyShare, defaultPrices).millionPages.toPrecision(3);
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
