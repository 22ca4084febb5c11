/**
 * The files of a journal: read at its start, and removed once every store has their content.
 *
 *   FOLDER/<number>.journal    frames (journal-frames.ts), the oldest file first
 *   FOLDER/settled             marks of stores that have the content of the oldest files, which others still lack; 8 bytes each
 */
import { join } from 'node:path';
import { CrawlstreamError } from '../../../../topology/errors.ts';
import type { Disk, DiskFile } from '../../disk/disk.ts';
import { putFile, removeFile, syncFolder, withFile } from '../../disk/durable-names.ts';
import { writeWhole } from '../../disk/write-whole.ts';
import type { StoreOp } from '../store.ts';
import { readFrames, storeIdBytes } from './journal-frames.ts';

export interface EarlierFiles {
  /** The oldest file first. */
  readonly numbers: readonly number[];
  /** By mark: writes that a store may lack. */
  readonly lacking: Map<string, (readonly StoreOp[])[]>;
}

export class JournalFiles {
  readonly #folder: string;
  readonly #disk: Disk;
  readonly #settledPath: string;
  #settledBytes = 0;

  constructor(folder: string, disk: Disk) {
    this.#folder = folder;
    this.#disk = disk;
    this.#settledPath = join(folder, 'settled');
  }

  #pathOf(number: number): string {
    return join(this.#folder, `${number}.journal`);
  }

  /** Throws STORE_FAILED for a file that has lost acknowledged writes. */
  async read(): Promise<EarlierFiles> {
    const numbers = (await this.#disk.readdir(this.#folder))
      .flatMap((name) => /^(\d+)\.journal$/.exec(name)?.[1] ?? [])
      .map(Number)
      .sort((a, b) => a - b);
    const lacking = new Map<string, (readonly StoreOp[])[]>();
    /**
     * Marks in files before a torn one. Only frames of one process have a mark, and that process does not continue
     * after a torn file.
     */
    const beforeTear = new Set<string>();
    let torn: number | undefined;
    let previous: number | undefined;
    for (const number of numbers) {
      const { frames, isTurned, tornAt, isDamaged } = readFrames(await this.#disk.readFile(this.#pathOf(number)));
      if (isDamaged) throw this.#damaged(number);
      if (isTurned && torn === number - 1) throw this.#damaged(torn);
      // A file is removed once all stores have the content of it and of earlier files. So an earlier file that a
      // power cut brought back is void.
      const isBehindGap = previous !== undefined && previous !== number - 1;
      const voided = new Set(isBehindGap ? lacking.keys() : []);
      for (const { store, ops } of frames) {
        if (beforeTear.has(store)) throw this.#damaged(torn!);
        if (voided.delete(store)) lacking.delete(store);
        const known = lacking.get(store);
        if (ops.length === 0) lacking.delete(store);
        else if (known !== undefined) known.push(ops);
        else lacking.set(store, [ops]);
      }
      if (tornAt !== undefined) {
        torn = number;
        for (const store of lacking.keys()) beforeTear.add(store);
      }
      previous = number;
    }
    for (const mark of await this.#readSettled()) lacking.delete(mark);
    return { numbers, lacking };
  }

  #damaged(number: number): CrawlstreamError {
    const message = `the journal ${this.#pathOf(number)} is damaged: acknowledged writes are lost. Restore the file from a backup. Or move the folder ${this.#folder} elsewhere: crawls then continue without their last writes`;
    return new CrawlstreamError('STORE_FAILED', message);
  }

  /** A file that cannot be read settles nothing: its marks are only kept for longer. */
  async #readSettled(): Promise<string[]> {
    const bytes = await this.#disk.readFile(this.#settledPath).catch(() => Buffer.alloc(0));
    this.#settledBytes = bytes.length - (bytes.length % storeIdBytes);
    // The last mark was written in part.
    const whole = bytes.subarray(0, this.#settledBytes);
    if (whole.length < bytes.length) await putFile(this.#settledPath, whole, {}, this.#disk);
    return whole.toString('hex').match(/.{16}/g) ?? [];
  }

  async settle(mark: string): Promise<void> {
    await withFile(await this.#disk.open(this.#settledPath, 'a'), async (marks) => {
      try {
        await writeWhole(marks, [Buffer.from(mark, 'hex')]);
      } catch (error) {
        await marks.truncate(this.#settledBytes).catch(() => {});
        throw error;
      }
      await marks.datasync();
    });
    if (this.#settledBytes === 0) await syncFolder(this.#folder, this.#disk);
    this.#settledBytes += storeIdBytes;
  }

  /** Under a name that is durable. */
  async create(number: number): Promise<DiskFile> {
    const file = await this.#disk.open(this.#pathOf(number), 'a');
    try {
      await syncFolder(this.#folder, this.#disk);
      return file;
    } catch (error) {
      await file.close();
      throw error;
    }
  }

  /** The oldest first, each for good before the next: of two that follow each other, never the first alone comes back. */
  async remove(numbers: readonly number[]): Promise<void> {
    for (const number of numbers) await removeFile(this.#pathOf(number), this.#disk);
  }

  /** Call it after the files with its marks are removed. */
  async removeSettled(): Promise<void> {
    await this.#disk.rm(this.#settledPath, { force: true });
    this.#settledBytes = 0;
  }
}
