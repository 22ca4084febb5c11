/** A recorded crawl under other policies, over operators' events: told to its end, whatever the policies are. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { chanceOf } from '../../../../lab/simulation/chance.ts';
import { fingerprintKey } from '../../../../lab/simulation/driver.ts';
import type { Control } from '../../../../schemas/types.ts';
import { Recording } from '../../../../topology/extras/what-if/recording.ts';
import { type WhatIfReport, whatIf } from '../../../../topology/extras/what-if/what-if.ts';
import { defaultBudget } from '../../../../topology/policy/budget.ts';
import { defaultPolicy, type PolicyConfig } from '../../../../topology/policy/policy.ts';
import { defaultRecrawl } from '../../../../topology/policy/recrawl/recrawl-config.ts';
import { defaultScore } from '../../../../topology/policy/score/score-config.ts';
import { defaultTraps } from '../../../../topology/policy/traps/trap-config.ts';
import { noLists } from '../../../../topology/url/url-lists.ts';
import { assertKept } from '../../../kept/assert-kept.ts';
import { identity, type Recorded, recordedCrawl } from './recorded-crawl.ts';

function tried({ changelog, inputs }: Recorded, policy: Partial<PolicyConfig>): WhatIfReport {
  const recording = new Recording();
  for (const { topic, record } of inputs.results) if (topic === 'results' && record !== null) recording.result(record);
  for (const { topic, record, timestampMs } of inputs.discovered)
    if (topic === 'discovered' && record !== null) recording.found(record, 0, timestampMs);
  for (const { topic, record, timestampMs } of inputs.control)
    if (topic === 'control' && record !== null) recording.control(record, 0, timestampMs);
  return whatIf({
    ...{ partitions: [{ identity: { ...identity, keyMode: 'host' }, changelog, fromOffset: 0, inputs }], recording },
    ...{ key: fingerprintKey, keyMode: 'host', lists: noLists, fromMs: 0, lastRequestMs: 30_000 },
    instead: (json) => JSON.stringify({ ...JSON.parse(json), ...policy }),
  });
}

const worlds = 4;

const settings: readonly Partial<PolicyConfig>[] = [
  {},
  { delayMs: 10 },
  { delayMs: 4_000 },
  { delayMs: 0, urlsPerLeaseMax: 2 },
  { delayFactor: 5, delayFactorCapMs: 2_000 },
  { score: defaultScore, budget: { ...defaultBudget, base: 20 }, traps: defaultTraps },
  { recrawl: defaultRecrawl },
  { pageQuota: 40 },
  { maxDepth: 1 },
];

describe('a recorded crawl under another policy', () => {
  it('a recorded crawl under another policy is replayed to its end, whatever operators ordered meanwhile', () => {
    const reports = new Map<string, WhatIfReport[]>();
    for (let seed = 1; seed <= worlds; seed++) {
      const reported: WhatIfReport[] = [];
      reports.set(`seed ${seed}`, reported);
      const chance = chanceOf(seed, 'operators');
      const pick = () => settings[chance.between(0, settings.length - 1)]!;
      // One that visits pages again would never end by itself.
      const base = { ...pick(), recrawl: undefined };
      let version = 1;
      const events = Array.from({ length: 6 }, (): [number, Partial<Control>] => {
        const hostKey = `h${chance.between(0, 299)}.test`;
        const kind = (['blockHost', 'releaseHost', 'hostDelay', 'policy', 'purge'] as const)[chance.between(0, 4)]!;
        const payload = () =>
          JSON.stringify({
            ...defaultPolicy(),
            delayMs: 50,
            ...base,
            ...pick(),
            recrawl: undefined,
            version: ++version,
          });
        if (kind === 'policy') return [chance.between(3, 60), { kind, version: version + 1, payload: payload() }];
        return [chance.between(3, 60), { kind, hostKey, amount: kind === 'hostDelay' ? 700 : 0 }];
      }).sort(([a], [b]) => a - b);
      const recorded = recordedCrawl(base, 600, { seed, events });
      for (const policy of settings) {
        try {
          const report = tried(recorded, policy);
          assert.ok(report.decided.pages > 0);
          reported.push(report);
        } catch (error) {
          assert.fail(`seed ${seed}, ${JSON.stringify(policy).slice(0, 60)}: ${(error as Error).stack}`);
        }
      }
    }
    assertKept(new URL('reports.json', import.meta.url), reports);
  });
});
