/**
 * The command inbox of a data folder: how a command reaches the process that holds it.
 *
 *   requests/<id>.json    a request left by a command: written aside, synced, renamed
 *   requests/<id>.taken   the answer of the process that took it: where its records are, or why it was refused
 *
 * The process that holds the log takes requests: the running crawl, or, if none runs, the command itself. A request is
 * removed only after its records are durable and its answer is there, so a kill loses none; one that was appended and
 * not yet answered is found again in the log by its id (`isKnown`).
 */
import { randomBytes } from 'node:crypto';
import { statSync } from 'node:fs';
import { readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { DataFolder } from '../data-folder/data-folder.ts';
import { makeFolder, putFile } from '../disk/durable-names.ts';
import type { AppendRecord } from '../log/log.ts';
import type { RequestRecord } from './requests.ts';

export interface InboxCommand {
  readonly id: string;
  readonly records: readonly RequestRecord[];
}

export type InboxAnswer =
  | { readonly taken: true; readonly offsets: readonly number[] }
  | { readonly taken: false; readonly why: string };

export interface Taking {
  /** If it throws, the request is refused with that error as the answer. */
  encode(records: readonly RequestRecord[]): readonly AppendRecord[];
  /** Returns the offsets. If it throws, the request stays, and no more are read. */
  append(records: readonly AppendRecord[]): Promise<readonly number[]>;
  /** Offsets of a command that was appended before a crash; undefined: it was not. */
  known(records: readonly RequestRecord[]): Promise<readonly number[] | undefined>;
}

/** Age after which unread answers are removed, ms. */
const answerKeptMs = 60_000;
/** More than a tick of any file system's clock, ms: those of FAT have 2 s, and many others 1 s. */
const tickMs = 3_000;
/** Longest time without a list of names, ms: some file systems show no change of a folder. */
const listEveryMs = 10_000;

/** Reads of a folder; tests have others. */
export interface FolderReads {
  list(path: string): Promise<string[]>;
  /** Time of its last change, ms; undefined: there is no such folder. */
  changedAtMs(path: string): number | undefined;
}

const nodeReads: FolderReads = {
  list: (path) => readdir(path),
  changedAtMs: (path) => statSync(path, { throwIfNoEntry: false })?.mtimeMs,
};

export class CommandInbox {
  readonly #path: string;
  readonly #reads: FolderReads;
  /** Time of the folder's last change, as of the last list of names. */
  #changedMs: number | undefined;
  /** Our time when that change was first seen. */
  #seenAtMs = 0;
  /** Our time of the last list of names of which all requests were taken. */
  #listedAtMs = Number.NEGATIVE_INFINITY;
  /** Requests that are older than this process may have been appended by an earlier one. */
  #isFirst = true;

  constructor(folder: DataFolder, reads: FolderReads = nodeReads) {
    this.#path = folder.part('requests');
    this.#reads = reads;
  }

  /** Resolves once the command would survive a crash. */
  async post(records: readonly RequestRecord[], nowMs: number): Promise<string> {
    await makeFolder(this.#path);
    // In order of time, as they are taken.
    const id = `${nowMs.toString(36).padStart(9, '0')}-${randomBytes(6).toString('hex')}`;
    await this.#write(`${id}.json`, JSON.stringify({ id, records }));
    return id;
  }

  /** The answer to a command, once: it is removed. Undefined: not taken yet. */
  async answerTo(id: string): Promise<InboxAnswer | undefined> {
    const file = join(this.#path, `${id}.taken`);
    try {
      const answer = JSON.parse(await readFile(file, 'utf8')) as InboxAnswer;
      await rm(file, { force: true });
      return answer;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw error;
    }
  }

  /** Takes every request there is, the oldest first. Only the process that holds the log may call it. */
  async take(taking: Taking, nowMs: number): Promise<void> {
    const changedMs = this.#reads.changedAtMs(this.#path);
    await this.#takeAll(taking, nowMs);
    if (changedMs !== this.#changedMs) {
      this.#changedMs = changedMs;
      this.#seenAtMs = nowMs;
    }
    this.#listedAtMs = nowMs;
  }

  /** The same, unless the folder has not changed. A request may then wait for `listEveryMs`. */
  async takeIfChanged(taking: Taking, nowMs: number): Promise<void> {
    if (this.#mayHaveRequests(nowMs)) await this.take(taking, nowMs);
  }

  /** A fleet looks at hundreds of folders, and a list of names costs fifty times what this does. */
  #mayHaveRequests(nowMs: number): boolean {
    const changedMs = this.#reads.changedAtMs(this.#path);
    if (changedMs === undefined) return false;
    // A request that came just after a list may have been in the same tick of the file system's clock. By our own clock
    // alone, since that of a file server may differ.
    const isSettled = changedMs === this.#changedMs && this.#listedAtMs - this.#seenAtMs >= tickMs;
    const unlistedMs = nowMs - this.#listedAtMs;
    return !isSettled || unlistedMs >= listEveryMs || unlistedMs < 0;
  }

  async #takeAll(taking: Taking, nowMs: number): Promise<void> {
    const names = await this.#names();
    for (const name of names.filter((one) => one.endsWith('.json')).sort()) {
      const id = name.slice(0, -'.json'.length);
      if (!names.includes(`${id}.taken`)) {
        await this.#write(`${id}.taken`, JSON.stringify(await this.#answer(name, taking)));
      }
      await rm(join(this.#path, name), { force: true });
    }
    if (this.#isFirst) await this.#sweep(names, nowMs);
    this.#isFirst = false;
  }

  async #answer(name: string, taking: Taking): Promise<InboxAnswer> {
    const text = await readFile(join(this.#path, name), 'utf8');
    let command: InboxCommand;
    let encoded: readonly AppendRecord[];
    try {
      command = JSON.parse(text) as InboxCommand;
      encoded = taking.encode(command.records);
    } catch (error) {
      return { taken: false, why: (error as Error).message };
    }
    const before = this.#isFirst ? await taking.known(command.records) : undefined;
    return { taken: true, offsets: before ?? (await taking.append(encoded)) };
  }

  async #names(): Promise<string[]> {
    try {
      return await this.#reads.list(this.#path);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
      throw error;
    }
  }

  async #sweep(names: readonly string[], nowMs: number): Promise<void> {
    for (const name of names) {
      if (name.endsWith('.json')) continue;
      const file = join(this.#path, name);
      const { mtimeMs } = await stat(file);
      if (nowMs - mtimeMs > answerKeptMs) await rm(file, { force: true });
    }
  }

  #write(name: string, text: string): Promise<void> {
    return putFile(join(this.#path, name), text);
  }
}
