/** What a partition decides under inputs of every kind, what it keeps, and what it answers, as it was when it was kept. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type RigOptions, rigKey } from '../../../../lab/model/model-rig.ts';
import { digest } from '../../../../topology/frontier/check/digest.ts';
import { defaultSeen } from '../../../../topology/frontier/seen/seen-config.ts';
import { FrontierState } from '../../../../topology/frontier/state/state.ts';
import { assertKept } from '../../../kept/assert-kept.ts';
import { answers } from './answers.ts';
import { moved } from './moved.ts';
import { RichGame } from './rich-game.ts';
import { ServedGame } from './served-game.ts';

const turns = 50;
const worlds: Readonly<Record<string, { readonly seeds: number; readonly options: RigOptions }>> = {
  'with room for all': { seeds: 10, options: {} },
  'with room for few': {
    seeds: 6,
    options: { newState: () => new FrontierState(rigKey, { ...defaultSeen, memoryBytes: 2_048 }, 2_048) },
  },
  'that remembers roughly': {
    seeds: 2,
    options: {
      newState: () => new FrontierState(rigKey, { ...defaultSeen, kind: 'bloom', bloomUrls: 50, bloomErrors: 0.1 }),
    },
  },
  'that keeps the book': { seeds: 3, options: { identity: { crawl: 'model', partition: 0, partitions: 3 } } },
  'that asks the book': { seeds: 3, options: { identity: { crawl: 'model', partition: 1, partitions: 3 } } },
};

function* played(seed: number, options: RigOptions): Generator<unknown> {
  const game = new RichGame(seed, options);
  for (let turn = 0; turn < turns; turn++) yield game.turn();
  const { rig, nowMs } = game;
  yield digest(rig.core.state);
  yield digest(rig.replayed());
  yield rig.rows.entries().map(([key, value]) => `${key} ${value.toString('hex')}`);
  yield* answers(rig, nowMs);
  yield* moved(rig, nowMs);
}

function* served(seed: number, options: RigOptions): Generator<unknown> {
  const game = new ServedGame(seed, options);
  for (let turn = 0; turn < 80; turn++) yield game.turn();
  const { rig } = game;
  yield [
    digest(rig.core.state),
    digest(rig.replayed()),
    rig.rows.entries().map(([key, value]) => `${key} ${value.toString('hex')}`),
  ];
}

describe('a partition', () => {
  it('a partition can be read and dumped at its end, even if URLs were queued twice and one of their places became a page', () => {
    for (const seed of [1006, 1030]) {
      const game = new RichGame(seed);
      for (let turn = 0; turn < 120; turn++) game.turn();
      const { rig, nowMs } = game;
      assert.equal(digest(rig.replayed()), digest(rig.core.state), `seed ${seed}`);
      assert.ok([...answers(rig, nowMs), ...moved(rig, nowMs)].length > 0, `seed ${seed}`);
    }
  });

  for (const [world, { seeds, options }] of Object.entries(worlds)) {
    it(`${world} decides, stores and answers as recorded`, () => {
      const cases = Array.from({ length: seeds }, (_, seed) => [`seed ${seed}`, played(seed, options)] as const);
      assertKept(new URL(`${world.replaceAll(' ', '-')}.json`, import.meta.url), new Map(cases));
    });
  }

  it('a served partition answers, lists and stores as recorded', () => {
    const few = worlds['with room for few']!.options;
    const cases = Array.from(
      { length: 8 },
      (_, seed) => [`seed ${seed}`, served(seed, seed % 2 === 0 ? {} : few)] as const,
    );
    assertKept(new URL('served.json', import.meta.url), new Map(cases));
  });
});
