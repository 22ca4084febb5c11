/**
 * One journal for many stores of a process: what any of them writes is made durable by one sync of one file for all, where each
 * store by itself would sync a separate file for each write.
 *
 * Its folder holds numbered files (journal-files.ts) of frames (journal-frames.ts).
 *
 * A write reaches its store once its frame is durable, and without a sync; it is acknowledged after both. So a kill of the process
 * takes nothing back, and after a power cut a store lacks at most a suffix of what the journal holds: when it is next opened
 * through the journal, its frames are written again, in order. Files go once all stores have synced what they hold: a store that
 * is closing counts until it has synced, and one whose closing failed counts until it is opened again, or for ever.
 *
 * A store that is open here carries a mark, and frames name the mark. Whoever else opens it for writing takes the mark out
 * (`leaveJournal`), and frames of it are void from then on: nothing old is ever written over what came later.
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

/** A store that is open through it, or was and may lack what the journal holds. */
interface Member {
  /** All that was written to it until now is durable in it. */
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
  /** Files of processes before, which go once no store lacks what they hold. */
  let numbers = earlier.numbers;
  const removeEarlier = async () => {
    const gone = numbers;
    numbers = [];
    await files.remove(gone);
    await files.removeSettled();
  };
  if (lacking.size === 0) await removeEarlier();
  /** Its store has what was journaled under that mark, or will never be wanted again. */
  const isWhole = async (mark: string) => {
    members.delete(mark);
    if (lacking.delete(mark)) await (lacking.size === 0 ? removeEarlier() : files.settle(mark));
  };

  /** Files of this process that go once every store has synced what they hold. */
  let old: number[] = [];

  let number = (earlier.numbers.at(-1) ?? 0) + 1;
  let file = await files.create(number);
  /** The mark before the frames of each sync, and once before all of them. */
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
  /** By their marks. */
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

  /** Another file from now on; those of before go once every store has synced what came through them. */
  const turn = async () => {
    const full = file;
    // Where the next file cannot be opened, this one goes on, and the next try comes after as many bytes.
    written = 0;
    const next = await files.create(number + 1).catch(() => undefined);
    if (next === undefined) return;
    file = next;
    old.push(number++);
    begin(turnMark);
    await full.close().catch(() => {});
    const before = old;
    turning = (async () => {
      // A few at a time: nobody waits for it.
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

  /** After a disk was full, say. What was not acknowledged is void, and no store is open that could be ahead of it. */
  const beginAnew = async () => {
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
      if (failure !== undefined && open === 0) await (mending ??= beginAnew().finally(() => (mending = undefined)));
      const mark = randomBytes(storeIdBytes);
      const owed = marksIn(await inner.get(markKey)).filter(
        (one, at) => at === 0 || lacking.has(one) || members.has(one),
      );
      const [before = ''] = owed;
      for (const ops of lacking.get(before) ?? []) await inner.write(ops);
      // With its new mark all of it is durable, and what was written again is never written a third time. The marks before stand
      // behind it: a kill before they are noted as whole leaves them to the next. None is noted before: the row that was found may be
      // in memory alone.
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
        // Those of one store are durable in the order of their frames, so the next write finds this one issued.
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

/** In hexadecimal: a store's mark, and those it had before. */
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
