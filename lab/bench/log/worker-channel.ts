/**
 * `npm run bench -- worker-channel [--records N] [--bytes N] [--json]`
 *
 * The cost of bringing records from a fetch worker to the process with the log, in three ways: our frames over a socket
 * between two processes (services/runtime/log/channel), Node's messages between processes (`fork` with advanced
 * serialisation), and messages between two threads of one process. It sends `--records` (100,000) records of `--bytes`
 * (12,000), fifty to an append as in a flush, each append answered, four in flight. CPU of both sides.
 */
import { fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { parentPort, Worker } from 'node:worker_threads';
import { createChannel } from '../../../services/runtime/log/channel/message-channel.ts';
import { appendsOf, flatAppends } from '../../../services/runtime/log/channel/records.ts';

const ways = ['frames', 'fork', 'thread'] as const;
type Way = (typeof ways)[number];

const file = fileURLToPath(import.meta.url);
const perAppend = 50;
const underWay = 4;
const mark = 'worker-channel-';

/** Sends one append; resolves with its answer. */
type Send = (flat: readonly unknown[]) => Promise<unknown>;

export async function run(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      records: { type: 'string', default: '100000' },
      bytes: { type: 'string', default: '12000' },
      json: { type: 'boolean', default: false },
    },
  });
  const micros: Record<string, number> = {};
  for (const way of ways) {
    micros[way] = await measure(way, Number(values.records), Number(values.bytes));
    process.stdout.write(`${way}: ${micros[way]} µs of CPU a record, both sides\n`);
  }
  if (values.json) process.stdout.write(`${JSON.stringify({ name: 'worker-channel', micros })}\n`);
}

/** The other side gets its orders as its last argument, sends all records, and reports its cost. */
async function measure(way: Way, records: number, bytes: number): Promise<number> {
  const orders = `${mark}${way}:${records}:${bytes}`;
  const before = process.cpuUsage();
  let received = 0;
  const take = (flat: readonly unknown[]) => appendsOf(flat).length;
  const over = (micros: number) => {
    received = micros;
  };
  if (way === 'frames') {
    const child = spawn(process.execPath, [...process.execArgv, file, orders], {
      stdio: ['ignore', 'inherit', 'inherit', 'pipe'],
    });
    createChannel(child.stdio[3] as Duplex, { take, over }, fail);
    await once(child, 'exit');
  } else if (way === 'fork') {
    const child = fork(file, [orders], { serialization: 'advanced' });
    child.on('message', ([id, flat]: [number, unknown]) => {
      if (id < 0) over(flat as number);
      else child.send([id, take(flat as unknown[])]);
    });
    await once(child, 'exit');
  } else {
    const worker = new Worker(file, { argv: [orders] });
    worker.on('message', ([id, flat]: [number, unknown]) => {
      if (id < 0) over(0);
      else worker.postMessage([id, take(flat as unknown[])]);
    });
    await once(worker, 'exit');
  }
  const { user, system } = process.cpuUsage(before);
  return Number(((user + system + received) / records).toFixed(1));
}

function fail(error: unknown): never {
  throw error;
}

async function sendAll(send: Send, records: number, bytes: number): Promise<void> {
  const value = Buffer.alloc(bytes, 'page');
  let left = Math.ceil(records / perAppend);
  const work = async () => {
    while (left-- > 0) {
      const append = Array.from({ length: perAppend }, () => ({
        ...{ topic: 'crawl.pages', partition: 0, key: Buffer.from('host.test') },
        value: Buffer.from(value),
      }));
      await send(flatAppends(append));
    }
  };
  await Promise.all(Array.from({ length: underWay }, work));
}

async function beOtherSide(way: Way, records: number, bytes: number): Promise<void> {
  const cost = () => process.cpuUsage().user + process.cpuUsage().system;
  if (way === 'frames') {
    const channel = createChannel(new Socket({ fd: 3, readable: true, writable: true }), {}, fail);
    await sendAll((flat) => channel.call('take', flat), records, bytes);
    await channel.call('over', cost());
    process.exit(0);
  }
  const waiting = new Map<number, (value: unknown) => void>();
  let nextId = 0;
  const post = (message: unknown) => (parentPort === null ? process.send!(message) : parentPort.postMessage(message));
  const answered = ([id, value]: [number, unknown]) => {
    waiting.get(id)?.(value);
    waiting.delete(id);
  };
  if (parentPort === null) process.on('message', answered);
  else parentPort.on('message', answered);
  const send: Send = (flat) =>
    new Promise((resolve) => {
      waiting.set(nextId, resolve);
      post([nextId++, flat]);
    });
  await sendAll(send, records, bytes);
  if (parentPort !== null) process.exit(0);
  process.send!([-1, cost()], () => process.exit(0));
}

const orders = process.argv.at(-1) ?? '';
if (orders.startsWith(mark)) {
  const [way, records, bytes] = orders.slice(mark.length).split(':');
  await beOtherSide(way as Way, Number(records), Number(bytes));
}
