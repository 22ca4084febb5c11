import assert from 'node:assert/strict';
import { describe, it, test } from 'node:test';
import { Hand } from '../../../../lab/model/hand.ts';
import type { Control } from '../../../../schemas/types.ts';
import { LostInputs } from '../../../../services/frontier/own/lost-inputs.ts';
import type { Clock } from '../../../../services/runtime/clock.ts';
import { controlEvent, controlEvents, readControl } from '../../../../services/runtime/crawl/control-log.ts';
import { createMemoryStore } from '../../../../services/runtime/store/memory-store.ts';
import { digest } from '../../../../topology/frontier/check/digest.ts';
import { frontierLimits } from '../../../../topology/frontier/frontier-limits.ts';
import { defaultPolicy } from '../../../../topology/policy/policy.ts';
import { changelog, clock, type Harness, identity, startHarness, until } from '../owner-harness.ts';

const control = 't.control';

/** The same crawl in a log whose `control` holds nothing. */
async function withoutControl(harness: Harness): Promise<Harness> {
  const lost = await startHarness();
  await lost.log.trim(control, 0, (await lost.log.offsets(control, 0)).end);
  for (const topic of ['t.discovered', 't.results', changelog]) {
    const reader = harness.log.reader();
    const { end } = await harness.log.offsets(topic, 0);
    reader.seek(topic, 0, 0);
    for (let at = 0; at < end; ) {
      const records = await reader.poll({ maxBytes: 1 << 20, waitMs: 100 });
      await lost.log.append(records.map(({ value, headers }) => ({ topic, partition: 0, key: null, value, headers })));
      at += records.length;
    }
    await reader.close();
  }
  return lost;
}

test('the owner of a partition republishes policy and orders after control was lost, and keeps its state', async () => {
  const harness = await startHarness();
  const send = (record: Partial<Control> & Pick<Control, 'kind'>) =>
    harness.log.append([
      {
        ...{ topic: control, partition: 0, key: null },
        value: harness.codec.encode('control', controlEvent({ atMs: 5, by: 'operator', ...record })),
      },
    ]);
  await harness.discoverUrls(['a', 'b', 'c', 'd', 'e'].map((name) => `http://${name}.test/`));
  await send({ kind: 'blockHost', hostKey: 'a.test' });
  await send({ kind: 'blockHost', hostKey: 'b.test', payload: JSON.stringify({ webmaster: true }) });
  await send({ kind: 'purge', hostKey: 'c.test' });
  await send({ kind: 'hostDelay', hostKey: 'd.test', amount: 9_000 });
  await send({ kind: 'hostLimit', hostKey: 'd.test', amount: 7 });
  await send({ kind: 'hostLeases', hostKey: 'd.test', amount: 3 });
  await send({ kind: 'hostDelay', hostKey: 'e.test', amount: 8_000, payload: JSON.stringify({ least: true }) });
  await send({ kind: 'trap', hostKey: 'e.test', payload: JSON.stringify({ pattern: '/x/#', detail: 'mine' }) });
  const policy = { ...defaultPolicy(), queuedMax: 123_456 };
  await send({ kind: 'policy', version: 12, payload: JSON.stringify(policy) });
  const work = async (on: Harness, done: () => Promise<boolean>) => {
    const owner = on.owner({ store: createMemoryStore(), leasesMax: 0, idleMs: 5 });
    const run = owner.run();
    let isDone = false;
    await until(() => {
      void done().then((is) => (isDone ||= is));
      return isDone && (owner.committed?.counters.admitted ?? 0) > 0;
    });
    // Time enough to take what it has sent itself.
    await new Promise((resolve) => setTimeout(resolve, 300));
    owner.stop();
    await run;
  };
  await work(harness, async () => (await harness.replayed()).state.policyVersion === 12);
  const before = (await harness.replayed()).state;

  const lost = await withoutControl(harness);
  const { start } = await lost.log.offsets(control, 0);
  const there = async () => {
    const events: Control[] = [];
    const { end } = await lost.log.offsets(control, 0);
    for await (const { event } of controlEvents(lost.log, lost.codec, 't', 0, start, end)) events.push(event);
    return events;
  };
  await work(lost, async () => (await there()).length >= 8);
  const orders = await there();
  assert.deepEqual(
    orders
      .filter(({ kind }) => kind !== 'quota' && kind !== 'quotaReport')
      .map(({ kind, hostKey, amount, payload }) => [kind, hostKey, amount, kind === 'policy' ? 'policy' : payload])
      .sort((a, b) => `${a}`.localeCompare(`${b}`)),
    [
      ['blockHost', 'a.test', 0, ''],
      ['blockHost', 'b.test', 0, '{"webmaster":true}'],
      ['hostDelay', 'd.test', 9_000, ''],
      ['hostDelay', 'e.test', 8_000, '{"least":true}'],
      ['hostLeases', 'd.test', 3, ''],
      ['hostLimit', 'd.test', 7, ''],
      ['policy', '', 0, 'policy'],
      ['purge', 'c.test', 0, ''],
      ['trap', 'e.test', 0, '{"pattern":"/x/#","detail":"mine"}'],
    ],
  );
  // What was lost stays counted; what was sent again since is not lost.
  await work(lost, async () => (await lost.replayed()).state.counters.cutInputs === 1);
  const sentSince = (await there()).slice(orders.length).map(({ kind }) => kind);
  assert.deepEqual(
    sentSince.filter((kind) => kind !== 'quota' && kind !== 'quotaReport'),
    [],
  );
  const { policy: again } = await readControl(lost.log, lost.codec, 't');
  assert.deepEqual([again!.version, JSON.parse(again!.json)], [12, policy]);
  const { state } = await lost.replayed();
  assert.equal(digestOfHosts(state), digestOfHosts(before));
  assert.equal(digest(state).length, digest(before).length);
});

function digestOfHosts({
  hosts,
  traps,
}: {
  hosts: { values(): Iterable<{ key: string; facts: object }> };
  traps: { active: Map<string, unknown> };
}) {
  return JSON.stringify([[...hosts.values()].map(({ key, facts }) => [key, facts]), [...traps.active]]);
}

describe('a policy that control lost after some hosts had moved to its delay', () => {
  /** The state of a partition in the middle of the policy, whose offset is 1, and a log of `control` that ends at 1. */
  async function amidPolicy(nowMs: number) {
    const hand = new Hand({ delayMs: 60_000 });
    const { state } = hand.rig.core;
    for (let n = 0; n < 2 * frontierLimits.hostsMovedPerStep; n++) {
      const hostKey = `h${n}.test`;
      const facts = { ...state.hosts.at(state.getOrCreate(hostKey).id).facts, readyAtMs: hand.nowMs + 60_000 };
      state.apply({ kind: 'host', hostKey, facts });
    }
    hand.policy({ delayMs: 1_000 });
    assert.deepEqual(state.positions.control, { offset: 1, slice: frontierLimits.hostsMovedPerStep });
    const harness = await startHarness();
    const sent: Control[] = [];
    const lost = new LostInputs({
      ...{ log: harness.log, codec: harness.codec },
      ...{ clock: Object.assign(Object.create(clock) as Clock, { nowMs: () => nowMs }), identity },
      commit: async () => {},
      publishControls: async (controls) => void sent.push(...controls.map(({ record }) => record)),
    });
    const poll = async () => {
      const reader = harness.log.reader();
      await lost.poll(hand.rig.core, reader, { maxBytes: 1, waitMs: 0 });
      await reader.close();
    };
    const look = () => lost.findControlLost(hand.rig.core, nowMs).then(poll);
    return { hand, state, harness, sent, look, poll };
  }

  it('a policy that control lost is given up by the next owner, and the former is sent again', async () => {
    const { state, sent, look } = await amidPolicy(Date.now());
    await look();
    assert.deepEqual(state.positions.control, { offset: 1, slice: 0 });
    assert.deepEqual(
      sent.map(({ kind }) => kind),
      ['policy'],
    );
  });

  it('a record that stands where the lost policy was is decided first, and orders are sent again only then', async () => {
    const { state, harness, sent, look, poll } = await amidPolicy(Date.now() - 60_000);
    const value = harness.codec.encode('control', controlEvent({ atMs: 5, by: 'operator', kind: 'releaseHost' }));
    await harness.log.append([{ topic: control, partition: 0, key: null, value }]);
    await look();
    assert.deepEqual(state.positions.control, { offset: 1, slice: 0 });
    assert.deepEqual(sent, []);
    state.positions.control = { offset: 2, slice: 0 };
    await poll();
    assert.deepEqual(
      sent.map(({ kind }) => kind),
      ['policy'],
    );
  });

  it('a policy that control still has goes on where it was', async () => {
    const { state, harness, sent, look } = await amidPolicy(Date.now());
    const value = harness.codec.encode('control', controlEvent({ atMs: 5, by: 'operator', kind: 'releaseHost' }));
    await harness.log.append([{ topic: control, partition: 0, key: null, value }]);
    await look();
    assert.equal(state.positions.control.slice, frontierLimits.hostsMovedPerStep);
    assert.deepEqual(sent, []);
  });
});
