import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { blankControl, blankLinkGroup, blankResult } from '../../../../schemas/blank.ts';
import type { Control, Discovered } from '../../../../schemas/types.ts';
import { decodeChangelog, encodeClaim } from '../../../../topology/frontier/changes/changelog.ts';
import { isAboutHost, Misrouted } from '../../../../topology/frontier/decide/misrouted.ts';
import { FromInputs } from '../../../../topology/frontier/from-inputs.ts';
import { FrontierPartition, type Input } from '../../../../topology/frontier/partition.ts';
import { replay } from '../../../../topology/frontier/replay.ts';
import { FrontierState } from '../../../../topology/frontier/state/state.ts';
import { defaultPolicy } from '../../../../topology/policy/policy.ts';
import { hostKeyOf, type KeyMode, partitionKeyOf } from '../../../../topology/url/host-key.ts';
import { partitionOf } from '../../../../topology/url/partition.ts';

const partitions = 3;
const nowMs = 1_000_000;
const policy = {
  ...blankControl,
  kind: 'policy' as const,
  version: 1,
  payload: JSON.stringify({ ...defaultPolicy(), version: 1 }),
};
type Given = Omit<Extract<Input, { readonly record: unknown }>, 'offset'>;

function open(keyMode: KeyMode = 'host', partition = 0) {
  const state = new FrontierState({ hi: 1, lo: 2 });
  replay(state, 0, decodeChangelog(encodeClaim({ kind: 'claim', nonce: 'n', nowMs, endsLeases: false })));
  const core = new FrontierPartition({ crawl: 'c', partition, partitions, keyMode }, state);
  const next = { control: 0, results: 0, discovered: 0 };
  const take = (given: object) => {
    const input = given as Given;
    core.offer({ ...input, offset: next[input.topic]++ } as Input);
    return core.step(nowMs, 0)!;
  };
  take({ topic: 'control', record: policy });
  return { state, take };
}

/** Hosts by the partition that their name leads to. */
function hostsOf(partition: number, mode: KeyMode = 'host'): string[] {
  const all = Array.from({ length: 100 }, (_, i) => `www.h${i}.com`);
  return all.filter((host) => partitionOf(partitionKeyOf(host, mode), partitions) === partition);
}

function linksTo(urls: readonly string[], hostKey = hostKeyOf(urls[0]!)): Discovered {
  const links = urls.map((url) => ({ url, lastModifiedMs: 0, priority: -1, spelling: '' }));
  return { groups: [{ ...blankLinkGroup, hostKey, depth: 2, sourceUrl: 'https://s.com/', links }] };
}

describe('a host belongs to one partition', () => {
  for (const count of [1, 2, 3, 7])
    it(`a host belongs to one partition of ${count}, and to no other`, () => {
      const all = Array.from({ length: count }, (_, partition) => {
        return new Misrouted({ crawl: 'c', partition, partitions: count }, [], 0);
      });
      const homes = Array.from({ length: 50 }, (_, n) => {
        const ours = all.flatMap((one, partition) => (one.isOurs(`h${n}.com`) ? [partition] : []));
        assert.deepEqual(ours, [partitionOf(`h${n}.com`, count)]);
        return ours[0];
      });
      assert.equal(new Set(homes).size, count);
    });
});

describe('links on a wrong partition', () => {
  const [ours] = hostsOf(0);
  const [theirs, other] = hostsOf(1);

  it('links on a wrong partition are not admitted but passed on, whole, to the right one', () => {
    const { state, take } = open();
    const message = linksTo([`https://${theirs}/1`, `https://${theirs}/2`]);
    const { passedOn, deadLetters } = take({ topic: 'discovered', record: message });
    assert.deepEqual(passedOn, [{ topic: 'discovered', partition: 1, key: theirs, record: message }]);
    assert.deepEqual(deadLetters, []);
    assert.deepEqual([state.counters.admitted, state.counters.misrouted, state.hosts.size], [0, 1, 0]);
    assert.equal(state.positions.discovered.offset, 1);
  });

  it('links on a wrong partition are identified by their URLs’ hosts, whatever their group says, and right ones stay', () => {
    const { state, take } = open();
    const urls = [`https://${ours}/1`, `https://${theirs}/1`, `https://${other}/1`, `https://${other}/2`];
    const { passedOn } = take({ topic: 'discovered', record: linksTo([...urls, `https://${ours}/2`]) });
    assert.equal(state.counters.admitted, 2);
    const there = passedOn.map(({ partition, record }) => [partition, (record as Discovered).groups[0]!] as const);
    assert.deepEqual(
      there.map(([partition, { hostKey, links, depth }]) => [partition, hostKey, links.length, depth]),
      [
        [1, theirs, 1, 2],
        [1, other, 2, 2],
      ],
    );
  });

  it('links on a wrong partition become dead letters if they were passed on before: nothing circulates', () => {
    const { state, take } = open();
    const message = linksTo([`https://${theirs}/1`, `https://${theirs}/2`]);
    const bytes = Buffer.from('as it came');
    const { passedOn, deadLetters } = take({ topic: 'discovered', record: message, passedOn: bytes });
    assert.deepEqual(passedOn, []);
    assert.deepEqual(
      deadLetters.map(({ reason, url, hostKey, original }) => [reason, url, hostKey, `${original}`]),
      [
        ['misrouted', `https://${theirs}/1`, theirs, 'as it came'],
        ['misrouted', `https://${theirs}/2`, theirs, ''],
      ],
    );
    assert.equal(state.counters.misrouted, 2);
  });

  it('links on a wrong partition are identified by the registrable domain if the crawl is keyed by domain', () => {
    const { state, take } = open('domain');
    const [home] = hostsOf(0, 'domain');
    const [away] = hostsOf(2, 'domain');
    const step = take({ topic: 'discovered', record: linksTo([`https://${home}/`, `https://${away}/`]) });
    assert.equal(state.counters.admitted, 1);
    assert.deepEqual(step.passedOn[0]!.partition, 2);
    assert.equal(step.passedOn[0]!.key, away!.slice('www.'.length));
  });

  it('links on a wrong partition are left to the right one when a state is made from inputs', () => {
    const state = new FrontierState({ hi: 1, lo: 2 });
    const inputs = new FromInputs({ crawl: 'c', partition: 0, partitions }, state);
    inputs.control(policy);
    inputs.discovered(linksTo([`https://${ours}/`, `https://${theirs}/`]));
    inputs.end();
    assert.equal(state.counters.admitted, 1);
  });
});

describe('a result or order on a wrong partition', () => {
  const [theirs] = hostsOf(2);

  it('a result or order on a wrong partition is passed on', () => {
    const { state, take } = open();
    const result = { ...blankResult, hostKey: theirs!, leaseId: 4 };
    const block = { ...blankControl, kind: 'blockHost' as const, hostKey: theirs! };
    const first = take({ topic: 'results', record: result });
    const second = take({ topic: 'control', record: block });
    assert.deepEqual(first.passedOn, [{ topic: 'results', partition: 2, key: theirs, record: result }]);
    assert.deepEqual(second.passedOn, [{ topic: 'control', partition: 2, key: theirs, record: block }]);
    assert.deepEqual([state.hosts.size, state.counters.misrouted], [0, 2]);
  });

  it('a result or order on a wrong partition becomes a dead letter with its bytes if it was passed on before', () => {
    const records = {
      control: { ...blankControl, kind: 'blockHost' as const, hostKey: theirs! },
      results: { ...blankResult, hostKey: theirs! },
    };
    for (const topic of ['control', 'results'] as const) {
      const { take } = open();
      const { deadLetters, passedOn } = take({ topic, record: records[topic], passedOn: Buffer.from('bytes') });
      assert.deepEqual(passedOn, []);
      assert.deepEqual(
        deadLetters.map(({ reason, sourceTopic, original, atMs }) => [reason, sourceTopic, `${original}`, atMs]),
        [['misrouted', topic, 'bytes', nowMs]],
      );
    }
  });

  it('an order concerns a host if it names one, and changes its facts', () => {
    const isAbout = (kind: Control['kind'], hostKey: string) => isAboutHost({ ...blankControl, kind, hostKey });
    assert.deepEqual(
      [isAbout('blockHost', theirs!), isAbout('blockHost', ''), isAbout('policy', theirs!), isAbout('policy', '')],
      [true, false, false, false],
    );
  });

  it('an order without a host concerns every partition', () => {
    const { state, take } = open();
    const next = { ...policy, version: 2, payload: JSON.stringify({ ...defaultPolicy(), version: 2 }) };
    assert.deepEqual(take({ topic: 'control', record: next }).passedOn, []);
    assert.equal(state.policyVersion, 2);
  });
});
