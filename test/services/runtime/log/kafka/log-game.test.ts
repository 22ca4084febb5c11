/**
 * Random games with the appender and the readers on Kafka's wire (../log-game.ts): brokers answer late, out of order,
 * or not at all, leaders move, records are trimmed, and processes are killed.
 */
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Random } from '../../../../../lab/crash/random.ts';
import { SystemClock } from '../../../../../services/runtime/clock.ts';
import { Appender } from '../../../../../services/runtime/log/kafka/appender.ts';
import { transient } from '../../../../../services/runtime/log/kafka/errors.ts';
import { KafkaReader } from '../../../../../services/runtime/log/kafka/reader.ts';
import type { LogRecord } from '../../../../../services/runtime/log/log.ts';
import { gameSeeds } from '../game-seeds.ts';
import { type GameLog, type GameWorld, playLog } from '../log-game.ts';
import { type ScriptedCluster, scriptedCluster, topic } from './scripted-cluster.ts';

const partitions = 2;
const rounds = 80;
/** Games at a time: most of them wait for brokers. */
const atOnce = 24;
/** Of a message's way. */
const longestMs = 75;

class KafkaWorld implements GameWorld {
  readonly topics = [{ name: topic, partitions, isTrimmed: true }];
  readonly isDense = true;
  readonly isAtomic = false;
  readonly givesUp = true;
  readonly #random: Random;
  readonly #brokers: ScriptedCluster;
  /** Number of the process: requests of earlier ones are lost. */
  #process = 0;
  #isMoving = true;

  constructor(random: Random) {
    this.#random = random;
    this.#brokers = scriptedCluster(partitions, {
      arriving: () => this.#travel(),
      refusing: (_node, _partition, records) => (records > 5 ? 10 : undefined),
      answering: () => this.#travel(),
      looking: () => this.#travel(),
    });
    void this.#moveLeaders();
  }

  async #travel(): Promise<void> {
    const process = this.#process;
    await sleep(this.#random.below(12) === 0 ? 15 + this.#random.below(longestMs - 15) : this.#random.below(3));
    if (process !== this.#process || this.#random.below(25) === 0) throw transient('the message is lost');
  }

  async #moveLeaders(): Promise<void> {
    while (this.#isMoving) {
      await sleep(5 + this.#random.below(30));
      const moved = this.#random.below(partitions);
      if (this.#random.below(3) === 0) this.#brokers.move(moved, 1 + this.#random.below(3));
      if (this.#random.below(2) === 0) this.#brokers.forget();
    }
  }

  async open(): Promise<GameLog> {
    const { logs, starts, epochEnd } = this.#brokers;
    const cluster = this.#clusterOf(this.#process);
    const readers = new Set<KafkaReader>();
    const patienceMs = this.#random.below(2) === 0 ? 60 : 3_000;
    const appender = new Appender(cluster, new SystemClock(), patienceMs, undefined);
    const rangeOf = async (_topic: string, partition: number) => ({
      start: starts[partition]!,
      end: logs[partition]!.length,
    });
    return {
      append: (records) => appender.append(records),
      reader: () => {
        const epochEndOf = async (_topic: string, partition: number, epoch: number) => epochEnd(partition, epoch);
        const reader: KafkaReader = new KafkaReader(cluster, rangeOf, epochEndOf, 60_000, () => readers.delete(reader));
        readers.add(reader);
        return reader;
      },
      offsets: rangeOf,
      last: async (_topic, partition) => newestOf(partition, starts[partition]!, logs[partition]!),
      trim: async (_topic, partition, before) => {
        starts[partition] = Math.max(before, starts[partition]!);
      },
      close: async () => {
        await appender.close();
        for (const reader of readers) await reader.close();
      },
    };
  }

  /** What is on its way to a broker is lost. */
  async kill(): Promise<void> {
    this.#process++;
    await sleep(longestMs + 10);
  }

  /** The brokers, as long as the process lives. */
  #clusterOf(process: number): ScriptedCluster['cluster'] {
    const { cluster } = this.#brokers;
    const expectAlive = () => {
      if (process !== this.#process) throw transient('the process was killed');
    };
    const link: typeof cluster.link = async (node, purpose) => {
      const opened = await cluster.link(node, purpose);
      const send: typeof opened.send = async (request) => {
        expectAlive();
        const answer = await opened.send(request);
        expectAlive();
        return answer as never;
      };
      return { ...opened, send };
    };
    return { ...cluster, link };
  }

  turn(): Promise<void> {
    return sleep(this.#random.below(3));
  }

  end(): void {
    this.#isMoving = false;
  }
}

function newestOf(partition: number, start: number, log: readonly string[]): LogRecord | undefined {
  const offset = log.length - 1;
  if (offset < start) return undefined;
  return { topic, partition, offset, timestampMs: 0, key: null, value: Buffer.from(log[offset]!), headers: {} };
}

async function play(seed: number): Promise<void> {
  const random = new Random(seed);
  const world = new KafkaWorld(random);
  try {
    await playLog(world, random, rounds);
  } catch (error) {
    throw new Error(`seed ${seed}: ${(error as Error).message}`, { cause: error });
  } finally {
    world.end();
  }
}

test('appends and readers on Kafka keep their promises while brokers are late, answers are lost and leaders move', async () => {
  const seeds = gameSeeds(6);
  for (let at = 0; at < seeds.length; at += atOnce)
    await Promise.all(seeds.slice(at, at + atOnce).map((seed) => play(seed)));
});
