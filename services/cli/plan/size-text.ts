/** A sizing in words. */
import { topics } from '../../../topology/topics.ts';
import type { Costs } from '../../planning/size-costs.ts';
import type { SizeInput, Sizing } from '../../planning/size-model.ts';
import { bytesText } from '../../runtime/figure-text.ts';
import { rows } from '../../runtime/rows-text.ts';

export function sizeText(input: SizeInput, sizing: Sizing, costs: Costs): string {
  const { partitions, urlsPerPartition, frontiers, fetchers, brokers, laptop, hostsAtOnce } = sizing;
  const { urls, hosts, rate, delayMs } = input;
  const head = `${count(urls)} URLs on ${count(hosts)} hosts, ${count(rate)} pages/s, ${delayMs} ms between requests to a host`;
  const many = (service: Sizing['frontiers'], name: string) =>
    `${service.processes} ${name}, ${coresText(service.cores)}, ${bytesText(service.memoryBytes)} of memory`;
  const table = rows([
    ['takes', durationText(sizing.days)],
    ['hosts allow', Number.isFinite(sizing.rateMax) ? `${count(sizing.rateMax)} pages/s` : 'any rate'],
    ['partitions', `${partitions}, ${count(urlsPerPartition)} URLs each`],
    [
      'frontiers',
      `${many(frontiers, frontiers.processes === 1 ? 'process' : 'processes')}, ${bytesText(frontiers.diskBytes)} of state on disk`,
    ],
    [
      'fetchers',
      `${many(fetchers, fetchers.processes === 1 ? 'process' : 'processes')}; --concurrency ${hostsAtOnce} in all`,
    ],
    [
      'brokers',
      `${coresText(brokers.cores)}, ${bytesText(brokers.inBytesPerSecond)}/s in, ${bytesText(brokers.outBytesPerSecond)}/s out, ` +
        `${bytesText(brokers.diskBytes)} of disk (${input.replication} copies, pages kept ${keptText(input, sizing)})`,
    ],
    ['from the web', `${bytesText(sizing.receivedBytesPerSecond)}/s`],
    [
      'or all in one',
      laptop === null
        ? 'no: more than one process can do'
        : `\`crawlstream crawl\`: ${coresText(laptop.cores)}, ${bytesText(laptop.memoryBytes)} of memory, ${bytesText(laptop.diskBytes)} of disk`,
    ],
    ['costs', `${costsText(costs)}, at the prices that --price gives`],
  ]);
  return `${head}\n\n${table}\n\nA model of measurements on one machine (deploy/SIZING.md); cores are those that are busy.`;
}

/** The retention of pages in words, with the setting that it needs if the topic's default is too small. */
function keptText({ pagesKeptDays }: SizeInput, { brokers }: Sizing): string {
  const { days, bytes } = topics.pages.kept!;
  const text = durationText(brokers.pagesKeptSeconds / 86_400);
  if (brokers.pagesRetentionBytes > bytes) return `${text}, with retention.bytes=${brokers.pagesRetentionBytes}`;
  if (pagesKeptDays !== null) return text;
  return brokers.pagesKeptSeconds < 86_400 * days ? `${text}: ${bytesText(bytes)} of each partition at most` : text;
}

/** Costs of a million pages, and the largest parts. */
export function costsText(costs: Costs): string {
  const { hour, millionPages, ...parts } = costs;
  const shares = Object.entries(parts).sort(([, a], [, b]) => b - a);
  const words: Readonly<Record<keyof typeof parts, string>> = {
    frontiers: 'frontiers',
    fetchers: 'fetchers',
    brokers: 'brokers',
    brokersDisk: 'their disks',
    betweenZones: 'traffic between zones',
    snapshots: 'snapshots',
    web: 'traffic from the web',
  };
  const most = shares.slice(0, 3).map(([part, cost]) => {
    return `${words[part as keyof typeof parts]} ${Math.round((100 * cost) / Math.max(hour, Number.MIN_VALUE))} %`;
  });
  return `${millionPages.toPrecision(3)} a million pages (${most.join(', ')})`;
}

/** Three digits, and a unit for large numbers. */
export function count(value: number): string {
  const units = ['', ' k', ' M', ' B', ' T'];
  let unit = 0;
  let left = value;
  while (left >= 999.5 && unit < units.length - 1) {
    left /= 1000;
    unit += 1;
  }
  return `${Number(left.toPrecision(3))}${units[unit]}`;
}

export function coresText(cores: number): string {
  const text = cores < 0.01 ? 'under 0.01' : cores < 10 ? cores.toPrecision(2) : cores.toFixed(0);
  return `${text} ${text === '1.0' ? 'core' : 'cores'}`;
}

export function durationText(days: number): string {
  const hours = 24 * days;
  if (hours < 1) return `${Math.ceil(60 * hours)} minutes`;
  return hours < 48 ? `${hours.toFixed(1)} hours` : `${days.toFixed(days < 10 ? 1 : 0)} days`;
}
