/** Outputs over a real socket: clients that are slow, that leave, and files that fail half-way. */
import assert from 'node:assert/strict';
import { createServer, get, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, test } from 'node:test';
import type { Output } from '../../../../../services/extras/fleet/outputs/output.ts';
import { outputLimits } from '../../../../../services/extras/fleet/outputs/output-limits.ts';
import { OutputSender } from '../../../../../services/extras/fleet/outputs/send-output.ts';
import { temporaryFolder } from '../../../runtime/store/temporary-folder.ts';
import { until } from '../../../until.ts';

const chunk = Buffer.alloc(64 * 1024, 'x');
const output: Output = { file: 'a.bin', type: 'application/octet-stream', about: '', bytes: () => made(0) };
let asked = 0;
let closed = 0;
let sentBytes = 0;

async function* made(count: number, fails = false): AsyncGenerator<Uint8Array> {
  try {
    for (let n = 0; n < count; n++) {
      asked += 1;
      yield chunk;
    }
    if (fails) throw new Error('the log is gone');
  } finally {
    closed += 1;
  }
}

async function answering(bytes: () => AsyncIterable<Uint8Array>): Promise<IncomingMessage> {
  const sender = await OutputSender.open(join(temporaryFolder(), 'outputs'));
  const server = createServer((request, response) => {
    const sent = async (count: number) => void (sentBytes += count);
    void sender.send(output, bytes(), { crawl: 'c', response, begin: () => {}, sent }, request);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  after(() => server.closeAllConnections());
  after(() => server.close());
  const { port } = server.address() as AddressInfo;
  return new Promise((resolve, reject) => get({ port, host: '127.0.0.1' }, resolve).on('error', reject));
}

test('output is produced as far as the client reads, and completely for a client that reads all', async () => {
  [asked, closed, sentBytes] = [0, 0, 0];
  const slow = await answering(() => made(10_000));
  slow.pause();
  await until(async () => asked > 0);
  let before = -1;
  // Buffers of the two sockets fill up, and then nothing more is asked for.
  await until(async () => {
    const still = asked === before;
    before = asked;
    await new Promise((resolve) => setTimeout(resolve, 200));
    return still && asked === before;
  });
  assert.ok(asked < 2_000, `${asked} chunks of 64 KiB were made for a client that takes none`);
  let bytes = 0;
  for await (const part of slow) bytes += (part as Buffer).length;
  assert.equal(bytes, 10_000 * chunk.length);
  assert.equal(sentBytes, bytes, 'each chunk counts');
  assert.equal(closed, 1);
});

test('a file that fails half-way breaks its connection, and a client that leaves ends its production', async () => {
  [asked, closed] = [0, 0];
  const half = await answering(() => made(3, true));
  assert.equal(half.statusCode, 200);
  await assert.rejects(async () => {
    for await (const _ of half);
  }, /aborted/);
  const left = await answering(() => made(10_000));
  left.destroy();
  await until(async () => closed === 2);
  assert.ok(asked < 2_000);
});

test('concurrent outputs are bounded per owner and in total', async () => {
  const sender = await OutputSender.open(join(temporaryFolder(), 'outputs'));
  const ends: (() => void)[] = [];
  const take = (owner: string) => sender.place(owner, () => new Promise<void>((end) => ends.push(end)));
  const { ofOwnerMax, outputsMax } = outputLimits;
  const taken = Array.from({ length: ofOwnerMax }, () => take('a'));
  assert.match(sender.takenFor('a')!, /you are already reading/);
  assert.equal(sender.takenFor('b'), null);
  for (let n = ofOwnerMax; n < outputsMax; n++) taken.push(take(`o${n}`));
  assert.match(sender.takenFor('b')!, /already/);
  for (const end of ends) end();
  await Promise.all(taken);
  assert.equal(sender.takenFor('a'), null);
});
