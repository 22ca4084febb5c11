import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { fingerprintKey } from '../../../../lab/simulation/driver.ts';
import type { Discovered } from '../../../../schemas/types.ts';
import { divergenceOf } from '../../../../topology/extras/what-if/first-divergence.ts';
import { ReDecider } from '../../../../topology/extras/what-if/re-decider.ts';
import { decodeChangelog, inputTopics } from '../../../../topology/frontier/changes/changelog.ts';
import { offsetsRead } from '../../../../topology/frontier/changes/offsets-read.ts';
import type { Input } from '../../../../topology/frontier/partition.ts';
import { FrontierState } from '../../../../topology/frontier/state/state.ts';
import { defaultBudget } from '../../../../topology/policy/budget.ts';
import type { PolicyConfig } from '../../../../topology/policy/policy.ts';
import { defaultScore } from '../../../../topology/policy/score/score-config.ts';
import { defaultTraps } from '../../../../topology/policy/traps/trap-config.ts';
import { noLists } from '../../../../topology/url/url-lists.ts';
import { identity, type Recorded, recordedCrawl } from './recorded-crawl.ts';

/** `npm run verify:full` decides a million again. */
const events = Number(process.env['CRAWLSTREAM_TEST_WHAT_IF_EVENTS'] ?? 5_000);

/** Decides it again, with another policy in the place of the recorded one where one is given. */
function decideAgain({ changelog, inputs }: Recorded, policy?: Partial<PolicyConfig>) {
  const again = new ReDecider(identity, new FrontierState(fingerprintKey), noLists);
  const substituted = (input: Input): Input => {
    if (policy === undefined || input.topic !== 'control' || input.record === null) return input;
    const payload = JSON.stringify({ ...JSON.parse(input.record.payload), ...policy });
    return { ...input, record: { ...input.record, payload } };
  };
  let events = 0;
  for (const [offset, value] of changelog.entries()) {
    const record = decodeChangelog(value);
    const taken =
      record.kind === 'claim' ? [] : inputTopics.flatMap((topic) => inputs[topic].slice(...offsetsRead(record, topic)));
    for (const { topic, record } of taken) if (topic === 'discovered') events += (record as Discovered).groups.length;
    const difference = again.take(offset, value, taken.map(substituted));
    if (difference !== null && divergenceOf(0, difference, null, again.partition.policy) !== null)
      return { events, commits: again.commits, difference, again };
  }
  return { events, commits: again.commits, difference: null, again };
}

const policies: readonly (readonly [name: string, policy: Partial<PolicyConfig>])[] = [
  ['depth and spelling', {}],
  ['scores, budgets and traps', { score: defaultScore, budget: { ...defaultBudget, base: 20 }, traps: defaultTraps }],
];

describe('a recorded crawl that is decided again', () => {
  for (const [name, policy] of policies) {
    it(`a recorded crawl is repeated to the byte under its own policy: ${name}`, () => {
      const recorded = recordedCrawl(policy, events);
      const { events: decided, commits, difference } = decideAgain(recorded);
      assert.equal(difference && divergenceOf(0, difference, null, null), null);
      assert.ok(decided >= events && commits > 20, `${decided} events in ${commits} commits`);
    });
  }

  it('a recorded crawl is reported at the first decision that differs under another policy', () => {
    const recorded = recordedCrawl({ urlsPerLeaseMax: 4 }, 6_000);
    const { difference, again } = decideAgain(recorded, { maxDepth: 0 });
    const divergence = divergenceOf(0, difference!, null, again.partition.policy);
    assert.equal(divergence?.kind, 'admission');
    assert.match(divergence.text, /is not admitted: refused by depth: 1 > 0/);
    const { difference: slower, again: later } = decideAgain(recorded, { delayMs: 5_000 });
    assert.match(divergenceOf(0, slower!, null, later.partition.policy)!.text, /^grant of h\d+\.test: /);
  });

  it('a recorded crawl has its policies’ lists with every owner', () => {
    const again = new ReDecider(identity, new FrontierState(fingerprintKey), () => ({
      size: 3,
      bytes: 0,
      match: () => null,
    }));
    const list = { name: 'n', kind: 'hosts', path: 'p', sha256: '' } as const;
    assert.equal(again.partition.lists.source(list).size, 3);
    const first = again.partition;
    again.take(0, recordedCrawl({}, 100).changelog[0]!, []);
    assert.notEqual(again.partition, first, 'another owner has it');
    assert.equal(again.partition.lists.source(list).size, 3);
  });

  it('a recorded crawl is repeated under a policy that never mattered', () => {
    const { difference } = decideAgain(recordedCrawl({}, 4_000), { queuedMax: 9_000_000 });
    assert.equal(difference, null);
  });
});
