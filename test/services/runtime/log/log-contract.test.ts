import { join } from 'node:path';
import { SystemClock } from '../../../../services/runtime/clock.ts';
import { logOverChannel } from '../../../../services/runtime/log/channel/log-over-channel.ts';
import { type Channel, createChannel } from '../../../../services/runtime/log/channel/message-channel.ts';
import { serveLog } from '../../../../services/runtime/log/channel/serve-log.ts';
import { openEmbeddedLog } from '../../../../services/runtime/log/embedded-log.ts';
import { createMemoryStore } from '../../../../services/runtime/store/memory-store.ts';
import { logContract } from '../../../contract/log-contract.ts';
import { storesOnDisk } from '../store/stores-on-disk.ts';
import { temporaryFolder } from '../store/temporary-folder.ts';
import { streamPair } from './channel/stream-pair.ts';

const clock = new SystemClock();
const root = temporaryFolder();
const embedded = { dense: true, trim: true, atomic: true };
let count = 0;

for (const tailBytes of [1 << 20, 1000, 0]) {
  logContract(`embedded, in memory, tail of ${tailBytes} bytes`, embedded, async () => {
    const store = createMemoryStore();
    let log = await openEmbeddedLog(store, clock, { tailBytes });
    return {
      log,
      reopen: async () => {
        await log.close();
        log = await openEmbeddedLog(store, clock, { tailBytes });
        return log;
      },
      close: () => log.close(),
    };
  });
}

logContract('over a channel, of an embedded one', embedded, async () => {
  const store = createMemoryStore();
  const fail = (error: unknown) => {
    throw error;
  };
  const open = async () => {
    const there = await openEmbeddedLog(store, clock, { tailBytes: 1000 });
    const [ours, theirs] = streamPair();
    const server = serveLog(there, () => serving);
    const serving: Channel = createChannel(theirs, server.served, fail);
    const client = logOverChannel(() => channel);
    const channel: Channel = createChannel(ours, client.served, fail);
    return { log: client.log, there };
  };
  let { log, there } = await open();
  const close = async () => {
    await log.close();
    await there.close();
  };
  return {
    log,
    reopen: async () => {
      await close();
      ({ log, there } = await open());
      return log;
    },
    close,
  };
});

for (const { name, open } of storesOnDisk) {
  logContract(`embedded, on ${name}`, embedded, async () => {
    const folder = join(root, String(count++));
    let store = await open(folder);
    let log = await openEmbeddedLog(store, clock);
    const close = async () => {
      await log.close();
      await store.close();
    };
    return {
      log,
      reopen: async () => {
        await close();
        store = await open(folder);
        log = await openEmbeddedLog(store, clock);
        return log;
      },
      close,
    };
  });
}
