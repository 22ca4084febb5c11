/**
 * `npm run bench -- rescheduled [--urls N] [--queues N] [--metadata BYTES] [--json]`
 *
 * The server's cost of URLs that a crawler has fetched and will fetch again, each with a date and metadata, as
 * StormCrawler reports every page: resident memory of its process with none, with all of them, and after a kill -9 and
 * a restart; the cost of putting them; and the time from the restart until the first due URL is received.
 */
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { CrawlstreamError } from '../../../topology/errors.ts';
import { type ServedProcess, startServed } from '../../urlfrontier/served.ts';
import { inTemporaryFolder } from '../process/temporary-folder.ts';
import { type BenchClient, connectBench, fieldOf, frameOf, uintOf } from './urlfrontier-client.ts';

/** Of a thousand URLs, this many are due at once; the others on different days. */
const duePerThousand = 1;
const perFrame = 500;

export async function run(args: readonly string[]): Promise<void> {
  const { urls, queues, metadata, json } = optionsOf(args);
  const row = await inTemporaryFolder(async (folder) => {
    let server = await startServed(folder);
    try {
      let client = connectBench(`127.0.0.1:${server.port}`);
      const [emptyMb] = await settled(server, client);
      const beganMs = performance.now();
      await putAll(client, urls, queues, metadata);
      const seconds = (performance.now() - beganMs) / 1_000;
      const [fullMb, peakMb] = await settled(server, client);
      client.close();
      await server.stop();
      const startedMs = performance.now();
      server = await startServed(folder);
      client = connectBench(`127.0.0.1:${server.port}`);
      let got = 0;
      while (got === 0) got = (await client.ask('GetURLs', Buffer.concat([uintOf(1, 10), uintOf(2, 10)]))).length;
      const firstMs = performance.now() - startedMs;
      const [restartedMb] = await settled(server, client);
      client.close();
      return {
        urls,
        queues,
        emptyMb,
        peakMb,
        fullMb,
        restartedMb,
        bytesPerUrl: Math.round(((restartedMb - emptyMb) * 2 ** 20) / urls),
        putsPerSecond: Math.round(urls / seconds),
        firstUrlAfterMs: Math.round(firstMs),
      };
    } finally {
      await server.stop();
    }
  });
  console.table([row]);
  if (json) process.stdout.write(`${JSON.stringify({ name: 'rescheduled', metadata, ...row })}\n`);
}

async function putAll(client: BenchClient, urls: number, queues: number, metadata: number): Promise<void> {
  const value = Buffer.alloc(metadata, 'v');
  const entry = Buffer.concat([fieldOf(1, Buffer.from('m')), fieldOf(2, fieldOf(1, value))]);
  const nowSec = Math.floor(Date.now() / 1_000);
  let acks = 0;
  const call = client.call('PutURLs', () => acks++);
  for (let at = 0; at < urls; at += perFrame) {
    const frames: Buffer[] = [];
    for (let n = at; n < Math.min(at + perFrame, urls); n++) {
      const url = Buffer.from(`http://host-${n % queues}.test/a/page/of/the/site-${n}`);
      const info = Buffer.concat([fieldOf(1, url), fieldOf(3, entry)]);
      const dueSec = n % 1_000 < duePerThousand ? nowSec - 60 : nowSec + 86_400 + ((n * 7_919) % 2_592_000);
      frames.push(frameOf(fieldOf(2, Buffer.concat([fieldOf(1, info), uintOf(2, dueSec)]))));
    }
    await call.send(Buffer.concat(frames));
  }
  call.end();
  await call.ended;
  if (acks !== urls) throw new Error(`${acks} acks of ${urls}`);
}

/** Resident memory once it stops falling, and its maximum, MB. */
async function settled({ child }: ServedProcess, client: BenchClient): Promise<[number, number]> {
  let least = Number.POSITIVE_INFINITY;
  for (let still = 0; still < 5; ) {
    await sleep(1_000);
    // Memory of an idle server: a small call makes it write its checkpoint.
    await client.ask('GetActive', Buffer.alloc(0));
    const nowMb = statusMb(child.pid!, 'VmRSS');
    if (nowMb < least) [least, still] = [nowMb, 0];
    else still += 1;
  }
  return [least, statusMb(child.pid!, 'VmHWM')];
}

function statusMb(pid: number, name: string): number {
  const line = new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
  return Math.round(Number(line![1]) / 1_024);
}

function optionsOf(args: readonly string[]) {
  const option = { type: 'string' } as const;
  const options = { urls: option, queues: option, metadata: option, json: { type: 'boolean' } } as const;
  const { values } = parseArgs({ args: [...args], options });
  const count = (name: 'urls' | 'queues' | 'metadata', byDefault: number) => {
    const number = Number(values[name] ?? byDefault);
    if (Number.isSafeInteger(number) && number > 0) return number;
    throw new CrawlstreamError('INVALID_ARGUMENT', `--${name} ${values[name]}: give a whole number above 0`);
  };
  return {
    urls: count('urls', 2_000_000),
    queues: count('queues', 1_000),
    metadata: count('metadata', 300),
    json: values.json === true,
  };
}
