import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdir, readdir, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { createMemoryRegistry } from '../../../../services/runtime/avro/memory-registry.ts';
import { openCodec } from '../../../../services/runtime/avro/record-codec.ts';
import { SystemClock } from '../../../../services/runtime/clock.ts';
import { CommandInbox } from '../../../../services/runtime/crawl/command-inbox.ts';
import { hostEvent } from '../../../../services/runtime/crawl/operator-events.ts';
import { encodeRequest } from '../../../../services/runtime/crawl/requests.ts';
import { takeNewRequests, takeRegularly, takeRequests } from '../../../../services/runtime/crawl/take-requests.ts';
import type { DataFolder } from '../../../../services/runtime/data-folder/data-folder.ts';
import { openEmbeddedLog } from '../../../../services/runtime/log/embedded-log.ts';
import { recordsOf } from '../../../../services/runtime/log/records-of.ts';
import { createMemoryStore } from '../../../../services/runtime/store/memory-store.ts';
import { temporaryFolder } from '../store/temporary-folder.ts';

const topics = { crawl: 'c', partitions: 2, keyMode: 'host' } as const;
const clock = new SystemClock();

async function open(path: string) {
  const folder = { path, part: (name: string) => join(path, name) } as DataFolder;
  const log = await openEmbeddedLog(createMemoryStore(), clock);
  await log.createTopics([{ name: 'c.control', partitions: 2, retention: 'state' }]);
  const codec = await openCodec(createMemoryRegistry(), 'c');
  /** A process that holds the log: what it knows of the inbox dies with it. */
  const client = () => ({ inbox: new CommandInbox(folder), log, codec, crawl: 'c', clock });
  const control = async () => {
    const amounts: number[] = [];
    for (const partition of [0, 1]) {
      const { start, end } = await log.offsets('c.control', partition);
      for await (const { value } of recordsOf(log, 'c.control', partition, start, end)) {
        amounts.push(codec.decode('control', value).amount);
      }
    }
    return amounts;
  };
  return { inbox: new CommandInbox(folder), client, control, folder, requests: folder.part('requests') };
}

/** The folder shows the time of change that a test says, and looks are a second apart. */
async function watched() {
  const { client, folder, ...rest } = await open(temporaryFolder());
  let nowMs = 0;
  let shownMs = 0;
  const listedAtMs: number[] = [];
  const inbox = new CommandInbox(folder, {
    list: (path) => {
      listedAtMs.push(nowMs);
      return readdir(path);
    },
    changedAtMs: (path) => (existsSync(path) ? shownMs : undefined),
  });
  const reader = { ...client(), inbox, clock: Object.assign(new SystemClock(), { nowMs: () => nowMs }) };
  /** `changedMs`: the time of change that the folder shows from now on. */
  const looks = async (count: number, changedMs = shownMs) => {
    shownMs = changedMs;
    for (let look = 0; look < count; look++, nowMs += 1_000) await takeNewRequests(reader);
  };
  /** When names were listed since it was asked. */
  const seconds = () => listedAtMs.splice(0).map((atMs) => atMs / 1_000);
  return { ...rest, reader, looks, seconds };
}

const delayed = (amount: number) => hostEvent(topics, { by: 'me', atMs: 1 }, 'hostDelay', 'a.test', amount);

describe('the inbox of a data folder', () => {
  it('the inbox of a data folder passes requests on in order, each answered with its offset', async () => {
    const { inbox, client, control } = await open(temporaryFolder());
    const ids = [await inbox.post(delayed(1), 1_000), await inbox.post(delayed(2), 2_000)];
    assert.equal(await inbox.answerTo(ids[0]!), undefined);
    await takeRequests(client());
    assert.deepEqual(await control(), [1, 2]);
    assert.deepEqual(await inbox.answerTo(ids[1]!), { taken: true, offsets: [1] });
    assert.equal(await inbox.answerTo(ids[1]!), undefined, 'an answer is given once');
  });

  it('the inbox of a data folder is listed for three seconds after a change, and then every ten', async () => {
    const { inbox, requests, looks, control, seconds } = await watched();
    await looks(20);
    assert.deepEqual(seconds(), [], 'there is no folder');
    await mkdir(requests);
    await looks(25);
    assert.deepEqual(seconds(), [20, 21, 22, 23, 33, 43]);
    await inbox.post(delayed(1), 1_000);
    await looks(20, 9);
    assert.deepEqual(seconds(), [45, 46, 47, 48, 58]);
    assert.deepEqual(await control(), [1]);
  });

  it('the inbox of a data folder takes two requests that are posted within one tick of the file system', async () => {
    const { inbox, requests, looks, control } = await watched();
    await mkdir(requests);
    await looks(20);
    await inbox.post(delayed(1), 1_000);
    await looks(1, 7);
    await inbox.post(delayed(2), 2_000);
    await looks(1, 7);
    assert.deepEqual(await control(), [1, 2]);
  });

  it('the inbox of a data folder takes a request within ten seconds if the file system shows no change', async () => {
    const { inbox, requests, looks, control } = await watched();
    await mkdir(requests);
    await looks(20);
    await inbox.post(delayed(1), 1_000);
    await looks(10);
    assert.deepEqual(await control(), [1]);
  });

  it('the last look at the inbox of a data folder takes a request whose change is not shown', async () => {
    const { inbox, requests, looks, control, reader } = await watched();
    await mkdir(requests);
    await looks(15);
    await inbox.post(delayed(1), 1_000);
    await looks(1);
    assert.deepEqual(await control(), [], 'it was not due');
    await takeRegularly(reader, AbortSignal.abort());
    assert.deepEqual(await control(), [1]);
  });

  it('the inbox of a data folder appends nothing twice when its process dies before it answers', async () => {
    const { inbox, client, control } = await open(temporaryFolder());
    const [command] = delayed(8);
    const id = await inbox.post([command!], 2_000);
    // As a kill right after the append leaves it: the record is in the log, the command still there.
    const { log, codec } = client();
    await log.append(encodeRequest(codec, 'c', [command!]));
    await takeRequests(client());
    assert.deepEqual(await control(), [8]);
    assert.deepEqual(await inbox.answerTo(id), { taken: true, offsets: [0] });
  });

  it('the inbox of a data folder drops answers that nobody has read for a minute, at its first look', async () => {
    const { inbox, client, requests } = await open(temporaryFolder());
    await inbox.post(delayed(1), 1_000);
    await takeRequests(client());
    const nowMs = 1_700_000_000_000;
    const leave = async (name: string, ageMs: number) => {
      await writeFile(join(requests, name), '{}');
      await utimes(join(requests, name), (nowMs - ageMs) / 1_000, (nowMs - ageMs) / 1_000);
    };
    await leave('old.taken', 60_001);
    await leave('new.taken', 60_000);
    await leave('old.json.new', 60_001);
    const reader = { ...client(), clock: Object.assign(new SystemClock(), { nowMs: () => nowMs }) };
    await takeRequests(reader);
    const left = await readdir(requests);
    assert.deepEqual(
      left.filter((name) => /^(old|new)/.test(name)),
      ['new.taken'],
    );
    await leave('old.taken', 60_001);
    await takeRequests(reader);
    assert.ok((await readdir(requests)).includes('old.taken'), 'only the first look is so thorough');
  });

  it('the inbox of a data folder answers an unreadable request with the reason, and continues', async () => {
    const { inbox, client, control, requests } = await open(temporaryFolder());
    const good = await inbox.post(delayed(3), 2_000);
    await writeFile(
      join(requests, '0.json'),
      '{"id":"0","records":[{"topic":"control","partition":0,"key":null,"record":{}}]}',
    );
    await takeRequests(client());
    assert.equal((await inbox.answerTo('0'))?.taken, false);
    assert.equal((await inbox.answerTo(good))?.taken, true);
    assert.deepEqual(await control(), [3]);
    assert.deepEqual(await readdir(requests), []);
  });

  it('the inbox of a data folder keeps a request that could not be appended', async () => {
    const { inbox, client, control } = await open(temporaryFolder());
    const id = await inbox.post(delayed(4), 1_000);
    const { log, ...rest } = client();
    const full = { ...log, append: () => Promise.reject(new Error('the disk is full')) };
    for (let look = 0; look < 4; look++) await assert.rejects(takeRequests({ ...rest, log: full }), /disk is full/);
    assert.equal(await inbox.answerTo(id), undefined);
    await takeRequests({ ...rest, log });
    assert.deepEqual(await control(), [4]);
  });
});
