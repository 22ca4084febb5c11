/**
 * `npm run bench -- priority-orders [--urls N,N,…] [--orders N] [--json]`
 *
 * The cost of an operator's `raise` and `lower` on a host with many queued URLs: CPU of one order, in memory. The first
 * orders read the queue; one of them makes an index of it; later orders use the index.
 */
import { parseArgs } from 'node:util';
import { CrawlstreamError } from '../../../topology/errors.ts';
import { pullLimits } from '../../../topology/frontier/pull/pull-limits.ts';
import { Hand } from '../../model/hand.ts';

interface Row {
  readonly queued: number;
  readonly what: string;
  /** CPU per order, µs. */
  readonly median: number;
  readonly most: number;
}

const host = 'a.test';
const linksPerStep = 5_000;

export function run(args: readonly string[]): void {
  const { sizes, orders, json } = optionsOf(args);
  const rows = sizes.flatMap((size) => measure(size, orders));
  console.table(rows);
  if (json) process.stdout.write(`${JSON.stringify({ name: 'priority-orders', rows })}\n`);
}

function measure(size: number, orders: number): Row[] {
  const hand = new Hand({ queuedMax: 2 * size, queueShareMax: 1 });
  for (let from = 0; from < size; from += linksPerStep)
    hand.links(host, Math.min(linksPerStep, size - from), { from, priority: 4 });
  // URLs far from each other, each once.
  let at = 0;
  const url = () => `https://${host}/${(at = (at + 7_919) % size)}`;
  const row = (what: string, times: number, act: () => void): Row => {
    const micros = Array.from({ length: times }, () => {
      const before = process.cpuUsage();
      act();
      const { user, system } = process.cpuUsage(before);
      return user + system;
    }).sort((a, b) => a - b);
    return { queued: size, what, median: micros[micros.length >> 1]!, most: micros.at(-1)! };
  };
  const { searchesPerIndex } = pullLimits;
  return [
    row('raise, by reading the queue', searchesPerIndex, () => hand.raise(url())),
    row('raise, with an index being made', 1, () => hand.raise(url())),
    row('raise', orders, () => hand.raise(url())),
    row('lower', orders, () => hand.lower(url())),
  ];
}

function optionsOf(args: readonly string[]) {
  const options = { urls: { type: 'string' }, orders: { type: 'string' }, json: { type: 'boolean' } } as const;
  const { values } = parseArgs({ args: [...args], options });
  const count = (name: string, given: string) => {
    const number = Number(given);
    if (!Number.isInteger(number) || number < 1)
      throw new CrawlstreamError('INVALID_ARGUMENT', `--${name} ${given}: give a whole number of 1 or more`);
    return number;
  };
  return {
    sizes: (values.urls ?? '10000,1000000').split(',').map((size) => count('urls', size)),
    orders: count('orders', values.orders ?? '1000'),
    json: values.json === true,
  };
}
