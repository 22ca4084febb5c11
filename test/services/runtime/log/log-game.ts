/**
 * A random game with a log: appends, polls, seeks, pauses, trims and look-ups overlap, the log is closed under its
 * callers, and its process is killed. The rules are those of the port (services/runtime/log/log.ts):
 *
 * - an acknowledged record is at its offset, once, in the order of the appends, also after a kill;
 * - an append that a kill cut short is there as a whole or not at all, one that was refused as closed never;
 * - a reader gets every record from its position on, once, in order, whatever happens beside it;
 * - a position that was trimmed is reported as out of range, and no other position is.
 */
import assert from 'node:assert/strict';
import type { Random } from '../../../../lab/crash/random.ts';
import type { AppendRecord, Log, LogReader, LogRecord } from '../../../../services/runtime/log/log.ts';
import { CrawlstreamError } from '../../../../topology/errors.ts';

export type GameLog = Pick<Log, 'append' | 'reader' | 'offsets' | 'last' | 'trim' | 'close'>;

export interface GameWorld {
  readonly topics: readonly { readonly name: string; readonly partitions: number; readonly isTrimmed: boolean }[];
  /** Offsets of a topic have no gaps. */
  readonly isDense: boolean;
  /** Append calls are atomic. */
  readonly isAtomic: boolean;
  /** Appends may be given up: then the record is there or not. */
  readonly givesUp: boolean;
  /** Opens the log again after the first time, over the same records. */
  open(): Promise<GameLog>;
  /** The process dies: no call returns any more. */
  kill(): Promise<void>;
  /** Lets others act. */
  turn(): Promise<void>;
}

interface Issued {
  readonly number: number;
  readonly records: readonly AppendRecord[];
}

/** A stretch of reading without a seek. */
interface Stretch {
  readonly key: string;
  readonly from: number;
  next: number;
  readonly offsets: number[];
}

interface Player {
  readonly name: string;
  readonly reader: LogReader;
  readonly at: Map<string, Stretch>;
  /** By partition, the pause: a poll that began in it returns none of its records. */
  readonly paused: Map<string, object>;
}

const killed = Symbol('killed');
/** A busy machine may be slow. */
const patienceMs = 60_000;
const historyMax = 40;

export async function playLog(world: GameWorld, random: Random, rounds: number): Promise<void> {
  const game = new LogGame(world, random, rounds);
  try {
    for (const end of ['kill', 'close', 'kill', 'drain'] as const) await game.live(end);
    game.expectWhole();
  } catch (error) {
    throw new Error(`${(error as Error).message}\n${game.history.slice(-historyMax).join('\n')}`, { cause: error });
  }
}

class LogGame {
  readonly history: string[] = [];
  readonly #world: GameWorld;
  readonly #random: Random;
  readonly #rounds: number;
  readonly #keys: readonly string[];
  readonly #trimmable: readonly string[];
  /** By partition: number of the append by offset, of records that were acknowledged, read or found. */
  readonly #held = new Map<string, Map<number, number>>();
  /** One past the newest of them. */
  readonly #ends = new Map<string, number>();
  /** Place of each record that is held, by its text. */
  readonly #places = new Map<string, string>();
  readonly #open = new Map<number, Issued>();
  readonly #refused = new Set<number>();
  readonly #stretches: Stretch[] = [];
  /** By partition: the furthest trim that was asked for, and that has ended. */
  readonly #trimAsked = new Map<string, number>();
  readonly #trimEnded = new Map<string, number>();
  #count = 0;
  #life = 0;
  #isOver = false;
  #isClosing = false;
  #dead: Promise<never> = new Promise(() => {});
  #faults: unknown[] = [];

  constructor(world: GameWorld, random: Random, rounds: number) {
    [this.#world, this.#random, this.#rounds] = [world, random, rounds];
    const keysOf = (topics: GameWorld['topics']) =>
      topics.flatMap(({ name, partitions }) => Array.from({ length: partitions }, (_, at) => `${name}/${at}`));
    this.#keys = keysOf(world.topics);
    this.#trimmable = keysOf(world.topics.filter(({ isTrimmed }) => isTrimmed));
    for (const key of this.#keys) this.#held.set(key, new Map());
  }

  /** One process: it opens the log, uses it, and ends. */
  async live(end: 'kill' | 'close' | 'drain'): Promise<void> {
    let die = () => {};
    this.#life++;
    this.#dead = new Promise((_, reject) => (die = () => reject(killed)));
    this.#dead.catch(() => {});
    [this.#isOver, this.#isClosing] = [false, false];
    const log = await this.#world.open();
    await this.#expectRecovered(log);
    const players = ['r1', 'r2'].map((name): Player => {
      return { name, reader: log.reader(), at: new Map(), paused: new Map() };
    });
    const acts = [this.#appends(log), this.#appends(log), this.#trims(log), this.#asks(log)];
    acts.push(...players.flatMap((one) => [this.#polls(log, one), this.#moves(one)]));
    const played = Promise.all(acts.map((act) => act.catch((error) => this.#ended(error))));
    await this.#turns(this.#rounds);
    if (end === 'kill') {
      this.history.push('KILL');
      this.#isOver = true;
      die();
      await this.#world.kill();
    } else if (end === 'close') {
      this.history.push('close');
      this.#isClosing = true;
      await within(log.close(), 'the log never closes');
    } else this.#isOver = true;
    this.#isOver = true;
    await within(played, 'a call never returns');
    if (this.#faults.length > 0) throw this.#faults[0];
    if (end === 'kill') for (const { reader } of players) void reader.close().catch(() => {});
    if (end !== 'drain') return;
    for (const one of players) await this.#drain(log, one);
    await within(log.close(), 'the log never closes');
  }

  #ended(error: unknown): void {
    if (error === killed) return;
    if (this.#isClosing && isCoded(error, 'STORE_CLOSED')) return;
    this.#faults.push(error);
    this.#isOver = true;
  }

  /** Rejects once the process is killed. */
  #call<T>(made: Promise<T>): Promise<T> {
    return Promise.race([made, this.#dead]);
  }

  async #turns(count: number): Promise<void> {
    for (let left = count; left > 0 && this.#faults.length === 0; left--) await this.#world.turn();
  }

  #pick<T>(of: readonly T[]): T {
    return of[this.#random.below(of.length)] as T;
  }

  #fail(text: string): never {
    throw new Error(text);
  }

  #endOf(key: string): number {
    return this.#ends.get(key) ?? 0;
  }

  #hold(key: string, offset: number, text: string): void {
    const number = Number(text.split('.')[0]);
    const held = this.#held.get(key)!;
    const there = held.get(offset);
    if (there !== undefined && there !== number) this.#fail(`${key}@${offset} held ${there} and holds ${text}`);
    const place = this.#places.get(text);
    if (place !== undefined && place !== `${key}@${offset}`)
      this.#fail(`${text} is at ${place} and at ${key}@${offset}`);
    if (this.#refused.has(number)) this.#fail(`${text} is at ${key}@${offset}, and was refused`);
    held.set(offset, number);
    this.#ends.set(key, Math.max(offset + 1, this.#endOf(key)));
    this.#places.set(text, `${key}@${offset}`);
  }

  async #appends(log: GameLog): Promise<void> {
    const waiting: Promise<unknown>[] = [];
    while (!this.#isOver) {
      await this.#turns(this.#random.below(4));
      const made = this.#append(log);
      if (this.#random.below(3) === 0) await this.#call(made);
      else waiting.push(made.catch((error) => this.#ended(error)));
    }
    await this.#call(Promise.all(waiting));
  }

  /** False: it was given up or refused. */
  async #append(log: GameLog): Promise<boolean> {
    const [number, life] = [this.#count++, this.#life];
    const records = Array.from({ length: 1 + this.#random.below(4) }, (_, at): AppendRecord => {
      const [topic, partition] = partsOf(this.#pick(this.#keys));
      const value = Buffer.from(`${number}.${at}.${'x'.repeat(this.#random.below(60))}`);
      return { topic, partition, key: null, value };
    });
    const issued = { number, records };
    this.#open.set(number, issued);
    this.history.push(`append ${number} to ${records.map(keyOf).join(' ')}`);
    try {
      const offsets = await log.append(records);
      this.history.push(`append ${number} acked at ${offsets.join(' ')}`);
      for (const [at, one] of records.entries()) this.#hold(keyOf(one), offsets[at]!, one.value.toString());
      this.#open.delete(number);
      return true;
    } catch (error) {
      // Its process was killed long ago.
      if (life !== this.#life) return false;
      if (isCoded(error, 'STORE_CLOSED')) {
        this.#refused.add(number);
        this.#open.delete(number);
      }
      if (!this.#world.givesUp || !isCoded(error, 'BROKER_UNREACHABLE')) throw error;
      return false;
    }
  }

  async #trims(log: GameLog): Promise<void> {
    while (!this.#isOver && this.#trimmable.length > 0) {
      await this.#turns(3 + this.#random.below(20));
      const key = this.#pick(this.#trimmable);
      const { start, end } = await this.#call(log.offsets(...partsOf(key)));
      const before = start + this.#random.below(end - start + 1);
      this.history.push(`trim ${key} below ${before}`);
      this.#trimAsked.set(key, Math.max(before, this.#trimAsked.get(key) ?? 0));
      await this.#call(log.trim(...partsOf(key), before));
      this.#trimEnded.set(key, Math.max(before, this.#trimEnded.get(key) ?? 0));
    }
  }

  async #asks(log: GameLog): Promise<void> {
    while (!this.#isOver) {
      await this.#turns(1 + this.#random.below(6));
      const key = this.#pick(this.#keys);
      const least = this.#endOf(key);
      if (this.#random.below(2) === 0) {
        const { start, end } = await this.#call(log.offsets(...partsOf(key)));
        if (end < least) this.#fail(`${key} ends at ${end}, and ${least - 1} was acknowledged`);
        this.#expectStart(key, start);
        continue;
      }
      const newest = await this.#call(log.last(...partsOf(key)));
      if (newest !== undefined) this.#hold(key, newest.offset, newest.value.toString());
      if ((newest?.offset ?? -1) < least - 1 && (this.#trimAsked.get(key) ?? 0) < least)
        this.#fail(`${key}: the newest record is ${newest?.offset}, and ${least - 1} was acknowledged`);
    }
  }

  #expectStart(key: string, start: number): void {
    if (start > (this.#trimAsked.get(key) ?? 0)) this.#fail(`${key} starts at ${start}, and was not trimmed so far`);
  }

  /** Moves a reader while it polls; a closed one cannot be moved. */
  async #moves(one: Player): Promise<void> {
    for (;;) {
      await this.#turns(2 + this.#random.below(25));
      if (this.#isOver || this.#isClosing) return;
      const key = this.#pick(this.#keys);
      const act = this.#random.below(8);
      if (act < 4) this.#seek(one, key, this.#position(key));
      else if (act < 5) this.#drop(one, key);
      else if (act < 6) this.#pause(one, key);
      else this.#resume(one, key);
      if (act >= 4) this.history.push(`${one.name} ${['drop', 'pause', 'resume', 'resume'][act - 4]} ${key}`);
    }
  }

  #position(key: string): number {
    const low = Math.max(0, (this.#trimAsked.get(key) ?? 0) - 2);
    return low + this.#random.below(Math.max(1, this.#endOf(key) - low + 1));
  }

  #seek(one: Player, key: string, from: number): void {
    this.history.push(`${one.name} seek ${key} ${from}`);
    const stretch: Stretch = { key, from, next: from, offsets: [] };
    this.#stretches.push(stretch);
    one.at.set(key, stretch);
    one.reader.seek(...partsOf(key), from);
  }

  #drop(one: Player, key: string): void {
    one.at.delete(key);
    one.paused.delete(key);
    one.reader.drop(...partsOf(key));
  }

  #pause(one: Player, key: string): void {
    // Without a position, there is nothing to pause.
    if (one.at.has(key)) one.paused.set(key, {});
    one.reader.pause(...partsOf(key));
  }

  #resume(one: Player, key: string): void {
    one.paused.delete(key);
    one.reader.resume(...partsOf(key));
  }

  async #polls(log: GameLog, one: Player): Promise<void> {
    while (!this.#isOver) {
      await this.#turns(this.#random.below(3));
      await this.#poll(log, one, this.#pick([0, 0, 2]));
    }
  }

  async #poll(log: GameLog, one: Player, waitMs: number): Promise<void> {
    const paused = new Map(one.paused);
    let records: readonly LogRecord[];
    try {
      records = await this.#call(one.reader.poll({ maxBytes: this.#pick([1, 300, 1e6]), waitMs }));
    } catch (error) {
      if (!isCoded(error, 'OFFSET_OUT_OF_RANGE')) throw error;
      return this.#moveInside(log, one, error);
    }
    const [first, last] = [records[0], records.at(-1)].map((record) => record && `${keyOf(record)}@${record.offset}`);
    if (records.length > 0) this.history.push(`${one.name} polled ${records.length}: ${first} … ${last}`);
    for (const record of records) {
      const key = keyOf(record);
      const stretch = one.at.get(key);
      if (stretch === undefined) return this.#fail(`${one.name} got a record of ${key}, which it does not read`);
      if (paused.has(key) && paused.get(key) === one.paused.get(key))
        this.#fail(`${one.name} got a record of ${key}, which is paused`);
      if (record.offset < stretch.next || (this.#world.isDense && record.offset > stretch.next))
        this.#fail(`${one.name} got ${key}@${record.offset}, and was at ${stretch.next}`);
      this.#hold(key, record.offset, record.value.toString());
      stretch.offsets.push(record.offset);
      stretch.next = record.offset + 1;
    }
  }

  async #moveInside(log: GameLog, one: Player, error: unknown): Promise<void> {
    const outside = [...one.at.values()].filter(
      ({ key, next }) => next < (this.#trimAsked.get(key) ?? 0) || next > this.#endOf(key),
    );
    if (outside.length === 0) throw error;
    for (const { key } of outside) {
      const { start } = await this.#call(log.offsets(...partsOf(key)));
      this.#seek(one, key, start);
    }
  }

  /** Reads on to the end of every partition, and then waits for one more record. */
  async #drain(log: GameLog, one: Player): Promise<void> {
    for (const key of this.#keys) {
      this.#resume(one, key);
      if (!one.at.has(key)) this.#seek(one, key, this.#position(key));
    }
    const isBehind = () => [...one.at.values()].some(({ key, next }) => next < this.#endOf(key));
    const read = async () => {
      while (isBehind()) {
        await this.#poll(log, one, 2);
        await this.#world.turn();
      }
    };
    await within(read(), `${one.name} never reads to the end`);
    const polled = this.#poll(log, one, 1e9);
    await this.#turns(5);
    // On a busy machine, the appender's patience may end before brokers answer.
    while (!(await within(this.#append(log), 'an append never returns')));
    await within(polled, `${one.name} is not woken by an append`);
    await within(read(), `${one.name} never reads to the end`);
  }

  /** After a restart: all acknowledged records that were not trimmed, and appends that are whole. */
  async #expectRecovered(log: GameLog): Promise<void> {
    const oldest = new Map<string, number>();
    for (const key of this.#keys) {
      const { start, end } = await log.offsets(...partsOf(key));
      this.#expectStart(key, start);
      if (start < (this.#trimEnded.get(key) ?? 0)) this.#fail(`${key} starts at ${start}: a trim is undone`);
      const reader = log.reader();
      reader.seek(...partsOf(key), start);
      const found = new Set<number>();
      for (let next = start; next < end; ) {
        const records = await within(reader.poll({ maxBytes: 1e6, waitMs: 5 }), 'a poll never returns');
        for (const { offset, value } of records) {
          this.#hold(key, offset, value.toString());
          found.add(offset);
          next = offset + 1;
        }
      }
      await reader.close();
      oldest.set(key, Math.min(...[...found].map((offset) => this.#held.get(key)!.get(offset)!)));
      for (const [offset, number] of this.#held.get(key)!)
        if (offset >= start && !found.has(offset)) this.#fail(`${key}@${offset} with ${number} is lost`);
    }
    for (const { number, records } of this.#open.values()) {
      if (!this.#world.isAtomic) continue;
      const there = records.filter(({ value }) => this.#places.has(value.toString())).length;
      // Behind an older record, nothing was trimmed.
      const isTrimmed = records.some((one) => oldest.get(keyOf(one))! > number);
      if (there > 0 && there < records.length && !isTrimmed) this.#fail(`append ${number} is there in part`);
    }
    // What a kill cut short and is not there now can never be there.
    if (this.#world.isAtomic) for (const [number, { records }] of this.#open) this.#settle(number, records);
  }

  #settle(number: number, records: readonly AppendRecord[]): void {
    if (!records.some(({ value }) => this.#places.has(value.toString()))) this.#refused.add(number);
    this.#open.delete(number);
  }

  /** Nothing was skipped in a stretch of reading, and appends are in their order. */
  expectWhole(): void {
    for (const { key, from, offsets } of this.#stretches) {
      const last = offsets.at(-1);
      if (last === undefined) continue;
      const all = [...this.#held.get(key)!.keys()].filter((one) => one >= from && one <= last).sort((a, b) => a - b);
      assert.deepEqual(offsets, all, `a reader of ${key} from ${from} skipped records`);
    }
    for (const [key, held] of this.#held) {
      const numbers = [...held].sort(([a], [b]) => a - b).map(([, number]) => number);
      assert.deepEqual(
        numbers,
        numbers.toSorted((a, b) => a - b),
        `${key} has appends in another order`,
      );
    }
  }
}

function partsOf(key: string): [topic: string, partition: number] {
  const at = key.lastIndexOf('/');
  return [key.slice(0, at), Number(key.slice(at + 1))];
}

function keyOf({ topic, partition }: { readonly topic: string; readonly partition: number }): string {
  return `${topic}/${partition}`;
}

function isCoded(error: unknown, code: string): boolean {
  return error instanceof CrawlstreamError && error.code === code;
}

async function within<T>(act: Promise<T>, otherwise: string): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(otherwise)), patienceMs);
  });
  try {
    return await Promise.race([act, late]);
  } finally {
    clearTimeout(timer);
  }
}
