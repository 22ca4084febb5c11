import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { blankControl } from '../../../../schemas/blank.ts';
import type { Control } from '../../../../schemas/types.ts';
import { controlKinds } from '../../../../schemas/types.ts';
import { type BlockedHostsOptions, watchBlockedHosts } from '../../../../services/fetcher/leases/blocked-hosts.ts';
import { createMemoryRegistry } from '../../../../services/runtime/avro/memory-registry.ts';
import { openCodec } from '../../../../services/runtime/avro/record-codec.ts';
import { SystemClock } from '../../../../services/runtime/clock.ts';
import { openEmbeddedLog } from '../../../../services/runtime/log/embedded-log.ts';
import type { Log } from '../../../../services/runtime/log/log.ts';
import { createMemoryStore } from '../../../../services/runtime/store/memory-store.ts';
import { ofWebmaster } from '../../../../topology/frontier/decide/control-payloads.ts';
import { defaultPolicy } from '../../../../topology/policy/policy.ts';
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
  const watch = (more: Partial<BlockedHostsOptions> = {}) => {
    const failures: unknown[] = [];
    const said: unknown[] = [];
    const hosts = watchBlockedHosts({
      clock: new SystemClock(),
      ...{ log, codec, crawl: 't', partitions: 2 },
      onPause: (hostKey, belowLease) => said.push([hostKey, belowLease]),
      onPolicy: ({ version }) => said.push(version),
      onFailure: (error) => failures.push(error),
      ...more,
    });
    let isCaughtUp = false;
    void hosts.caughtUp.then(() => (isCaughtUp = true));
    return { hosts, failures, said, isCaughtUp: () => isCaughtUp };
  };
  const order = (event: Partial<Control>, partition = 0) => {
    const value = codec.encode('control', { ...blankControl, ...event });
    return memory.append([{ topic: 't.control', partition, key: null, value }]);
  };
  const block = (hostKey: string, partition: number) => order({ kind: 'blockHost', hostKey }, partition);
  return { memory, letRead, watch, order, block, log };
}

it('each order on control is read by its kind, and each policy once, the newest last', async () => {
  const { memory, letRead, watch, order } = await slowControl();
  const policy = (version: number) => ({
    kind: 'policy' as const,
    version,
    payload: JSON.stringify({ ...defaultPolicy(), version }),
  });
  for (const partition of [0, 1]) await order(policy(2), partition);
  await order(policy(1));
  const url = JSON.stringify({ url: 'http://kept.test/' });
  for (const kind of controlKinds.filter((one) => one !== 'policy'))
    await order({ kind, hostKey: `${kind.toLowerCase()}.test`, version: 7, payload: kind === 'purge' ? '' : url });
  await order({ kind: 'purge', hostKey: 'kept.test', payload: url });
  await order({ kind: 'blockHost', hostKey: 'free.test' });
  await order({ kind: 'releaseHost', hostKey: 'free.test' });
  const theirs = { payload: ofWebmaster } as const;
  for (const hostKey of ['paused.test', 'both.test', 'again.test', 'purge.test'])
    await order({ kind: 'blockHost', hostKey, ...theirs });
  await order({ kind: 'blockHost', hostKey: 'both.test' });
  for (const hostKey of ['both.test', 'again.test', 'purge.test'])
    await order({ kind: 'releaseHost', hostKey, ...theirs });
  letRead();
  const { hosts, said, failures } = watch();
  await hosts.caughtUp;
  assert.deepEqual([said.filter((one) => typeof one !== 'number'), failures], [[['pausehost.test', 7]], []]);
  assert.deepEqual(
    said.filter((one) => typeof one === 'number'),
    [2],
  );
  const names = [
    ...controlKinds.map((kind) => `${kind.toLowerCase()}.test`),
    'kept.test',
    'free.test',
    'paused.test',
    'both.test',
    'again.test',
  ];
  assert.deepEqual(
    names.filter((name) => hosts.has(name)),
    ['blockhost.test', 'purge.test', 'paused.test', 'both.test'],
  );
  await hosts.stop();
  await memory.close();
});

it('of the policies that were there before, only the newest readable one is passed on, then each newer one', async () => {
  const { memory, letRead, watch, order } = await slowControl();
  const policy = (version: number, payload = JSON.stringify({ ...defaultPolicy(), version })) =>
    order({ kind: 'policy', version, payload });
  for (const version of [1, 2, 3]) await policy(version);
  await policy(4, '{');
  const { hosts, said } = watch();
  letRead();
  await hosts.caughtUp;
  assert.deepEqual(said, [3]);
  for (const version of [5, 6]) await policy(version);
  while (said.length < 3) await turn();
  assert.deepEqual(said, [3, 5, 6]);
  await hosts.stop();
  await memory.close();
});

it('payments and keys come from the first partition, in order, and unreadable ones are ignored', async () => {
  const { memory, letRead, watch, order } = await slowControl();
  const key = (key: unknown, partition = 0) =>
    order({ kind: 'signingKey', payload: JSON.stringify({ key }) }, partition);
  await order({ kind: 'payment', id: '1' });
  await order({ kind: 'payment', id: '2' }, 1);
  await key('file:/a');
  await key('file:/b', 1);
  await key(7);
  await key(undefined);
  await order({ kind: 'signingKey', payload: '{' });
  await key('file:/c');
  await order({ kind: 'blockHost', hostKey: 'a.test' });
  letRead();
  const reported: unknown[] = [];
  const { hosts, failures } = watch({
    onPayment: ({ id }) => reported.push(id),
    onSigningKey: (key) => reported.push(key),
  });
  await hosts.caughtUp;
  assert.deepEqual(
    [reported, failures, hosts.has('a.test'), hosts.has('b.test')],
    [['1', 'file:/a', 'file:/c'], [], true, false],
  );
  await hosts.stop();
  await memory.close();
});

describe('blocked hosts', () => {
  it('blocked hosts are known on all partitions before any request starts', async () => {
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

  it('blocked hosts delay nobody if control is empty', async () => {
    const { memory, letRead, watch } = await slowControl();
    const { hosts, failures } = watch();
    await hosts.caughtUp;
    letRead();
    await hosts.stop();
    await memory.close();
    assert.deepEqual(failures, []);
  });

  it('unreadable blocked hosts fail the fetcher once, but not while it stops', async () => {
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
