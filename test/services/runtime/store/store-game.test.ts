/**
 * Random games with each state store: writes, reads and scans overlap, and the store is closed under its callers. The
 * rules are those of the port (services/runtime/store/store.ts): writes apply in their order and whole, a scan sees the
 * rows of one moment, a read those of a moment during it, and a closed store has all writes that it took.
 */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { Random } from '../../../../lab/crash/random.ts';
import { createMemoryStore } from '../../../../services/runtime/store/memory-store.ts';
import { createOverlayStore } from '../../../../services/runtime/store/overlay-store.ts';
import type { ScanRange, StateStore, StoreOp } from '../../../../services/runtime/store/store.ts';
import { CrawlstreamError } from '../../../../topology/errors.ts';
import { gameSeeds } from '../log/game-seeds.ts';
import { storesOnDisk } from './stores-on-disk.ts';
import { temporaryFolder } from './temporary-folder.ts';

const keys = 24;
const turn = () => new Promise<void>((resolve) => setImmediate(resolve));
const keyOf = (number: number) => Buffer.from([1, number]);
const isClosed = (error: unknown) => error instanceof CrawlstreamError && error.code === 'STORE_CLOSED';

/** The rows after each write, from the first on. */
class Versions {
  readonly all: ReadonlyMap<number, string>[] = [new Map()];
  /** Writes that have been issued, and of these, those that were acknowledged. */
  issued = 0;
  acked = 0;

  write(ops: readonly (readonly [key: number, value: string | null])[]): void {
    const rows = new Map(this.all.at(-1));
    for (const [key, value] of ops) {
      if (value === null) rows.delete(key);
      else rows.set(key, value);
    }
    this.all.push(rows);
    this.issued++;
  }

  /** The newest write came after the close. */
  takeBack(): void {
    this.all.pop();
    this.issued--;
  }

  /** Some version from `least` to `most` has these rows. */
  expect(
    what: string,
    found: string,
    rowsOf: (rows: ReadonlyMap<number, string>) => string,
    least: number,
    most: number,
  ) {
    for (let at = least; at <= most; at++) if (rowsOf(this.all[at]!) === found) return;
    assert.fail(`${what} found ${found}, after ${least} to ${most} writes: ${rowsOf(this.all[least]!)}`);
  }
}

class StoreGame {
  readonly history: string[] = [];
  readonly #store: StateStore;
  readonly #random: Random;
  readonly versions: Versions;
  readonly #acked: Promise<void>[] = [];
  #isClosing = false;
  #isOver = false;

  constructor(store: StateStore, random: Random, versions: Versions) {
    [this.#store, this.#random, this.versions] = [store, random, versions];
  }

  /** Ends with a close while calls are running. */
  async play(rounds: number): Promise<void> {
    const acts = [this.#writes(), this.#writes(), this.#reads(), this.#scans(), this.#scans(), this.#frees()];
    const played = Promise.all(acts);
    played.catch(() => {});
    for (let round = 0; round < rounds; round++) await turn();
    this.history.push('close');
    this.#isClosing = true;
    await Promise.all([this.#store.close(), this.#store.close()]);
    this.#isOver = true;
    await played;
    for (const one of await Promise.allSettled(this.#acked))
      if (one.status === 'rejected' && !isClosed(one.reason)) throw one.reason;
    await assert.rejects(this.#store.get(keyOf(0)), isClosed);
    await assert.rejects(this.#store.write([]), isClosed);
    assert.equal(this.versions.acked, this.versions.issued, 'a store that is closed has acknowledged what it took');
  }

  async #pause(): Promise<void> {
    for (let left = this.#random.below(4); left > 0; left--) await turn();
  }

  /** Until the store is closed. */
  async #repeat(act: () => Promise<void>): Promise<void> {
    while (!this.#isOver) {
      await this.#pause();
      try {
        await act();
      } catch (error) {
        if (isClosed(error)) return;
        throw error;
      }
    }
  }

  #writes(): Promise<void> {
    return this.#repeat(async () => {
      const ops = Array.from({ length: 1 + this.#random.below(5) }, () => {
        const value =
          this.#random.below(4) === 0 ? null : `${this.versions.issued}`.padEnd(this.#random.below(90), '.');
        return [this.#random.below(keys), value] as const;
      });
      const rows = ops.map(
        ([key, value]): StoreOp => ({ key: keyOf(key), value: value === null ? null : Buffer.from(value) }),
      );
      const isClosing = this.#isClosing;
      const written = this.#store.write(rows, { sync: this.#random.below(3) === 0 });
      this.versions.write(ops);
      const number = this.versions.issued;
      this.history.push(`write ${number}: ${ops.map(([key, value]) => `${key}=${value?.split('.')[0] ?? 'none'}`)}`);
      const acked = written.then(
        () => {
          this.history.push(`write ${number} acked`);
          assert.equal(this.versions.acked, number - 1, 'writes are acknowledged in their order');
          this.versions.acked = number;
        },
        (error) => {
          if (isClosing && isClosed(error)) this.versions.takeBack();
          throw error;
        },
      );
      this.#acked.push(acked);
      acked.catch(() => {});
      if (this.#random.below(2) === 0) await acked;
    });
  }

  #reads(): Promise<void> {
    return this.#repeat(async () => {
      const wanted = Array.from({ length: 1 + this.#random.below(3) }, () => this.#random.below(keys));
      const least = this.versions.acked;
      const found = await this.#store.getMany(wanted.map(keyOf));
      for (const [at, key] of wanted.entries())
        this.versions.expect(
          `get ${key}`,
          textOf(found[at]),
          (rows) => rows.get(key) ?? '-',
          least,
          this.versions.issued,
        );
    });
  }

  #frees(): Promise<void> {
    return this.#repeat(async () => {
      for (let left = 20; left > 0; left--) await turn();
      if (!this.#isOver) await this.#store.free?.(keyOf(this.#random.below(keys)), keyOf(keys));
    });
  }

  #scans(): Promise<void> {
    return this.#repeat(async () => {
      const [low, high] = [this.#random.below(keys), this.#random.below(keys + 1)];
      const limit = this.#random.below(3) === 0 ? 1 + this.#random.below(6) : undefined;
      const reverse = this.#random.below(2) === 0;
      const range: ScanRange = { gte: keyOf(low), lt: keyOf(high), reverse, ...(limit !== undefined && { limit }) };
      const least = this.versions.acked;
      const rows = this.#store.scan(range)[Symbol.asyncIterator]();
      const found: string[] = [];
      let next = rows.next();
      const most = this.versions.issued;
      for (let row = await next; !row.done; row = await next) {
        found.push(`${row.value[0][1]}=${row.value[1]}`);
        if (this.#random.below(3) === 0) await this.#pause();
        if (this.#random.below(40) === 0) return void (await rows.return?.());
        next = rows.next();
      }
      const rowsOf = (all: ReadonlyMap<number, string>) => {
        const some = [...all].filter(([key]) => key >= low && key < high).sort(([a], [b]) => (reverse ? b - a : a - b));
        return some
          .slice(0, limit)
          .map(([key, value]) => `${key}=${value}`)
          .join(' ');
      };
      this.versions.expect(`scan from ${low} to ${high}`, found.join(' '), rowsOf, least, most);
    });
  }
}

function textOf(value: Buffer | undefined): string {
  return value?.toString() ?? '-';
}

async function play(open: () => Promise<StateStore>, isDurable: boolean, seed: number): Promise<void> {
  const random = new Random(seed);
  const versions = new Versions();
  let game: StoreGame | undefined;
  try {
    for (let life = 0; life < (isDurable ? 3 : 1); life++) {
      const store = await open();
      game = new StoreGame(store, random, versions);
      await game.play(20 + random.below(200));
    }
    if (!isDurable) return;
    const store = await open();
    const rows = new Map(versions.all.at(-1));
    for await (const [key, value] of store.scan({ gte: keyOf(0), lt: keyOf(keys) })) {
      assert.equal(`${value}`, rows.get(key[1]!), `row ${key[1]} after the last close`);
      rows.delete(key[1]!);
    }
    assert.deepEqual([...rows], [], 'rows are lost');
    await store.close();
  } catch (error) {
    const history = game?.history.slice(-30).join('\n');
    throw new Error(`seed ${seed}: ${(error as Error).message}\n${history}`, { cause: error });
  }
}

test('a store in memory keeps its order while writes, reads, scans and a close overlap', async () => {
  for (const seed of gameSeeds(15)) await play(async () => createMemoryStore(), false, seed);
});

test('a store over another keeps its order while writes, reads, scans and a close overlap', async () => {
  for (const seed of gameSeeds(15)) await play(async () => createOverlayStore(createMemoryStore()), false, seed);
});

const root = temporaryFolder();
for (const { name, open } of storesOnDisk)
  test(`${name} keeps its order while writes, reads, scans and a close overlap`, async () => {
    for (const seed of gameSeeds(8)) {
      // Memtables that some rows fill: logs change all the time.
      const options = seed % 2 === 0 ? {} : { writeBufferBytes: 2_000 };
      await play(() => open(join(root, `${name}-${seed}`), options), true, seed);
    }
  });

const faults: readonly (readonly [what: string, plant: (store: StateStore) => StateStore])[] = [
  [
    'writes that overtake each other',
    (store) => ({
      ...store,
      write: async (ops, options) => {
        if (ops.length > 3) for (let left = 3; left > 0; left--) await turn();
        await store.write(ops, options);
      },
    }),
  ],
  [
    'a scan of rows of two moments',
    (store) => ({
      ...store,
      async *scan({ gte, lt, reverse = false, limit = 1e9 }) {
        let left = limit;
        const order = Array.from({ length: keys }, (_, key) => keyOf(key));
        for (const key of reverse ? order.reverse() : order) {
          if (Buffer.compare(key, gte) < 0 || Buffer.compare(key, lt) >= 0 || left === 0) continue;
          const value = await store.get(key);
          if (value === undefined) continue;
          left--;
          yield [key, value];
        }
      },
    }),
  ],
  [
    'a close that drops a write',
    (store) => {
      let isClosing = false;
      return {
        ...store,
        write: async (ops, options) => {
          await turn();
          if (!isClosing) await store.write(ops, options);
        },
        close: async () => {
          isClosing = true;
          await turn();
          await store.close();
        },
      };
    },
  ],
];

for (const [what, plant] of faults)
  test(`a random game with a store shows ${what}`, async () => {
    const rows = createMemoryStore();
    const kept = async (): Promise<StateStore> => {
      let isOpen = true;
      const check = () => {
        if (!isOpen) throw new CrawlstreamError('STORE_CLOSED', 'the store is closed');
      };
      return plant({
        ...rows,
        get: async (key) => {
          check();
          return rows.get(key);
        },
        write: async (ops) => {
          check();
          await rows.write(ops);
        },
        close: async () => {
          isOpen = false;
        },
      });
    };
    const games = Array.from({ length: 10 }, (_, at) => play(kept, true, at + 1));
    const failed = (await Promise.allSettled(games)).filter(({ status }) => status === 'rejected');
    assert.ok(failed.length > 0);
  });
