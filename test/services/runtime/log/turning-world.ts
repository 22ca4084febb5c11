/**
 * An embedded log in memory for random games: its disk and its clock let others act at every call, as often as the
 * seed says, so that a seed is one order of events. A kill undoes the newest unsynced writes.
 */
import type { Random } from '../../../../lab/crash/random.ts';
import type { Clock } from '../../../../services/runtime/clock.ts';
import { type EmbeddedLog, openEmbeddedLog } from '../../../../services/runtime/log/embedded-log.ts';
import type { LogTopic } from '../../../../services/runtime/log/log.ts';
import { createFaultStore } from '../../../../services/runtime/store/fault-store.ts';
import { createMemoryStore } from '../../../../services/runtime/store/memory-store.ts';
import type { StateStore } from '../../../../services/runtime/store/store.ts';

export const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

export interface TurningWorld {
  open(topics: readonly LogTopic[]): Promise<EmbeddedLog>;
  kill(): Promise<void>;
}

export function turningWorld(
  random: Random,
  plant: (store: StateStore) => StateStore = (store) => store,
): TurningWorld {
  const disk = createMemoryStore();
  const options = {
    tailBytes: [0, 600, 1e6][random.below(3)]!,
    segmentBytes: [300, 2_000, 1e6][random.below(3)]!,
    groupIntervalMs: [0, 0, 2][random.below(3)]!,
  };
  let nowMs = 1_000;
  let kill = async () => {};
  return {
    async open(topics) {
      let isDead = false;
      const step = async () => {
        for (let left = random.below(4); left > 0; left--) await turn();
        if (isDead) await new Promise(() => {});
      };
      const clock: Clock = {
        nowMs: () => nowMs,
        async sleepUntil(untilMs, signal) {
          while (nowMs < untilMs && !signal?.aborted) {
            await turn();
            if (isDead) await new Promise(() => {});
            nowMs += 0.05;
          }
        },
      };
      const process = createFaultStore(disk, { loseUnsynced: random.below(4) });
      kill = async () => {
        isDead = true;
        await process.crash();
      };
      const log = await openEmbeddedLog(plant(turningStore(process, random, step)), clock, options);
      await log.createTopics(topics);
      return log;
    },
    kill: () => kill(),
  };
}

function turningStore(inner: StateStore, random: Random, step: () => Promise<void>): StateStore {
  let last: Promise<unknown> = Promise.resolve();
  return {
    async get(key) {
      await step();
      return inner.get(key);
    },
    async getMany(keys) {
      await step();
      return inner.getMany(keys);
    },
    async *scan(range) {
      await step();
      for await (const row of inner.scan(range)) {
        if (random.below(3) === 0) await step();
        yield row;
      }
    },
    write(ops, options) {
      const written = last.then(async () => {
        await step();
        await inner.write(ops, options);
      });
      last = written.catch(() => {});
      return written;
    },
    close: () => inner.close(),
  };
}
