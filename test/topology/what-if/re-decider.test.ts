import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { blankLink, blankLinkGroup, blankOutcome, blankRequest, blankResult } from '../../../schemas/blank.ts';
import type { Control, Discovered, Result, Task } from '../../../schemas/types.ts';
import { decodeChangelog, encodeClaim, inputTopics } from '../../../topology/frontier/changes/changelog.ts';
import { emptyControl } from '../../../topology/frontier/decide/control-payloads.ts';
import { FrontierPartition, type Input } from '../../../topology/frontier/partition.ts';
import { replay } from '../../../topology/frontier/replay.ts';
import { FrontierState } from '../../../topology/frontier/state/state.ts';
import { defaultBudget } from '../../../topology/policy/budget.ts';
import { defaultPolicy, type PolicyConfig } from '../../../topology/policy/policy.ts';
import { defaultScore } from '../../../topology/policy/score/score-config.ts';
import { defaultTraps } from '../../../topology/policy/traps/trap-config.ts';
import { noLists } from '../../../topology/url/url-lists.ts';
import { divergenceOf } from '../../../topology/what-if/first-divergence.ts';
import { ReDecider } from '../../../topology/what-if/re-decider.ts';
import { chanceOf } from '../../simulation/chance.ts';
import { fingerprintKey } from '../../simulation/driver.ts';

/** `npm run verify:full` decides a million again. */
const events = Number(process.env['CRAWLSTREAM_WHAT_IF_EVENTS'] ?? 5_000);
const identity = { crawl: 'crawl', partition: 0, partitions: 1 };

interface Recorded {
  readonly changelog: Buffer[];
  readonly inputs: { readonly [topic in (typeof inputTopics)[number]]: Input[] };
}

/** A crawl of 300 hosts, until so many links were found; some fetches fail, some hosts are throttled. */
function crawl(policy: Partial<PolicyConfig>, links: number): Recorded {
  const chance = chanceOf(7, 'what-if');
  const state = new FrontierState(fingerprintKey);
  const core = new FrontierPartition(identity, state);
  const inputs: Recorded['inputs'] = { control: [], results: [], discovered: [] };
  const changelog: Buffer[] = [];
  const tasks: Task[] = [];
  let [nowMs, found] = [1_000_000, 0];
  const offer = (topic: keyof Recorded['inputs'], record: Control | Result | Discovered) => {
    const input = { topic, offset: inputs[topic].length, record } as Input;
    inputs[topic].push(input);
    core.offer(input);
  };
  const urlOf = () => `http://h${chance.between(0, 299)}.test/p/${chance.between(0, links >> 4)}`;
  const discover = (sourceUrl: string, depth: number, count: number) => {
    found += count;
    const groups = Array.from({ length: count }, () => {
      const url = urlOf();
      const about = { sourceUrl, sourceKey: sourceUrl && new URL(sourceUrl).host, depth };
      return { ...blankLinkGroup, ...about, hostKey: new URL(url).host, links: [{ ...blankLink, url }] };
    });
    offer('discovered', { groups });
  };
  const fetch = (task: Task) => {
    const outcomes = task.urls.map(({ url, depth }, index) => {
      const kind = chance.happens(0.05) ? 'throttled' : chance.happens(0.05) ? 'serverError' : 'fetched';
      if (kind === 'fetched' && found < links) discover(url, depth + 1, 40);
      return { ...blankOutcome, index, url, kind, status: kind === 'fetched' ? 200 : 503 } as const;
    });
    const requests = outcomes.map(({ url, index }) => {
      const times = { startMs: nowMs - 20 - chance.between(0, 200), endMs: nowMs };
      return { ...blankRequest, kind: 'page', url, outcomeIndex: index, ...times } as const;
    });
    const { leaseId, epoch, hostKey } = task;
    offer('results', { ...blankResult, leaseId, epoch, hostKey, last: true, completedAtMs: nowMs, outcomes, requests });
  };
  changelog.push(encodeClaim({ kind: 'claim', nonce: 'first', nowMs, endsLeases: false }));
  replay(state, 0, decodeChangelog(changelog[0]!));
  changelog.push(core.open(nowMs).commit);
  const payload = JSON.stringify({ ...defaultPolicy(), delayMs: 50, ...policy, version: 1 });
  offer('control', { ...emptyControl, kind: 'policy', version: 1, payload });
  // More than one commit holds: it is taken in slices.
  discover('', 0, Math.min(12_000, links >> 1));
  for (let idle = 0; idle < 3; ) {
    const demand = 100 - state.leases.size;
    const step = core.step(nowMs, demand);
    if (step !== null) {
      changelog.push(step.commit);
      tasks.push(...step.tasks);
    }
    idle = step === null && tasks.length === 0 ? idle + 1 : 0;
    nowMs += 10 + chance.between(0, 90);
    for (const task of tasks.splice(0, chance.between(1, 12))) fetch(task);
    if (idle > 0) nowMs = Math.max(nowMs, core.wakeAtMs(100) ?? nowMs);
    // A step more than is needed, as owners take when they are woken for nothing.
    const more = chance.happens(0.3) ? core.step(nowMs, 0) : null;
    if (more !== null) changelog.push(more.commit);
  }
  return { changelog, inputs };
}

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
      record.kind === 'claim'
        ? []
        : inputTopics.flatMap((topic) => inputs[topic].slice(...ReDecider.wanted(record, topic)));
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

describe('a recorded crawl, decided again', () => {
  for (const [name, policy] of policies) {
    it(`is the same to the byte under its own policy: ${name}`, () => {
      const recorded = crawl(policy, events);
      const { events: decided, commits, difference } = decideAgain(recorded);
      assert.equal(difference && divergenceOf(0, difference, null, null), null);
      assert.ok(decided >= events && commits > 20, `${decided} events in ${commits} commits`);
    });
  }

  it('is told apart at the first decision that another policy takes', () => {
    const recorded = crawl({ urlsPerLeaseMax: 4 }, 6_000);
    const { difference, again } = decideAgain(recorded, { maxDepth: 0 });
    const divergence = divergenceOf(0, difference!, null, again.partition.policy);
    assert.equal(divergence?.kind, 'admission');
    assert.match(divergence.text, /is not admitted: refused by depth: 1 > 0/);
    const { difference: slower, again: later } = decideAgain(recorded, { delayMs: 5_000 });
    assert.match(divergenceOf(0, slower!, null, later.partition.policy)!.text, /^grant of h\d+\.test: /);
  });

  it('is the same under a policy that never mattered', () => {
    const { difference } = decideAgain(crawl({}, 4_000), { queuedMax: 9_000_000 });
    assert.equal(difference, null);
  });
});
