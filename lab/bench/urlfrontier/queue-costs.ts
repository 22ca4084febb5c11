/**
 * `npm run bench -- queue-costs [--urls N,N,…] [--calls N] [--rounds N] [--json]`
 *
 * The server's cost of one call if its queue is large: reports on waiting URLs, queries about them, puts after a purge,
 * and duplicates in a queue with purged URLs. CPU of the server's process per URL, as minimum, median and maximum of
 * rounds; one queue for each size. The cost of making an index is a separate row.
 */
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { CrawlstreamError } from '../../../topology/errors.ts';
import { startServed } from '../../urlfrontier/served.ts';
import { inTemporaryFolder } from '../process/temporary-folder.ts';
import { type BenchClient, connectBench, fieldOf, frameOf } from './urlfrontier-client.ts';

interface Options {
  readonly sizes: readonly number[];
  /** URLs of one round. */
  readonly calls: number;
  readonly rounds: number;
  readonly json: boolean;
}

interface Row {
  readonly what: string;
  readonly queue: number;
  /** CPU of the server per URL, µs. */
  readonly min: number;
  readonly median: number;
  readonly max: number;
}

export async function run(args: readonly string[]): Promise<void> {
  const options = optionsOf(args);
  const rows: Row[] = [];
  for (const size of options.sizes) {
    const measured = await inTemporaryFolder((folder) => measure(folder, size, options));
    console.table(measured);
    rows.push(...measured);
  }
  if (options.json) process.stdout.write(`${JSON.stringify({ name: 'queue-costs', ...options, rows })}\n`);
}

async function measure(folder: string, size: number, { calls, rounds }: Options): Promise<Row[]> {
  const server = await startServed(folder);
  const { child } = server;
  try {
    const client = connectBench(`127.0.0.1:${server.port}`);
    const rows: Row[] = [];
    const load = async (what: string, act: (round: number) => Promise<number>, times = rounds) => {
      const micros: number[] = [];
      for (let round = 0; round < times; round++) {
        const before = cpuMicros(child.pid!);
        const urls = await act(round);
        micros.push(Number(((cpuMicros(child.pid!) - before) / urls).toFixed(2)));
      }
      micros.sort((a, b) => a - b);
      rows.push({ what, queue: size, min: micros[0]!, median: micros[micros.length >> 1]!, max: micros.at(-1)! });
    };
    const numbers = spread(size);
    await load(
      'found',
      () =>
        put(
          client,
          Array.from({ length: size }, (_, n) => found(n)),
        ),
      1,
    );
    await load('GetActive, which looks at nothing', () => askNothing(client, calls));
    await load('asked about, the first', () => ask(client, [numbers()]), 1);
    await load('asked about', () => ask(client, some(calls, numbers)));
    await load('reported while it waits, for good', () =>
      put(
        client,
        some(calls, numbers).map((n) => known(n)),
      ),
    );
    await load('reported while it waits, with a date', () =>
      put(
        client,
        some(calls, numbers).map((n) => known(n, later)),
      ),
    );
    await load('purged', () => purge(client), 1);
    await load('put again after the purge', (round) => {
      const part = Math.min(Math.floor(size / rounds), 10 * calls);
      return put(
        client,
        Array.from({ length: part }, (_, n) => found(round * part + n)),
      );
    });
    await load('a duplicate after the purge', () =>
      put(
        client,
        some(calls, numbers).map((n) => found(n)),
      ),
    );
    client.close();
    return rows;
  } finally {
    await server.stop();
  }
}

const callsAtOnce = 50;
const later = 4_000_000_000;
const urlOf = (n: number) => Buffer.from(`http://bench.test/a/page/of/the/site-${n}`);
const infoOf = (n: number) => fieldOf(1, urlOf(n));
const found = (n: number) => fieldOf(1, fieldOf(1, infoOf(n)));

/** `date`: seconds since the Unix epoch; 0: never again. */
function known(n: number, date = 0): Buffer {
  const seconds: number[] = [];
  for (let left = date; left > 0; left = Math.floor(left / 128)) seconds.push((left % 128) | (left >= 128 ? 128 : 0));
  const field = date === 0 ? Buffer.alloc(0) : Buffer.from([0x10, ...seconds]);
  return fieldOf(2, Buffer.concat([fieldOf(1, infoOf(n)), field]));
}

/** Numbers below `size`, each once, far from each other. */
function spread(size: number): () => number {
  const step = 7_919;
  let at = 0;
  return () => (at = (at + step) % size);
}

function some(count: number, next: () => number): number[] {
  return Array.from({ length: count }, next);
}

async function put(client: BenchClient, messages: readonly Buffer[]): Promise<number> {
  let acks = 0;
  const call = client.call('PutURLs', () => acks++);
  for (let at = 0; at < messages.length; at += 500)
    await call.send(Buffer.concat(messages.slice(at, at + 500).map(frameOf)));
  call.end();
  await call.ended;
  if (acks !== messages.length) throw new Error(`${acks} acks of ${messages.length}`);
  return acks;
}

async function ask(client: BenchClient, numbers: readonly number[]): Promise<number> {
  for (let at = 0; at < numbers.length; at += callsAtOnce)
    await Promise.all(numbers.slice(at, at + callsAtOnce).map((n) => client.ask('GetURLStatus', fieldOf(1, urlOf(n)))));
  return numbers.length;
}

/** As many calls that look nothing up: they give the cost of a call alone. */
async function askNothing(client: BenchClient, calls: number): Promise<number> {
  for (let at = 0; at < calls; at += callsAtOnce)
    await Promise.all(Array.from({ length: callsAtOnce }, () => client.ask('GetActive', Buffer.alloc(0))));
  return calls;
}

/** URLs with a date before this second. */
async function purge(client: BenchClient): Promise<number> {
  await new Promise((resolve) => setTimeout(resolve, 1_100));
  const [answer] = await client.ask('PurgeURLs', Buffer.alloc(0));
  let gone = 0;
  for (let at = 1, scale = 1; at < answer!.length; at++, scale *= 128) gone += (answer![at]! & 0x7f) * scale;
  return gone;
}

/** User and system time of a process on Linux, µs. */
function cpuMicros(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
  return ((Number(fields[11]) + Number(fields[12])) / 100) * 1e6;
}

function optionsOf(args: readonly string[]): Options {
  const option = { type: 'string' } as const;
  const options = { urls: option, calls: option, rounds: option, json: { type: 'boolean' } } as const;
  const { values } = parseArgs({ args: [...args], options });
  const count = (name: string, given: string) => {
    const number = Number(given);
    if (!Number.isInteger(number) || number < 1)
      throw new CrawlstreamError('INVALID_ARGUMENT', `--${name} ${given}: give a whole number of 1 or more`);
    return number;
  };
  return {
    sizes: (values.urls ?? '1000,10000,100000,1000000').split(',').map((size) => count('urls', size)),
    calls: count('calls', values.calls ?? '2000'),
    rounds: count('rounds', values.rounds ?? '5'),
    json: values.json === true,
  };
}
