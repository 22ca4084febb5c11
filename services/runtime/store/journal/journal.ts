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
import { type Disk, type DiskFile, nodeDisk } from '../../disk/disk.ts';
import { makeFolder } from '../../disk/durable-names.ts';
import { writeWhole } from '../../disk/write-whole.ts';
import type { ScanRange, StateStore } from '../store.ts';
import { storeClosed, storeError } from '../store-errors.ts';
import { type EarlierFiles, JournalFiles } from './journal-files.ts';
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
  options: JournalOptions,
  disk: Disk = nodeDisk,
): Promise<Journal> {
  await makeFolder(folder, undefined, disk);
  const files = new JournalFiles(folder, disk);
  const earlier = await files.read();
  const isPaid = earlier.lacking.size === 0;
  if (isPaid) await removeEarlier(files, earlier.numbers);
  const number = (earlier.numbers.at(-1) ?? 0) + 1;
  const file = await files.create(number);
  const { lacking } = earlier;
  return new FileJournal(
    folder,
    clock,
    options,
    files,
    { lacking, numbers: isPaid ? [] : earlier.numbers },
    number,
    file,
  );
}

async function removeEarlier(files: JournalFiles, numbers: readonly number[]): Promise<void> {
  await files.remove(numbers);
  await files.removeSettled();
}

class FileJournal implements Journal {
  readonly #folder: string;
  readonly #clock: Pick<Clock, 'nowMs' | 'sleepUntil'>;
  readonly #options: JournalOptions;
  readonly #files: JournalFiles;
  readonly #lacking: EarlierFiles['lacking'];
  /** Files of earlier processes. They are deleted when the stores have all of their writes. */
  #earlier: readonly number[];
  /** Files of this process that are removed once every store has synced their content. */
  #old: number[] = [];
  #number: number;
  #file: DiskFile;
  /** The mark before the frames of each sync. */
  #group = newGroup();
  /** The head of the file, before all groups. Empty: it is written. */
  #head: Buffer[] = [markFrame(beginMark)];
  #written = 0;
  #waiting: Waiting[] = [];
  #flushing: Promise<void> | undefined;
  #lastMs = Number.NEGATIVE_INFINITY;
  #failure: unknown;
  #turning: Promise<void> | undefined;
  #mending: Promise<void> | undefined;
  /** By mark. */
  readonly #members = new Map<string, Member>();
  #open = 0;

  constructor(
    folder: string,
    clock: Pick<Clock, 'nowMs' | 'sleepUntil'>,
    options: JournalOptions,
    files: JournalFiles,
    earlier: EarlierFiles,
    number: number,
    file: DiskFile,
  ) {
    this.#folder = folder;
    this.#clock = clock;
    this.#options = options;
    this.#files = files;
    this.#lacking = earlier.lacking;
    this.#earlier = earlier.numbers;
    this.#number = number;
    this.#file = file;
  }

  /** The store of that mark has all writes journaled under it, or will never be needed again. */
  async #isWhole(mark: string) {
    this.#members.delete(mark);
    if (!this.#lacking.delete(mark)) return;
    if (this.#lacking.size > 0) return this.#files.settle(mark);
    const gone = this.#earlier;
    this.#earlier = [];
    await removeEarlier(this.#files, gone);
  }

  #begin(mark: Buffer) {
    this.#group = newGroup();
    this.#head = [markFrame(mark)];
  }

  async #flush() {
    const { intervalMs, fileBytes } = this.#options;
    // Concurrent requests share a sync.
    await undefined;
    while (this.#waiting.length > 0) {
      if (this.#clock.nowMs() < this.#lastMs + intervalMs) await this.#clock.sleepUntil(this.#lastMs + intervalMs);
      this.#lastMs = this.#clock.nowMs();
      const some = this.#waiting;
      this.#waiting = [];
      try {
        if (this.#failure !== undefined) throw this.#failure;
        await writeWhole(this.#file, [...this.#head, this.#group, ...some.flatMap(({ frame }) => frame)]);
        await this.#file.datasync();
        this.#head = [];
        for (const { bytes } of some) this.#written += bytes;
      } catch (error) {
        this.#failure ??= storeError(error as Error, this.#folder);
        for (const { reject } of some) reject(this.#failure);
        continue;
      }
      for (const { resolve } of some) resolve();
      if (this.#written >= fileBytes && this.#turning === undefined) await this.#turn();
    }
    this.#flushing = undefined;
  }

  /** Begins a new file. The earlier ones are deleted when every store has synced their writes. */
  async #turn() {
    const full = this.#file;
    // If the next file cannot be created, this one continues, and the next try comes after as many bytes.
    this.#written = 0;
    const next = await this.#files.create(this.#number + 1).catch(() => undefined);
    if (next === undefined) return;
    this.#file = next;
    this.#old.push(this.#number++);
    this.#begin(turnMark);
    await full.close().catch(() => {});
    const before = this.#old;
    this.#turning = (async () => {
      // A few at a time, since no caller waits for it.
      const left = [...this.#members.values()];
      const some = Array.from({ length: 2 }, async () => {
        for (let member = left.pop(); member !== undefined; member = left.pop()) await member.sync();
      });
      await Promise.all(some);
      await this.#files.remove(before);
      this.#old = this.#old.filter((one) => !before.includes(one));
    })()
      // A store that cannot be synced gets an error at its next write; its frames stay.
      .catch(() => {})
      .finally(() => (this.#turning = undefined));
  }

  #append(frame: readonly Buffer[]): Promise<void> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure);
    const bytes = frame.reduce((sum, part) => sum + part.length, 0);
    const durable = new Promise<void>((resolve, reject) => this.#waiting.push({ frame, bytes, resolve, reject }));
    this.#flushing ??= this.#flush();
    return durable;
  }

  /**
   * Starts a new file after a fault, such as a full disk. Writes that were not acknowledged are void, and no open
   * store can be ahead of the file.
   */
  async #restart() {
    const broken = this.#file;
    try {
      this.#file = await this.#files.create(this.#number + 1);
    } catch (error) {
      throw storeError(error as Error, this.#folder);
    }
    this.#old.push(this.#number++);
    [this.#written, this.#failure] = [0, undefined];
    this.#begin(beginMark);
    await broken.close().catch(() => {});
  }

  readonly store: Journal['store'] = async (inner) => {
    if (this.#failure !== undefined && this.#open === 0)
      await (this.#mending ??= this.#restart().finally(() => (this.#mending = undefined)));
    const mark = randomBytes(storeIdBytes);
    const owed = marksIn(await inner.get(markKey)).filter(
      (one, at) => at === 0 || this.#lacking.has(one) || this.#members.has(one),
    );
    const [before = ''] = owed;
    for (const ops of this.#lacking.get(before) ?? []) await inner.write(ops);
    // The new mark makes all of it durable, so the repeated writes are never written a third time. The earlier
    // marks follow it: a kill before they are settled leaves them to the next process. None is settled earlier,
    // because the row found may be in memory alone.
    const marks = { key: markKey, value: Buffer.concat([mark, Buffer.from(owed.join(''), 'hex')]) };
    await inner.write([marks], { sync: true });
    for (const one of owed) await this.#isWhole(one);
    let isOpen = true;
    /** Writes apply in the order in which they were issued. */
    let applied: Promise<unknown> = Promise.resolve();
    const write: StateStore['write'] = (ops) => {
      if (!isOpen) return Promise.reject(storeClosed());
      if (ops.length === 0) return Promise.resolve();
      const durable = this.#append(frameOf(mark, ops));
      // Writes of one store become durable in the order of their frames, so each is issued after the previous one.
      const mine = durable.then(() => inner.write(ops));
      applied = Promise.allSettled([applied, mine]);
      return mine;
    };
    /** Undefined until it closes. */
    let closing: Promise<void> | undefined;
    const sync = () => inner.write([marks], { sync: true });
    const name = mark.toString('hex');
    this.#members.set(name, { sync: () => applied.then(() => closing ?? sync()) });
    this.#open += 1;
    return {
      get: (key) => inner.get(key),
      getMany: (keys) => inner.getMany(keys),
      scan: (range) => scanWithoutMark(inner, range),
      write,
      figures: () => inner.figures?.() ?? null,
      close: async () => {
        if (closing !== undefined) return inner.close();
        isOpen = false;
        closing = applied.then(sync);
        try {
          // In this order: frames of a mark that no store has would be kept for ever.
          await closing;
          this.#members.delete(name);
          await this.#append(frameOf(mark, []));
          await inner.write([{ key: markKey, value: null }]);
        } finally {
          this.#open -= 1;
          await inner.close();
        }
      },
    };
  };

  get isOwing() {
    return this.#lacking.size > 0;
  }

  readonly forget: Journal['forget'] = async (inner) => {
    for (const mark of marksIn(await inner.get(markKey))) await this.#isWhole(mark);
  };

  readonly close: Journal['close'] = async () => {
    await this.#flushing;
    await this.#turning;
    await this.#file.close();
    if (this.#members.size === 0) await this.#files.remove([...this.#old, this.#number]);
  };
}

function newGroup(): Buffer {
  return markFrame(randomBytes(storeIdBytes));
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
