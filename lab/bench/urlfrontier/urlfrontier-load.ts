/** The loads of the bench of URLFrontier's API: the calls of a crawler, one kind at a time. */
import { type BenchClient, fieldOf, frameOf, uintOf } from './urlfrontier-client.ts';

export interface LoadOptions {
  readonly urls: number;
  readonly hosts: number;
  /** Streams of a put, and workers of get and done. */
  readonly streams: number;
  /** URLs of one batch. */
  readonly batch: number;
  /** Queues per get. */
  readonly queues: number;
}

export interface Rate {
  readonly urls: number;
  readonly seconds: number;
}

/** Messages that are sent together. */
const chunkMessages = 500;

/** `round`: each round has other URLs. */
export function putUrls(client: BenchClient, options: LoadOptions, round: number): Promise<Rate> {
  const messageOf = (n: number) => fieldOf(1, fieldOf(1, infoOf(options, n, round)));
  return putAll(client, 'PutURLs', options, options.urls, messageOf, 1);
}

export function putBatches(client: BenchClient, options: LoadOptions, round: number): Promise<Rate> {
  const { urls, batch } = options;
  const messageOf = (n: number) => {
    const items: Buffer[] = [];
    for (let i = 0; i < batch; i++) items.push(fieldOf(2, infoOf(options, n * batch + i, round)));
    return Buffer.concat(items);
  };
  return putAll(client, 'PutDiscovered', options, Math.floor(urls / batch), messageOf, batch);
}

/** Queues are got, one URL of each, and reported, until the number is reached; without delays. */
export async function getAndDone(client: BenchClient, options: LoadOptions): Promise<Rate> {
  const { streams, queues } = options;
  await client.ask('SetDelay', uintOf(2, 0));
  const request = Buffer.concat([uintOf(1, 1), uintOf(2, queues), uintOf(4, 300)]);
  let [got, done] = [0, 0];
  const beganMs = performance.now();
  const work = async () => {
    let [waiting, allDone] = [0, () => {}];
    const puts = client.call('PutURLs', () => {
      done += 1;
      waiting -= 1;
      if (waiting === 0) allDone();
    });
    while (got < options.urls) {
      const infos = await client.ask('GetURLs', request);
      got += infos.length;
      if (infos.length === 0) {
        // Another worker has a lease of every queue.
        await new Promise((resolve) => setTimeout(resolve, 1));
        continue;
      }
      waiting = infos.length;
      const done = new Promise<void>((resolve) => (allDone = resolve));
      await puts.send(Buffer.concat(infos.map((info) => frameOf(fieldOf(2, fieldOf(1, info))))));
      await done;
    }
    puts.end();
    await puts.ended;
  };
  await Promise.all(Array.from({ length: streams }, work));
  return { urls: done, seconds: (performance.now() - beganMs) / 1000 };
}

async function putAll(
  client: BenchClient,
  rpc: string,
  { streams }: LoadOptions,
  messages: number,
  messageOf: (n: number) => Buffer,
  urlsPerMessage: number,
): Promise<Rate> {
  // Made before the clock starts, because this client shares the machine with the server.
  const chunks: Buffer[] = [];
  for (let n = 0; n < messages; ) {
    const frames: Buffer[] = [];
    for (let i = 0; i < chunkMessages / Math.min(urlsPerMessage, chunkMessages) && n < messages; i++, n++)
      frames.push(frameOf(messageOf(n)));
    chunks.push(Buffer.concat(frames));
  }
  let acked = 0;
  let next = 0;
  const beganMs = performance.now();
  const stream = async () => {
    const call = client.call(rpc, () => {
      acked += 1;
    });
    for (let chunk = chunks[next++]; chunk !== undefined; chunk = chunks[next++]) await call.send(chunk);
    call.end();
    await call.ended;
  };
  await Promise.all(Array.from({ length: streams }, stream));
  const seconds = (performance.now() - beganMs) / 1000;
  if (acked !== messages) throw new Error(`${rpc}: ${acked} acks of ${messages}`);
  return { urls: acked * urlsPerMessage, seconds };
}

function infoOf({ hosts }: LoadOptions, n: number, round: number): Buffer {
  const host = `host-${n % hosts}.example.org`;
  const url = Buffer.from(`https://${host}/section-${round}/page-${Math.floor(n / hosts)}.html`);
  return Buffer.concat([fieldOf(1, url), fieldOf(2, Buffer.from(host))]);
}
