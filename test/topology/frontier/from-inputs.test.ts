/** A state made from its inputs alone: what it keeps of pages that are visited again. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { Hand } from '../../../lab/model/hand.ts';
import type { Control, Discovered, Result } from '../../../schemas/types.ts';
import { feedSignature } from '../../../topology/content/feed-signature.ts';
import { FromInputs } from '../../../topology/frontier/from-inputs.ts';
import { defaultSeen } from '../../../topology/frontier/seen/seen-config.ts';
import { FrontierState } from '../../../topology/frontier/state/state.ts';
import { defaultRecrawl, type RecrawlConfig } from '../../../topology/policy/recrawl/recrawl-config.ts';

const hour = 3_600_000;
const a = 'a.test';

/** A hand whose every input is kept. */
function recorded(recrawl: Partial<RecrawlConfig>) {
  const hand = new Hand({ delayMs: 1_000, recrawl: { ...defaultRecrawl, intervalMs: hour, minMs: 1_000, ...recrawl } });
  const inputs = { control: [] as unknown[], results: [] as unknown[], discovered: [] as unknown[] };
  const { rig } = hand;
  const send = rig.send.bind(rig);
  rig.send = (topic: keyof typeof inputs, record: never) => {
    inputs[topic].push(record);
    send(topic, record);
  };
  return { hand, inputs };
}

function fromInputs(hand: Hand, inputs: ReturnType<typeof recorded>['inputs']): FrontierState {
  const { key, policyVersion: version, policyJson: payload } = hand.rig.core.state;
  const state = new FrontierState(key, { ...defaultSeen, memoryBytes: 2 ** 30 });
  const made = new FromInputs({ crawl: 'model', partition: 0, partitions: 1 }, state);
  const policy = {
    kind: 'policy',
    version,
    payload,
    atMs: 0,
    by: '',
    partition: -1,
    hostKey: '',
    amount: 0,
    wanted: 0,
  };
  made.control({ ...policy, id: '' } as Control);
  for (const event of inputs.control) made.control(event as Control);
  for (const result of inputs.results) made.result(result as Result);
  for (const message of inputs.discovered) made.discovered(message as Discovered);
  made.end();
  return state;
}

/** Of each URL: when it is due, and what its visits told. */
function scheduleOf({ recrawl, fingerprintOf }: FrontierState, urls: readonly string[], state: FrontierState) {
  return urls.map((url) => {
    const [hi, lo] = fingerprintOf.call(state, url);
    const row = recrawl.table.find(hi!, lo!);
    if (row < 0) return null;
    const { record, visitedAtMs, changedAtMs, history, signature } = recrawl.pageAt(hi!, lo!)!;
    const { status, depth, etag, contentHash } = record;
    const { dueS, band } = recrawl.table.at(row);
    return { dueS, band, status, depth, etag, contentHash, visitedAtMs, changedAtMs, history, signature };
  });
}

for (const schedule of ['fixed', 'adaptive'] as const) {
  it(`keeps when pages are due, and what their visits told (${schedule})`, () => {
    const { hand, inputs } = recorded({ schedule, errorMs: 5 * hour, goneMs: null });
    hand.links(a, 4);
    const found = [
      { contentHash: '1', etag: '"1"' },
      { contentHash: '2', textSignature: feedSignature(['https://a.test/x'], 0) },
      { kind: 'clientError' },
      { kind: 'gone' },
    ] as const;
    for (let visit = 0; visit < 9; visit++) {
      for (const task of hand.grant(visit === 0 ? 0 : 31 * 24 * hour)) {
        const result = hand.resultOf(task, (index) => {
          const number = Number(new URL(task.urls[index]!.url).pathname.slice(1));
          const same = { ...found[number]! };
          return number === 0 && visit % 2 === 1 ? { ...same, contentHash: `${visit}` } : same;
        });
        hand.rig.send('results', result);
        hand.rig.step(hand.nowMs, 0);
      }
    }
    const { state } = hand.rig.core;
    const urls = [0, 1, 2, 3].map((n) => `https://${a}/${n}`);
    const kept = scheduleOf(state, urls, state);
    const made = fromInputs(hand, inputs);
    assert.deepEqual(scheduleOf(made, urls, made), kept);
    assert.equal(kept[3], null);
    assert.ok(kept[0]!.history.changes > 2 && kept[1]!.history.unchanged > 2 && kept[2]!.status === 'failed');
    assert.deepEqual([made.counters.scheduled, made.counters.page, made.counters.failed], [3, 2, 2]);
  });
}
