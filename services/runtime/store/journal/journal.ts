/**
 * One journal for many stores of a process: one sync of one file makes the writes of all of them durable, where each
 * store alone would sync a separate file for each write.
 *
 * Its folder has numbered files (journal-files.ts) of frames (journal-frames.ts).
 *
 * A write goes to its store once its frame is durable, without another sync; it is acknowledged after both. So a kill
 * of the process undoes nothing, and after a power cut a store lacks at most a suffix of the journal: when it is next
 * opened through the journal, its frames are written again, in order. Files are removed once all stores have synced
 * their content: a closing store counts until it has synced, and one that failed to close counts until it is opened
 * again, or forever.
 *
 * An open store has a mark, and frames name the mark. Any other process that opens it for writing removes the mark
 * (`leaveJournal`), which voids the frames: old data is never written over newer data.
 */
import { randomBytes } from 'node:crypto';
import type { Clock } from '../../clock.ts';
import { type Disk, nodeDisk } from '../../disk/disk.ts';
import { makeFolder } from '../../disk/durable-names.ts';
import { writeWhole } from '../../disk/write-whole.ts';
import type { ScanRange, StateStore } from '../store.ts';
import { storeClosed, storeError } from '../store-errors.ts';
import { JournalFiles } from './journal-files.ts';
import { beginMark, frameOf, markFrame, storeIdBytes, turnMark } from './journal-frames.ts';

export interface Journal {
  /**
   * Returns `inner` with its writes through the journal; closing it closes `inner`. Writes that an earlier process
   * journaled are then in it.
   */
  store(inner: StateStore): Promise<StateStore>;
  /** True if the journal has writes that stores may lack, and that no process has opened through it since. */
  readonly isOwing: boolean;
  /**
   * Voids what an earlier process journaled of `inner`: it is being deleted, and was not opened through the journal
   * since.
   */
  forget(inner: Pick<StateStore, 'get'>): Promise<void>;
  /** Call after closing its stores. */
  close(): Promise<void>;
}

export interface JournalOptions {
  /** Shortest time from one sync to the next, ms. */
  readonly intervalMs: number;
  /** A longer file is followed by another, bytes. */
  readonly fileBytes: number;
}

/** This key must differ from the rows of a log (../../log/rows.ts) and of a registry. */
const markKey = Buffer.from('J');

/** Call before another process writes to a store: its journaled writes are then void. */
export async function leaveJournal(store: StateStore): Promise<void> {
  if ((await store.get(markKey)) !== undefined) await store.write([{ key: markKey, value: null }], { sync: true });
}

interface Waiting {
  readonly frame: readonly Buffer[];
  readonly bytes: number;
  resolve(): void;
  reject(error: unknown): void;
}

/** A store that is open through the journal, or that was and may lack journaled writes. */
interface Member {
  /** Makes all writes to the store so far durable. */
  sync(): Promise<void>;
}

export async function openJournal(
  folder: string,
  clock: Pick<Clock, 'nowMs' | 'sleepUntil'>,
  { intervalMs, fileBytes }: JournalOptions,
  disk: Disk = nodeDisk,
): Promise<Journal> {
  await makeFolder(folder, undefined, disk);
  const files = new JournalFiles(folder, disk);
  const earlier = await files.read();
  const { lacking } = earlier;
  /** Files of earlier processes. They are deleted when the stores have all of their writes. */
  let numbers = earlier.numbers;
  const removeEarlier = async () => {
    const gone = numbers;
    numbers = [];
    await files.remove(gone);
    await files.removeSettled();
  };
  if (lacking.size === 0) await removeEarlier();
  /** Its store has all writes journaled under that mark, or will never be needed again. */
  const isWhole = async (mark: string) => {
    members.delete(mark);
    if (lacking.delete(mark)) await (lacking.size === 0 ? removeEarlier() : files.settle(mark));
  };

  /** Files of this process that are removed once every store has synced their content. */
  let old: number[] = [];

  let number = (earlier.numbers.at(-1) ?? 0) + 1;
  let file = await files.create(number);
  /** The mark before the frames of each sync, and the head of the file, before all of them. */
  let group: Buffer;
  let head: Buffer[];
  const begin = (mark: Buffer) => {
    group = markFrame(randomBytes(storeIdBytes));
    head = [markFrame(mark)];
  };
  begin(beginMark);
  let written = 0;
  let waiting: Waiting[] = [];
  let flushing: Promise<void> | undefined;
  let lastMs = Number.NEGATIVE_INFINITY;
  let failure: unknown;
  let turning: Promise<void> | undefined;
  let mending: Promise<void> | undefined;
  /** By mark. */
  const members = new Map<string, Member>();
  let open = 0;

  const flush = async () => {
    // Concurrent requests share a sync.
    await undefined;
    while (waiting.length > 0) {
      if (clock.nowMs() < lastMs + intervalMs) await clock.sleepUntil(lastMs + intervalMs);
      lastMs = clock.nowMs();
      const some = waiting;
      waiting = [];
      try {
        if (failure !== undefined) throw failure;
        await writeWhole(file, [...head, group, ...some.flatMap(({ frame }) => frame)]);
        await file.datasync();
        head = [];
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

  /** Begins a new file. The earlier ones are deleted when every store has synced their writes. */
  const turn = async () => {
    const full = file;
    // If the next file cannot be created, this one continues, and the next try comes after as many bytes.
    written = 0;
    const next = await files.create(number + 1).catch(() => undefined);
    if (next === undefined) return;
    file = next;
    old.push(number++);
    begin(turnMark);
    await full.close().catch(() => {});
    const before = old;
    turning = (async () => {
      // A few at a time, since no caller waits for it.
      const left = [...members.values()];
      const some = Array.from({ length: 2 }, async () => {
        for (let member = left.pop(); member !== undefined; member = left.pop()) await member.sync();
      });
      await Promise.all(some);
      await files.remove(before);
      old = old.filter((one) => !before.includes(one));
    })()
      // A store that cannot be synced gets an error at its next write; its frames stay.
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

  /**
   * Starts a new file after a fault, such as a full disk. Writes that were not acknowledged are void, and no open
   * store can be ahead of the file.
   */
  const restart = async () => {
    const broken = file;
    try {
      file = await files.create(number + 1);
    } catch (error) {
      throw storeError(error as Error, folder);
    }
    old.push(number++);
    [written, failure] = [0, undefined];
    begin(beginMark);
    await broken.close().catch(() => {});
  };

  return {
    async store(inner) {
      if (failure !== undefined && open === 0) await (mending ??= restart().finally(() => (mending = undefined)));
      const mark = randomBytes(storeIdBytes);
      const owed = marksIn(await inner.get(markKey)).filter(
        (one, at) => at === 0 || lacking.has(one) || members.has(one),
      );
      const [before = ''] = owed;
      for (const ops of lacking.get(before) ?? []) await inner.write(ops);
      // The new mark makes all of it durable, so the repeated writes are never written a third time. The earlier
      // marks follow it: a kill before they are settled leaves them to the next process. None is settled earlier,
      // because the row found may be in memory alone.
      const marks = { key: markKey, value: Buffer.concat([mark, Buffer.from(owed.join(''), 'hex')]) };
      await inner.write([marks], { sync: true });
      for (const one of owed) await isWhole(one);
      let isOpen = true;
      /** Writes apply in the order in which they were issued. */
      let applied: Promise<unknown> = Promise.resolve();
      const write: StateStore['write'] = (ops) => {
        if (!isOpen) return Promise.reject(storeClosed());
        if (ops.length === 0) return Promise.resolve();
        const durable = append(frameOf(mark, ops));
        // Writes of one store become durable in the order of their frames, so each is issued after the previous one.
        const mine = durable.then(() => inner.write(ops));
        applied = Promise.allSettled([applied, mine]);
        return mine;
      };
      /** Undefined until it closes. */
      let closing: Promise<void> | undefined;
      const sync = () => inner.write([marks], { sync: true });
      const name = mark.toString('hex');
      members.set(name, { sync: () => applied.then(() => closing ?? sync()) });
      open += 1;
      return {
        get: (key) => inner.get(key),
        getMany: (keys) => inner.getMany(keys),
        scan: (range) => scanWithoutMark(inner, range),
        write,
        figures: () => inner.figures?.() ?? null,
        async close() {
          if (closing !== undefined) return inner.close();
          isOpen = false;
          closing = applied.then(sync);
          try {
            // In this order: frames of a mark that no store has would be kept for ever.
            await closing;
            members.delete(name);
            await append(frameOf(mark, []));
            await inner.write([{ key: markKey, value: null }]);
          } finally {
            open -= 1;
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
      if (members.size === 0) await files.remove([...old, number]);
    },
  };
}

/** The marks in a row, in hexadecimal: the store's current mark, and earlier ones. */
function marksIn(row: Uint8Array | undefined): string[] {
  return row === undefined ? [] : (Buffer.from(row).toString('hex').match(/.{16}/g) ?? []);
}

/** Hides the mark's row from users of the store. */
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
