import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { blankControl } from '../../../../schemas/blank.ts';
import { watchBlockedHosts } from '../../../../services/fetcher/leases/blocked-hosts.ts';
import { createMemoryRegistry } from '../../../../services/runtime/avro/memory-registry.ts';
import { openCodec } from '../../../../services/runtime/avro/record-codec.ts';
import { SystemClock } from '../../../../services/runtime/clock.ts';
import { openEmbeddedLog } from '../../../../services/runtime/log/embedded-log.ts';
import type { Log } from '../../../../services/runtime/log/log.ts';
import { createMemoryStore } from '../../../../services/runtime/store/memory-store.ts';
import { topics } from '../../../../topology/topics.ts';

/** Two partitions of `control`; what is read waits until `letRead`. */
async function slowControl() {
  const memory = await openEmbeddedLog(createMemoryStore(), new SystemClock());
  await memory.createTopics([{ name: 't.control', partitions: 2, retention: topics.control.retention }]);
  const codec = await openCodec(createMemoryRegistry(), 't');
  let letRead = () => {};
  const mayRead = new Promise<void>((resolve) => (letRead = resolve));
  const log: Pick<Log, 'offsets' | 'reader'> & { fails: Error | null } = {
    fails: null,
    offsets: memory.offsets,
    reader() {
      const reader = memory.reader();
      const poll: typeof reader.poll = async (options) => {
        await mayRead;
        if (log.fails !== null) throw log.fails;
        return reader.poll(options);
      };
      return { ...reader, poll };
    },
  };
  const watch = () => {
    const failures: unknown[] = [];
    const hosts = watchBlockedHosts({
      clock: new SystemClock(),
      ...{ log, codec, crawl: 't', partitions: 2 },
      onPause: () => {},
      onPolicy: () => {},
      onFailure: (error) => failures.push(error),
    });
    let isCaughtUp = false;
    void hosts.caughtUp.then(() => (isCaughtUp = true));
    return { hosts, failures, isCaughtUp: () => isCaughtUp };
  };
  const block = (hostKey: string, partition: number) => {
    const value = codec.encode('control', { ...blankControl, kind: 'blockHost', hostKey });
    return memory.append([{ topic: 't.control', partition, key: null, value }]);
  };
  return { memory, letRead, watch, block, log };
}

describe('hosts that are blocked', () => {
  it('are known, on all partitions, before a request may go', async () => {
    const { memory, letRead, watch, block } = await slowControl();
    await block('a.test', 0);
    await block('b.test', 1);
    const { hosts, failures, isCaughtUp } = watch();
    for (let n = 0; n < 20; n++) await turn();
    assert.equal(isCaughtUp(), false);
    letRead();
    await hosts.caughtUp;
    assert.deepEqual([hosts.has('a.test'), hosts.has('b.test'), hosts.has('c.test')], [true, true, false]);
    await hosts.stop();
    await memory.close();
    assert.deepEqual(failures, []);
  });

  it('are waited for by nobody where nothing has been said', async () => {
    const { memory, letRead, watch } = await slowControl();
    const { hosts, failures } = watch();
    await hosts.caughtUp;
    letRead();
    await hosts.stop();
    await memory.close();
    assert.deepEqual(failures, []);
  });

  it('that cannot be read are a failure of the fetcher, once, and none while it stops', async () => {
    const { memory, letRead, watch, log } = await slowControl();
    const { hosts, failures } = watch();
    const broken = new Error('the log is gone');
    log.fails = broken;
    letRead();
    for (let n = 0; n < 200 && failures.length === 0; n++) await turn();
    assert.deepEqual(failures, [broken]);
    await hosts.stop();
    const other = watch();
    await other.hosts.stop();
    assert.deepEqual(other.failures, []);
    await memory.close();
  });
});
