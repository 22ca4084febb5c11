/**
 * One journal for many stores of a process: what any of them writes is made durable by one sync of one file for all, where each
 * store by itself would sync a file of its own for each write.
 *
 *   FOLDER/<number>.journal    frames (journal-frames.ts), the oldest file first
 *   FOLDER/settled             marks whose stores have what the oldest files hold, though others lack it still; 8 bytes each
 *
 * A write reaches its store once its frame is durable, and without a sync; it is acknowledged after both. So a kill of the process
 * takes nothing back, and after a power cut a store lacks at most a suffix of what the journal holds: when it is next opened
 * through the journal, its frames are written again, in order. Files go once all stores have synced what they hold.
 *
 * A store that is open here carries a mark, and frames name the mark. Whoever else opens it for writing takes the mark out
 * (`leaveJournal`), and frames of it are void from then on: nothing old is ever written over what came later.
 */
import { randomBytes } from 'node:crypto';
import { mkdir, open, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../../clock.ts';
import type { ScanRange, StateStore, StoreOp } from '../store.ts';
import { storeClosed, storeError } from '../store-errors.ts';
import { frameOf, framesIn, storeIdBytes } from './journal-frames.ts';

export interface Journal {
  /** `inner`, written through the journal from now on; closing it closes `inner`. What an earlier process journaled is in it. */
  store(inner: StateStore): Promise<StateStore>;
  /** It holds what stores may lack that no process has opened through it since. */
  readonly isOwing: boolean;
  /** What an earlier process journaled of `inner` is void: `inner` is being deleted, and was not opened through it since. */
  forget(inner: Pick<StateStore, 'get'>): Promise<void>;
  /** After its stores. */
  close(): Promise<void>;
}

export interface JournalOptions {
  /** Shortest time from one sync to the next, ms. */
  readonly intervalMs: number;
  /** A file that is longer is followed by another. */
  readonly fileBytes: number;
}

/** Beside the rows of a log (../../log/rows.ts) and of a registry. */
const markKey = Buffer.from('J');

/** A store is about to be written by somebody else: what a journal holds of it is void. */
export async function leaveJournal(store: StateStore): Promise<void> {
  if ((await store.get(markKey)) !== undefined) await store.write([{ key: markKey, value: null }], { sync: true });
}

interface Waiting {
  readonly frame: readonly Buffer[];
  readonly bytes: number;
  resolve(): void;
  reject(error: unknown): void;
}

export async function openJournal(
  folder: string,
  clock: Pick<Clock, 'nowMs' | 'sleepUntil'>,
  { intervalMs, fileBytes }: JournalOptions,
): Promise<Journal> {
  await mkdir(folder, { recursive: true });
  const pathOf = (number: number) => join(folder, `${number}.journal`);
  const numbers = (await readdir(folder))
    .flatMap((name) => /^(\d+)\.journal$/.exec(name)?.[1] ?? [])
    .map(Number)
    .sort((a, b) => a - b);
  const last = numbers.at(-1) ?? 0;
  /** What stores of a process before may lack, by their marks. */
  const lacking = new Map<string, (readonly StoreOp[])[]>();
  for (const number of numbers)
    for (const { store, ops } of framesIn(await readFile(pathOf(number)))) {
      if (ops.length === 0) lacking.delete(store);
      else if (lacking.has(store)) lacking.get(store)!.push(ops);
      else lacking.set(store, [ops]);
    }
  const settledPath = join(folder, 'settled');
  const settled = await readFile(settledPath, 'hex').catch(() => '');
  for (const mark of settled.match(/.{16}/g) ?? []) lacking.delete(mark);
  const settle = async (mark: string) => {
    const marks = await open(settledPath, 'a');
    try {
      await marks.write(Buffer.from(mark, 'hex'));
      await marks.datasync();
    } finally {
      await marks.close();
    }
  };
  const remove = async (numbers: readonly number[]) => {
    for (const number of numbers) await rm(pathOf(number), { force: true });
  };
  /** Files of processes before, which go once no store lacks what they hold. */
  const removeEarlier = async () => {
    await remove(numbers.splice(0));
    await rm(settledPath, { force: true });
  };
  if (lacking.size === 0) await removeEarlier();
  /** Its store has what was journaled under that mark, or will never be wanted again. */
  const isWhole = async (mark: string) => {
    if (lacking.delete(mark)) await (lacking.size === 0 ? removeEarlier() : settle(mark));
  };

  /** Files of this process that go once every store has synced what they hold. */
  let old: number[] = [];

  let number = last + 1;
  let file = await open(pathOf(number), 'a');
  let written = 0;
  let waiting: Waiting[] = [];
  let flushing: Promise<void> | undefined;
  let lastMs = Number.NEGATIVE_INFINITY;
  let failure: unknown;
  let turning: Promise<void> | undefined;
  let mending: Promise<void> | undefined;
  const stores = new Set<{ sync(): Promise<void> }>();

  const flush = async () => {
    // What is asked for together shares a sync.
    await undefined;
    while (waiting.length > 0) {
      if (clock.nowMs() < lastMs + intervalMs) await clock.sleepUntil(lastMs + intervalMs);
      lastMs = clock.nowMs();
      const some = waiting;
      waiting = [];
      try {
        if (failure !== undefined) throw failure;
        await file.writev(some.flatMap(({ frame }) => frame));
        await file.datasync();
        for (const { bytes } of some) written += bytes;
      } catch (error) {
        failure ??= storeError(error as Error, folder);
        for (const { reject } of some) reject(failure);
        continue;
      }
      for (const { resolve } of some) resolve();
      if (written >= fileBytes && turning === undefined) await turn();
    }
    flushing = undefined;
  };

  /** Another file from now on; those of before go once every store has synced what came through them. */
  const turn = async () => {
    const full = file;
    const next = number + 1;
    file = await open(pathOf(next), 'a');
    old.push(number);
    number = next;
    written = 0;
    await full.close();
    const before = old;
    turning = (async () => {
      // A few at a time: nobody waits for it.
      const left = [...stores];
      const some = Array.from({ length: 2 }, async () => {
        for (let store = left.pop(); store !== undefined; store = left.pop()) await store.sync();
      });
      await Promise.all(some);
      old = old.filter((one) => !before.includes(one));
      await remove(before);
    })()
      // A store that cannot be synced is told so by its next write; its frames stay.
      .catch(() => {})
      .finally(() => (turning = undefined));
  };

  const append = (frame: readonly Buffer[]): Promise<void> => {
    if (failure !== undefined) return Promise.reject(failure);
    const bytes = frame.reduce((sum, part) => sum + part.length, 0);
    const durable = new Promise<void>((resolve, reject) => waiting.push({ frame, bytes, resolve, reject }));
    flushing ??= flush();
    return durable;
  };

  /** After a disk was full, say. What was not acknowledged is void, and no store is open that could be ahead of it. */
  const beginAnew = async () => {
    const broken = file;
    file = await open(pathOf(number + 1), 'a');
    old.push(number++);
    [written, failure] = [0, undefined];
    await broken.close();
  };

  return {
    async store(inner) {
      if (failure !== undefined && stores.size === 0)
        await (mending ??= beginAnew().finally(() => (mending = undefined)));
      const mark = randomBytes(storeIdBytes);
      const [before, ...earlier] = marksIn(await inner.get(markKey));
      for (const one of earlier) await isWhole(one);
      for (const ops of lacking.get(before ?? '') ?? []) await inner.write(ops);
      // With its new mark all of it is durable, and what was written again is never written a third time. The mark before stands
      // behind it: a kill before that is noted as whole leaves it to the next.
      const marks = { key: markKey, value: Buffer.concat([mark, Buffer.from(before ?? '', 'hex')]) };
      await inner.write([marks], { sync: true });
      if (before !== undefined) await isWhole(before);
      let isOpen = true;
      /** Writes apply in the order in which they were issued. */
      let applied: Promise<unknown> = Promise.resolve();
      const write: StateStore['write'] = (ops) => {
        if (!isOpen) return Promise.reject(storeClosed());
        if (ops.length === 0) return Promise.resolve();
        const durable = append(frameOf(mark, ops));
        // Those of one store are durable in the order of their frames, so the next write finds this one issued.
        const mine = durable.then(() => inner.write(ops));
        applied = Promise.allSettled([applied, mine]);
        return mine;
      };
      const sync = async () => {
        await applied;
        if (isOpen) await inner.write([marks], { sync: true });
      };
      const member = { sync };
      stores.add(member);
      return {
        get: (key) => inner.get(key),
        getMany: (keys) => inner.getMany(keys),
        scan: (range) => scanWithoutMark(inner, range),
        write,
        figures: () => inner.figures?.() ?? null,
        async close() {
          if (!isOpen) return inner.close();
          isOpen = false;
          await applied;
          stores.delete(member);
          try {
            // In this order: frames of a mark that no store has would be kept for ever.
            await inner.write([marks], { sync: true });
            await append(frameOf(mark, []));
            await inner.write([{ key: markKey, value: null }]);
          } finally {
            await inner.close();
          }
        },
      };
    },
    get isOwing() {
      return lacking.size > 0;
    },
    async forget(inner) {
      for (const mark of marksIn(await inner.get(markKey))) await isWhole(mark);
    },
    async close() {
      await flushing;
      await turning;
      await file.close();
      if (stores.size === 0) await remove([...old, number]);
    },
  };
}

/** In hexadecimal: a store's mark, and the one it had before. */
function marksIn(row: Uint8Array | undefined): string[] {
  return row === undefined ? [] : (Buffer.from(row).toString('hex').match(/.{16}/g) ?? []);
}

/** Users of the store do not see it. */
async function* scanWithoutMark(inner: StateStore, range: ScanRange): AsyncGenerator<readonly [Buffer, Buffer]> {
  const { limit } = range;
  const isWithin = Buffer.compare(range.gte, markKey) <= 0 && Buffer.compare(markKey, range.lt) < 0;
  if (!isWithin || limit === undefined) {
    for await (const row of inner.scan(range)) if (!isWithin || !row[0].equals(markKey)) yield row;
    return;
  }
  let left = limit;
  for await (const row of inner.scan({ ...range, limit: limit + 1 })) {
    if (row[0].equals(markKey)) continue;
    if (left-- <= 0) return;
    yield row;
  }
}
