/** A page is scored again at each visit: by what its visits told of its changes, to a better front queue or to a worse one. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Hand } from '../../../../lab/model/hand.ts';
import { digest } from '../../../../topology/frontier/check/digest.ts';
import type { PolicyConfig } from '../../../../topology/policy/policy.ts';
import { defaultRecrawl } from '../../../../topology/policy/recrawl/recrawl-config.ts';
import { defaultScore, type WeightedScore } from '../../../../topology/policy/score/score-config.ts';

const hour = 3_600_000;
const host = 'a.test';
const url = `https://${host}/0`;

const byFreshness: WeightedScore = { ...defaultScore, domain: 0, page: 0.2, freshness: 0.8 };

/** The front queue of a page that was visited every hour, and has changed each time, or never. */
function afterVisits(changes: boolean, visits: number, policy: Partial<PolicyConfig> = {}): number {
  const recrawl = { ...defaultRecrawl, schedule: 'fixed' as const, intervalMs: hour };
  const hand = new Hand({ delayMs: 1, recrawl, score: byFreshness, ...policy });
  hand.links(host, 1, { priority: -1, depth: 3 });
  for (let visit = 0; visit < visits; visit++)
    hand.report(hand.lease(visit === 0 ? 0 : 2 * hour), { contentHash: changes ? `body ${visit}` : 'the same' });
  const { rig } = hand;
  const { state } = rig.core;
  assert.equal(digest(rig.replayed()), digest(state));
  const [hi, lo] = [...state.fingerprintOf(url)];
  return state.recrawl.table.at(state.recrawl.table.find(hi!, lo!)).frontQueue;
}

describe('a revisited page', () => {
  it('a revisited page gets a better score if it changes, and a worse one if not', () => {
    const first = afterVisits(true, 1);
    assert.equal(first, afterVisits(false, 1), 'at first they are alike');
    const [changing, steady] = [afterVisits(true, 6), afterVisits(false, 6)];
    assert.ok(changing < first && first < steady, `${changing}, ${first}, ${steady}`);
  });

  it('a revisited page is scored with the policy’s weight of freshness: 1000 orders otherwise than 0', () => {
    const by = (freshness: number) =>
      [true, false].map((changes) => afterVisits(changes, 6, { score: { ...defaultScore, freshness } }));
    const [changing, steady] = by(1_000);
    assert.ok(changing! < steady!, `${changing}, ${steady}`);
    const [one, other] = by(0);
    assert.equal(one, other);
  });

  it('a revisited page stays in an overlay’s front queue', () => {
    const overlays = [{ name: 'all', match: { hosts: [host] }, set: { frontQueue: 4 } }];
    assert.deepEqual([afterVisits(true, 4, { overlays }), afterVisits(false, 4, { overlays })], [4, 4]);
  });
});
