/** A crawl whose topics are kept, on virtual time: 300 hosts, some fetches fail, some hosts are throttled. */

import { chanceOf } from '../../../../lab/simulation/chance.ts';
import { fingerprintKey } from '../../../../lab/simulation/driver.ts';
import { blankLink, blankLinkGroup, blankOutcome, blankRequest, blankResult } from '../../../../schemas/blank.ts';
import type { Control, Discovered, Result, Task } from '../../../../schemas/types.ts';
import type { RecordedInput } from '../../../../topology/extras/what-if/what-if.ts';
import { decodeChangelog, encodeClaim, type inputTopics } from '../../../../topology/frontier/changes/changelog.ts';
import { emptyControl } from '../../../../topology/frontier/decide/control-payloads.ts';
import { FrontierPartition } from '../../../../topology/frontier/partition.ts';
import { replay } from '../../../../topology/frontier/replay.ts';
import { FrontierState } from '../../../../topology/frontier/state/state.ts';
import { defaultPolicy, type PolicyConfig } from '../../../../topology/policy/policy.ts';

export const identity = { crawl: 'crawl', partition: 0, partitions: 1 };

export interface Recorded {
  readonly changelog: Buffer[];
  readonly inputs: { readonly [topic in (typeof inputTopics)[number]]: RecordedInput[] };
}

/** Until so many links were found. `events`: what operators say, each after so many commits. */
export function recordedCrawl(
  policy: Partial<PolicyConfig>,
  links: number,
  {
    seed = 7,
    events = [],
  }: { seed?: number; events?: readonly (readonly [commit: number, event: Partial<Control>])[] } = {},
): Recorded {
  const chance = chanceOf(seed, 'what-if');
  const said = [...events];
  const state = new FrontierState(fingerprintKey);
  const core = new FrontierPartition(identity, state);
  const inputs: Recorded['inputs'] = { control: [], results: [], discovered: [] };
  const changelog: Buffer[] = [];
  const tasks: Task[] = [];
  let [nowMs, found] = [1_000_000, 0];
  const offer = (topic: keyof Recorded['inputs'], record: Control | Result | Discovered) => {
    const input = { topic, offset: inputs[topic].length, record, timestampMs: nowMs } as RecordedInput;
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
    while (said[0] !== undefined && changelog.length >= said[0][0]) {
      offer('control', { ...emptyControl, atMs: nowMs, ...said.shift()![1] });
    }
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
