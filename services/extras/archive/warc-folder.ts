/**
 * The folder of WARC files of one archiver: at most one of them open, rotated by size, each with its index beside it.
 *
 *   <name>.warc.gz.open, <name>.cdxj.open    being written; the index is not yet sorted
 *   <name>.warc.gz, <name>.cdxj              complete
 *
 * A name is durable before a checkpoint depends on it: the open file's, and a complete file's before the next one
 * begins. A file that is shorter than in its checkpoint is not written to, because the missing bytes were
 * acknowledged.
 *
 * Invariant: the folder matches the newest checkpoint in the store, or can be made to: bytes beyond it are cut off at
 * the next start, before their records are read again. Checkpoint, positions and known payloads are one write. Every
 * record is a separate gzip member (WARC 1.1, annex D), so that each can be read without the rest.
 */
import { join } from 'node:path';
import { CrawlstreamError } from '../../../topology/errors.ts';
import { type Disk, type DiskFile, nodeDisk, unlessMissing } from '../../runtime/disk/disk.ts';
import {
  makeFolder,
  putFile,
  removeFile,
  renameWritten,
  syncFolder,
  withFile,
} from '../../runtime/disk/durable-names.ts';
import { writeWhole } from '../../runtime/disk/write-whole.ts';
import type { StateStore, StoreOp } from '../../runtime/store/store.ts';
import { finishReplacing } from './replaced-files.ts';

/** The valid part of the open file. `null`: no file is open. `whole`: the file is full, and about to be closed. */
interface Checkpoint {
  readonly name: string;
  readonly bytes: number;
  readonly indexBytes: number;
  readonly whole: boolean;
  /** The complete file before it. Absent: there is none, or 0.3.0 wrote this. */
  readonly before?: WholeFile;
}

type WholeFile = Pick<Checkpoint, 'name' | 'bytes' | 'indexBytes'>;

export interface WarcFolder {
  /** Final name of the open file; null: none is open. */
  readonly file: string | null;
  /** Its length, bytes. */
  readonly bytes: number;
  /** Opens a file. None may be open. */
  begin(name: string): void;
  /** Appends to the open file. Nothing is promised before `checkpoint`. */
  append(member: Buffer): void;
  /** The same for bodies that do not fit in memory; resolves with its length once it is written. */
  appendAll(member: AsyncIterable<Buffer>): Promise<number>;
  /** A line of its index. */
  index(line: string): void;
  /** Makes all that was appended durable, together with `ops`. */
  checkpoint(ops: readonly StoreOp[]): Promise<void>;
  /** The same, and the open file is whole. */
  finish(ops: readonly StoreOp[]): Promise<void>;
  /** Whole files with their indexes, oldest first, by name. */
  files(): Promise<string[]>;
}

const checkpointKey = Buffer.from('C');
const suffix = '.warc.gz';

/**
 * Restores the folder to its newest checkpoint. Throws STORE_FAILED if the folder has lost bytes of that checkpoint.
 */
export async function openWarcFolder(folder: string, store: StateStore, disk: Disk = nodeDisk): Promise<WarcFolder> {
  await makeFolder(folder, undefined, disk);
  await finishReplacing(folder, store, disk);
  const newest = await readCheckpoint(store);
  // If the last process was killed during a write, the checkpoint may be in memory only. It must be durable before
  // the names.
  if (newest !== undefined) await store.write([checkpointRow(newest)], { sync: true });
  await recover(folder, newest, disk);
  return new DiskWarcFolder(folder, store, disk, newest);
}

class DiskWarcFolder implements WarcFolder {
  readonly #folder: string;
  readonly #store: StateStore;
  readonly #disk: Disk;
  #newest: Checkpoint | undefined;
  #members: Buffer[] = [];
  /** Written, but not synced. */
  #isDirty = false;
  #lines = '';
  #bytes: number;
  #indexBytes: number;
  #name: string | null;
  /** The names of the open file are durable. */
  #isNamed: boolean;
  /** The result of the last write is unknown: no further write before the next start has checked it. */
  #failure: unknown;

  /** `newest`: the checkpoint that the folder matches. */
  constructor(folder: string, store: StateStore, disk: Disk, newest: Checkpoint | undefined) {
    this.#folder = folder;
    this.#store = store;
    this.#disk = disk;
    this.#newest = newest;
    const current = newest?.whole === true ? undefined : newest;
    this.#bytes = current?.bytes ?? 0;
    this.#indexBytes = current?.indexBytes ?? 0;
    this.#name = current?.name ?? null;
    this.#isNamed = current !== undefined;
  }

  get file(): string | null {
    return this.#name === null ? null : `${this.#name}${suffix}`;
  }

  get bytes(): number {
    return this.#bytes;
  }

  begin(name: string): void {
    this.#name = name;
    this.#bytes = 0;
    this.#indexBytes = 0;
    this.#isNamed = false;
  }

  append(member: Buffer): void {
    this.#members.push(member);
    this.#bytes += member.length;
  }

  appendAll(member: AsyncIterable<Buffer>): Promise<number> {
    return this.#orFail(async () => {
      const before = this.#bytes;
      this.#isDirty = true;
      const path = pathOf(this.#folder, this.#name!, `${suffix}.open`);
      await withFile(await this.#disk.open(path, 'a'), async (file) => {
        await writeWhole(file, this.#members);
        this.#members = [];
        for await (const chunk of member) {
          await writeWhole(file, [chunk]);
          this.#bytes += chunk.length;
        }
      });
      return this.#bytes - before;
    });
  }

  index(line: string): void {
    this.#lines += `${line}\n`;
  }

  checkpoint(ops: readonly StoreOp[]): Promise<void> {
    return this.#orFail(() => this.#write(false, ops));
  }

  finish(ops: readonly StoreOp[]): Promise<void> {
    return this.#orFail(async () => {
      await this.#write(true, ops);
      if (this.#name !== null) await close(this.#folder, this.#newest!, this.#disk);
      this.#name = null;
      // The checkpoint still has `whole`: the next start closes the file again, without effect.
    });
  }

  async files(): Promise<string[]> {
    const names = await this.#disk.readdir(this.#folder);
    return names
      .filter((one) => one.endsWith(suffix))
      .map((one) => one.slice(0, -suffix.length))
      .sort();
  }

  async #write(whole: boolean, ops: readonly StoreOp[]): Promise<void> {
    const [folder, disk, name] = [this.#folder, this.#disk, this.#name];
    if (name !== null) {
      await appendSynced(pathOf(folder, name, `${suffix}.open`), this.#members, this.#isDirty, disk);
      this.#isDirty = false;
      await appendSynced(pathOf(folder, name, '.cdxj.open'), [Buffer.from(this.#lines)], false, disk);
      if (!this.#isNamed) await syncFolder(folder, disk);
      this.#isNamed = true;
      this.#indexBytes += Buffer.byteLength(this.#lines);
      const before = this.#newest?.whole === true ? wholeOf(this.#newest) : this.#newest?.before;
      const at = { name, bytes: this.#bytes, indexBytes: this.#indexBytes, whole };
      this.#newest = { ...at, ...(before !== undefined && { before }) };
    }
    this.#members = [];
    this.#lines = '';
    await this.#store.write([...ops, checkpointRow(this.#newest)], { sync: true });
  }

  async #orFail<T>(act: () => Promise<T>): Promise<T> {
    if (this.#failure !== undefined) throw this.#failure;
    try {
      return await act();
    } catch (error) {
      this.#failure = error;
      throw error;
    }
  }
}

function checkpointRow(checkpoint: Checkpoint | undefined): StoreOp {
  return { key: checkpointKey, value: Buffer.from(JSON.stringify(checkpoint ?? null)) };
}

async function readCheckpoint(store: StateStore): Promise<Checkpoint | undefined> {
  const value = await store.get(checkpointKey);
  return value === undefined ? undefined : ((JSON.parse(value.toString()) as Checkpoint | null) ?? undefined);
}

function wholeOf({ name, bytes, indexBytes }: WholeFile): WholeFile {
  return { name, bytes, indexBytes };
}

async function recover(folder: string, checkpoint: Checkpoint | undefined, disk: Disk): Promise<void> {
  const kept = [checkpoint?.name, checkpoint?.before?.name];
  for (const one of await disk.readdir(folder)) {
    const [, name] = /^(.*)\.(?:warc\.gz|cdxj)\.(?:open|new)$/.exec(one) ?? [];
    // The file was begun after the checkpoint: its records will be written again.
    if (name !== undefined && !kept.includes(name)) await removeFile(join(folder, one), disk);
  }
  if (checkpoint === undefined) return;
  if (checkpoint.before !== undefined) await close(folder, checkpoint.before, disk);
  if (checkpoint.whole) return close(folder, checkpoint, disk);
  await cutTo(folder, pathOf(folder, checkpoint.name, `${suffix}.open`), checkpoint.bytes, disk);
  await cutTo(folder, pathOf(folder, checkpoint.name, '.cdxj.open'), checkpoint.indexBytes, disk);
}

/**
 * Sorts the index, then gives both their final names, the index first: a WARC file with its final name has one. Does
 * nothing for a file that has its final name already, or had it and was removed since.
 */
async function close(folder: string, { name, bytes, indexBytes }: WholeFile, disk: Disk): Promise<void> {
  const open = pathOf(folder, name, `${suffix}.open`);
  const unsorted = pathOf(folder, name, '.cdxj.open');
  if ((await sizeOf(open, disk)) !== undefined) {
    await cutTo(folder, open, bytes, disk);
    const index = pathOf(folder, name, '.cdxj');
    if ((await sizeOf(unsorted, disk)) !== undefined) {
      await cutTo(folder, unsorted, indexBytes, disk);
      const lines = (await disk.readFile(unsorted))
        .toString()
        .split('\n')
        .filter((line) => line !== '');
      const sorted = lines.sort().map((line) => `${line}\n`);
      await putFile(index, sorted.join(''), {}, disk);
    }
    await renameWritten(open, pathOf(folder, name, suffix), disk);
  }
  await disk.rm(unsorted, { force: true });
}

function pathOf(folder: string, name: string, ending: string): string {
  return join(folder, `${name}${ending}`);
}

async function sizeOf(path: string, disk: Disk): Promise<number | undefined> {
  return (await unlessMissing(disk.stat(path)))?.size;
}

/** Truncates a file to `bytes`. Throws if the file is shorter. */
async function cutTo(folder: string, path: string, bytes: number, disk: Disk): Promise<void> {
  const there = await sizeOf(path, disk);
  if ((there ?? 0) < bytes) throw missing(folder, path, there, bytes);
  if (there === undefined || there === bytes) return;
  await withFile(await disk.open(path, 'r+'), async (file) => {
    await file.truncate(bytes);
    await file.sync();
  });
}

function missing(folder: string, path: string, there: number | undefined, bytes: number): CrawlstreamError {
  const what = there === undefined ? 'is missing' : `has only ${there} bytes`;
  const message = `the archive's file ${path} ${what}, but ${bytes} bytes of it were acknowledged: restore it from a backup. Or move ${folder} and the archive's state elsewhere: the archive is then rebuilt from the records that the log still has`;
  return new CrawlstreamError('STORE_FAILED', message);
}

async function appendSynced(path: string, parts: readonly Buffer[], isDirty: boolean, disk: Disk): Promise<void> {
  if (!isDirty && parts.every((part) => part.length === 0)) return;
  await withFile(await disk.open(path, 'a'), async (file: DiskFile) => {
    await writeWhole(file, parts);
    await file.sync();
  });
}
