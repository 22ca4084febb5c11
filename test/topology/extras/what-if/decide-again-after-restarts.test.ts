import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { clockOf } from '../../../../lab/model/clock-of.ts';
import { rigKey } from '../../../../lab/model/model-rig.ts';
import { divergenceOf } from '../../../../topology/extras/what-if/first-divergence.ts';
import { ReDecider } from '../../../../topology/extras/what-if/re-decider.ts';
import { settleAll } from '../../../../topology/frontier/state/settle-host.ts';
import { FrontierState } from '../../../../topology/frontier/state/state.ts';
import { noLists } from '../../../../topology/url/url-lists.ts';
import { RichGame } from '../../frontier/journal/rich-game.ts';

/** `npm run verify:full` plays thousands. */
const games = Number(process.env['CRAWLSTREAM_TEST_DECIDE_AGAIN_GAMES'] ?? 12);
const turns = 60;

/** What moves hosts on the clock by looking at them, each alone and together. */
const policies = {
  'a delay for each host': {},
  'a delay for each domain': { politenessKey: 'domain' },
  'caps of domains': { pagesPerDomainMax: 12, pagesPerHostMax: 8 },
  'a delay for each domain, windows, budgets and caps': {
    politenessKey: 'domain',
    pagesPerDomainMax: 12,
    windows: [{ hosts: ['in.test', 'e.test'], fromHour: 3, toHour: 9, utcOffsetMinutes: 0 }],
    budget: { base: 3, perSource: 1, max: 9, refillMs: 60_000, key: 'domain' },
  },
} as const;

/** A game whose owner is restarted now and then, from a checkpoint and the changelog; its policies hold `policy` as well. */
function play(seed: number, policy: object): RichGame {
  const game = new RichGame(seed);
  const send = game.rig.send.bind(game.rig);
  game.rig.send = ((topic: string, record: { readonly kind?: string; readonly payload: string }) => {
    const payload = record.kind === 'policy' ? JSON.stringify({ ...JSON.parse(record.payload), ...policy }) : '';
    send(topic as 'control', (payload === '' ? record : { ...record, payload }) as never);
  }) as typeof game.rig.send;
  for (let turn = 0; turn < turns; turn++) game.turn();
  return game;
}

/** Null: every commit came out again, to the byte. */
function firstDifference({ rig }: RichGame): string | null {
  const again = new ReDecider({ crawl: 'model', partition: 0, partitions: 1 }, new FrontierState(rigKey), noLists);
  for (const [offset, value] of rig.changelog.entries()) {
    const difference = again.take(offset, value, rig.inputsOf(value));
    if (difference === null) continue;
    return `offset ${offset}: ${divergenceOf(0, difference, null, again.partition.policy)?.text}`;
  }
  return null;
}

describe('a frontier that is built from its changelog', () => {
  it('each host of a frontier that is built from its changelog is on the clock when its state says', () => {
    for (let seed = 0; seed < games; seed++) {
      const state = play(seed, {}).rig.replayed();
      const built = clockOf(state);
      settleAll(state);
      assert.deepEqual(built, clockOf(state), `seed ${seed}`);
    }
  });
});

describe('a crawl whose frontier was restarted many times, decided again from its changelog', () => {
  for (const [name, policy] of Object.entries(policies))
    it(`a restarted frontier grants the same leases in the same order when decided again under ${name}`, () => {
      for (let seed = 0; seed < games; seed++) assert.equal(firstDifference(play(seed, policy)), null, `seed ${seed}`);
    });
});
