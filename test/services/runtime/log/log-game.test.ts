/** Random games with the embedded log, alone and under topics that share a flow: see log-game.ts. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Random } from '../../../../lab/crash/random.ts';
import { foldLog } from '../../../../services/runtime/log/folded/folded-log.ts';
import type { Log, LogTopic } from '../../../../services/runtime/log/log.ts';
import type { StateStore } from '../../../../services/runtime/store/store.ts';
import { topicsOfCrawl } from '../../../../topology/topics.ts';
import { gameSeeds } from './game-seeds.ts';
import { type GameLog, type GameWorld, playLog } from './log-game.ts';
import { turn, turningWorld } from './turning-world.ts';

const rounds = 150;
const topics = [
  { name: 'a', partitions: 2, retention: 'time' as const },
  { name: 'b', partitions: 1, retention: 'state' as const },
];

interface Variant {
  readonly topics: readonly LogTopic[];
  readonly games: Pick<GameWorld, 'topics' | 'isDense'>;
  readonly wrap: (log: Log, random: Random) => GameLog;
  readonly plant?: (store: StateStore) => StateStore;
}

const embedded: Variant = {
  topics,
  games: { topics: topics.map((one) => ({ ...one, isTrimmed: true })), isDense: true },
  wrap: (log) => log,
};

const folded: Variant = {
  topics: [],
  games: {
    topics: ['discovered', 'results', 'pages'].map((name) => ({
      ...{ name: `f.c.${name}`, partitions: 1, isTrimmed: name === 'pages' },
    })),
    isDense: false,
  },
  wrap: (log, random) => foldLog(log, { isExact: random.below(3) === 0, tailBytes: [0, 600, 1e6][random.below(3)]! }),
};

async function play({ topics: made, games, wrap, plant }: Variant, seed: number): Promise<void> {
  const random = new Random(seed);
  const world = turningWorld(random, plant);
  const all = made.length > 0 ? made : flowsOf();
  try {
    const open = async () => wrap(await world.open(all), random);
    await playLog({ ...games, isAtomic: true, givesUp: false, open, kill: world.kill, turn }, random, rounds);
  } catch (error) {
    throw new Error(`seed ${seed}: ${(error as Error).message}`, { cause: error });
  }
}

function flowsOf(): LogTopic[] {
  const apart = topicsOfCrawl('f.c', 1).filter(({ name }) => name === 'f.c.pages');
  return [...apart, { name: 'f.c.flow', partitions: 1, retention: 'state' }];
}

test('an embedded log keeps its promises while appends, polls, seeks, trims, closes and kills overlap', async () => {
  for (const seed of gameSeeds(10)) await play(embedded, seed);
});

test('a folded log keeps its promises while appends, polls, seeks, trims, closes and kills overlap', async () => {
  for (const seed of gameSeeds(5)) await play(folded, seed);
});

const faults: readonly (readonly [what: string, plant: (store: StateStore) => StateStore])[] = [
  [
    'a scan that loses a row beside a write',
    (store) => {
      let writing = 0;
      return {
        ...store,
        async write(ops, options) {
          writing++;
          await store.write(ops, options).finally(() => writing--);
        },
        async *scan(range) {
          let at = 0;
          for await (const row of store.scan(range)) if (writing === 0 || ++at !== 3) yield row;
        },
      };
    },
  ],
  [
    'a write that is acknowledged before it is there',
    (store) => ({
      ...store,
      async write(ops, options) {
        void store.write(ops, options).catch(() => {});
      },
    }),
  ],
  [
    'a batch that is written in two parts',
    (store) => ({
      ...store,
      async write(ops, options) {
        const half = Math.ceil(ops.length / 2);
        await store.write(ops.slice(0, half), options);
        await store.write(ops.slice(half), options);
      },
    }),
  ],
];

for (const [what, plant] of faults)
  test(`a random game with an embedded log shows ${what}`, async () => {
    const games = Array.from({ length: 8 }, (_, at) => play({ ...embedded, plant }, at + 1));
    const failed = (await Promise.allSettled(games)).filter(({ status }) => status === 'rejected');
    assert.ok(failed.length > 0);
  });
