/**
 * A log with `discovered` and `results` played by a bench, which also receives `tasks`. The frontier's owner runs on it
 * unchanged, with a real and durable changelog and control, so that the frontier is measured.
 *
 * Records are handed over as objects, so their encoding is not counted. The bench's time for making them is measured
 * here, separately. Tasks count as published at once.
 */
import type { Discovered, Result, Task } from '../../../schemas/types.ts';
import type { RecordCodec } from '../../../services/runtime/avro/record-codec.ts';
import type { Log, LogReader, LogRecord, PollOptions } from '../../../services/runtime/log/log.ts';

export interface Player {
  /** The next message; null: none at present. Called between the frontier's turns. */
  discovered(): Discovered | null;
  /** Results of the tasks so far; called before `discovered`. */
  results(): readonly Result[];
  take(task: Task): void;
  /** Called at each turn, before records are asked for. */
  onTurn(): void;
}

export interface PlayedLog {
  readonly log: Log;
  readonly codec: RecordCodec;
  /** The cost of playing so far, ms: CPU time, or wall time if that is less, since then another thread ran. */
  readonly playedMs: number;
  /** Longest time from the end of one poll to the start of the next, ms; reading it sets it to zero. */
  worstTurnMs(): number;
}

/** About the bytes of a link in a record of `discovered`. */
const bytesPerLink = 80;
const idleMs = 1;

export function playedLog(real: Log, realCodec: RecordCodec, crawl: string, player: Player): PlayedLog {
  const records = new WeakMap<Uint8Array, Discovered | Result | Task>();
  const played = [`${crawl}.discovered`, `${crawl}.results`] as const;
  let playedMs = 0;
  let worstMs = 0;
  let leftAtMs = 0;

  const recordOf = (topic: string, offset: number, record: Discovered | Result): LogRecord => {
    const value = Buffer.alloc(0);
    records.set(value, record);
    return { topic, partition: 0, offset, timestampMs: 0, key: null, value, headers: {} };
  };

  const play = (next: Map<string, number>, paused: ReadonlySet<string>, maxBytes: number): LogRecord[] => {
    const cpu = process.cpuUsage();
    const beganMs = performance.now();
    const found: LogRecord[] = [];
    const [discovered, results] = played;
    const add = (topic: string, record: Discovered | Result) => {
      const offset = next.get(topic)!;
      next.set(topic, offset + 1);
      found.push(recordOf(topic, offset, record));
    };
    for (const result of player.results()) add(results, result);
    for (let left = maxBytes; left > 0 && !paused.has(discovered); ) {
      const message = player.discovered();
      if (message === null) break;
      add(discovered, message);
      for (const { links } of message.groups) left -= bytesPerLink * links.length;
    }
    const { user, system } = process.cpuUsage(cpu);
    playedMs += Math.min(performance.now() - beganMs, (user + system) / 1000);
    return found;
  };

  const reader = (): LogReader => {
    const inner = real.reader();
    const next = new Map<string, number>();
    const paused = new Set<string>();
    const isPlayed = (topic: string) => (played as readonly string[]).includes(topic);
    return {
      seek: (topic, partition, offset) => {
        if (isPlayed(topic)) next.set(topic, offset);
        else inner.seek(topic, partition, offset);
      },
      drop: (topic, partition) => {
        if (!isPlayed(topic)) inner.drop(topic, partition);
      },
      pause: (topic, partition) => {
        if (isPlayed(topic)) paused.add(topic);
        else inner.pause(topic, partition);
      },
      resume: (topic, partition) => {
        if (isPlayed(topic)) paused.delete(topic);
        else inner.resume(topic, partition);
      },
      poll: async ({ maxBytes, waitMs }: PollOptions) => {
        if (next.size === 0) return inner.poll({ maxBytes, waitMs });
        if (leftAtMs > 0) worstMs = Math.max(worstMs, performance.now() - leftAtMs);
        player.onTurn();
        const others = await inner.poll({ maxBytes, waitMs: 0 });
        const found = play(next, paused, maxBytes);
        const all = [...others, ...found];
        if (all.length === 0 && waitMs > 0) await new Promise((resolve) => setTimeout(resolve, idleMs));
        leftAtMs = performance.now();
        return all;
      },
      wake: () => inner.wake(),
      close: () => inner.close(),
    };
  };

  return {
    log: {
      ...real,
      reader,
      append: async (appended) => {
        if (appended[0]?.topic !== `${crawl}.tasks`) return real.append(appended);
        for (const { value } of appended) player.take(records.get(value) as Task);
        return appended.map(() => 0);
      },
    },
    codec: {
      ...realCodec,
      encode: (topic, record) => {
        if (topic !== 'tasks') return realCodec.encode(topic, record);
        const value = Buffer.alloc(0);
        records.set(value, record as Task);
        return value;
      },
      decode: (topic, bytes) =>
        (records.get(bytes) as ReturnType<typeof realCodec.decode<typeof topic>>) ?? realCodec.decode(topic, bytes),
      prepare: (topic, bytes) => (records.has(bytes) ? undefined : realCodec.prepare(topic, bytes)),
    },
    get playedMs() {
      return playedMs;
    },
    worstTurnMs: () => {
      const worst = worstMs;
      worstMs = 0;
      return worst;
    },
  };
}
