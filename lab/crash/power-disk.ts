/**
 * A file system in memory that a test can attack. Any call can fail or write in part, and the power can be cut at any
 * moment: `cut` makes a disk in a state that POSIX then allows. Each sector and each change of a name that no sync
 * covers is there or not, whatever came later; a rename takes place whole. A failed sync covers nothing, and nor does a
 * later sync of the same bytes.
 */
import { dirname } from 'node:path';
import type { Disk, DiskFile } from '../../services/runtime/disk/disk.ts';
import type { Random } from './random.ts';

export type Fault = 'EINTR' | 'EIO' | 'EMFILE' | 'ENOSPC' | 'short';
/** `call`: a function of `Disk` or `DiskFile`. */
export type Plan = (call: string) => Fault | undefined;

type Change = { readonly at: number; readonly bytes: Buffer } | { readonly truncatedTo: number };

class Content {
  now: Buffer = Buffer.alloc(0);
  /** All changes, in order. A change is certain once it is synced, and stays doubtful if that sync failed. */
  #changes: { readonly change: Change; state: 'doubtful' | 'pending' | 'sure' }[] = [];

  change(change: Change): void {
    this.now = applied(this.now, change);
    this.#changes.push({ change, state: 'pending' });
  }

  sync(state: 'doubtful' | 'sure'): void {
    for (const one of this.#changes) if (one.state === 'pending') one.state = state;
    if (this.#changes.some((one) => one.state !== 'sure')) return;
    this.#changes = [{ change: { at: 0, bytes: this.now }, state: 'sure' }];
  }

  cut(isKept: () => boolean): Content {
    let bytes: Buffer = Buffer.alloc(0);
    for (const { change, state } of this.#changes)
      if (state === 'sure') bytes = applied(bytes, change);
      else if ('truncatedTo' in change) bytes = isKept() ? applied(bytes, change) : bytes;
      else
        for (let at = 0; at < change.bytes.length; at += sectorBytes)
          if (isKept())
            bytes = applied(bytes, { at: change.at + at, bytes: change.bytes.subarray(at, at + sectorBytes) });
    const copy = new Content();
    copy.change({ at: 0, bytes });
    copy.sync('sure');
    return copy;
  }
}

/** Content of a path; null: a folder. */
type Entry = Content | null;
interface NameChange {
  readonly folder: string;
  readonly sets: readonly (readonly [path: string, entry: Entry | undefined])[];
}

const sectorBytes = 16;

function applied(bytes: Buffer, change: Change): Buffer {
  if ('truncatedTo' in change) return Buffer.from(bytes.subarray(0, change.truncatedTo));
  const grown = Buffer.alloc(Math.max(bytes.length, change.at + change.bytes.length));
  bytes.copy(grown);
  change.bytes.copy(grown, change.at);
  return grown;
}

function failed(code: string, call: string): Error {
  return Object.assign(new Error(`${code}: planned, ${call}`), { code });
}

export class PowerDisk implements Disk {
  readonly #names: Map<string, Entry>;
  readonly #durableNames: Map<string, Entry>;
  #pendingNames: NameChange[] = [];
  /** After each call, with its result. */
  onStep: () => void = () => {};
  plan: Plan = () => undefined;

  constructor(names: Iterable<readonly [string, Entry]> = [['/', null]]) {
    this.#names = new Map(names);
    this.#durableNames = new Map(this.#names);
  }

  /** `how`: which unsynced changes are there: none, all, or some. */
  cut(random: Random, how: 'all' | 'none' | 'some'): PowerDisk {
    const isKept = () => how === 'all' || (how === 'some' && random.below(2) === 0);
    const names = new Map(this.#durableNames);
    for (const { sets } of this.#pendingNames)
      if (isKept()) for (const [path, entry] of sets) setName(names, path, entry);
    const copies = new Map<Content, Content>();
    const copyOf = (content: Content): Content => {
      let copy = copies.get(content);
      if (copy === undefined) copies.set(content, (copy = content.cut(isKept)));
      return copy;
    };
    const there = [...names].filter(([path]) => path === '/' || names.get(dirname(path)) === null);
    return new PowerDisk(there.map(([path, entry]) => [path, entry === null ? null : copyOf(entry)]));
  }

  #call<T>(call: string, act: () => T): Promise<T> {
    const fault = this.plan(call);
    try {
      if (fault !== undefined && fault !== 'short') throw failed(fault, call);
      return Promise.resolve(act());
    } catch (error) {
      return Promise.reject(error);
    } finally {
      this.onStep();
    }
  }

  #entry(path: string): Entry {
    const entry = this.#names.get(path);
    if (entry === undefined) throw failed('ENOENT', path);
    return entry;
  }

  #content(path: string): Content {
    const entry = this.#entry(path);
    if (entry === null) throw failed('EISDIR', path);
    return entry;
  }

  #rename(folder: string, sets: NameChange['sets']): void {
    if (this.#names.get(folder) !== null) throw failed('ENOENT', folder);
    for (const [path, entry] of sets) setName(this.#names, path, entry);
    this.#pendingNames.push({ folder, sets });
  }

  open(path: string, flags: string): Promise<DiskFile> {
    return this.#call('open', () => {
      if (flags === 'wx' && this.#names.has(path)) throw failed('EEXIST', path);
      if (flags.startsWith('r')) this.#entry(path);
      else if (!this.#names.has(path)) this.#rename(dirname(path), [[path, new Content()]]);
      const entry = this.#entry(path);
      if (flags.startsWith('w')) this.#content(path).change({ truncatedTo: 0 });
      return this.#file(path, entry, flags === 'a');
    });
  }

  #file(path: string, entry: Entry, isAppending: boolean): DiskFile {
    let at = 0;
    const sync = (call: string) => {
      const fault = this.plan(call);
      try {
        if (entry === null) {
          if (fault !== undefined) throw failed(fault, call);
          for (const { folder, sets } of this.#pendingNames)
            if (folder === path) for (const [name, one] of sets) setName(this.#durableNames, name, one);
          this.#pendingNames = this.#pendingNames.filter(({ folder }) => folder !== path);
          return Promise.resolve();
        }
        entry.sync(fault === undefined ? 'sure' : 'doubtful');
        if (fault !== undefined) throw failed(fault, call);
        return Promise.resolve();
      } catch (error) {
        return Promise.reject(error);
      } finally {
        this.onStep();
      }
    };
    return {
      writev: (parts) => {
        const fault = this.plan('writev');
        const bytes = Buffer.concat(parts);
        const written = fault === 'short' ? Math.floor(bytes.length / 2) : bytes.length;
        return this.#call('', () => {
          if (fault !== undefined && fault !== 'short') throw failed(fault, 'writev');
          const content = entry as Content;
          if (isAppending) at = content.now.length;
          if (written > 0) content.change({ at, bytes: bytes.subarray(0, written) });
          at += written;
          return { bytesWritten: written };
        });
      },
      truncate: (bytes) => this.#call('truncate', () => (entry as Content).change({ truncatedTo: bytes })),
      chmod: () => this.#call('chmod', () => {}),
      datasync: () => sync('datasync'),
      sync: () => sync('sync'),
      close: () => this.#call('close', () => {}),
    };
  }

  readFile(path: string): Promise<Buffer> {
    return this.#call('readFile', () => this.#content(path).now);
  }

  readdir(path: string): Promise<string[]> {
    return this.#call('readdir', () => {
      if (this.#entry(path) !== null) throw failed('ENOTDIR', path);
      return [...this.#names.keys()]
        .filter((one) => one !== '/' && dirname(one) === path)
        .map((one) => one.slice(one.lastIndexOf('/') + 1));
    });
  }

  stat(path: string): Promise<{ size: number }> {
    return this.#call('stat', () => ({ size: this.#entry(path)?.now.length ?? 0 }));
  }

  mkdir(path: string): Promise<string | undefined> {
    return this.#call('mkdir', () => {
      let first: string | undefined;
      const make = (one: string) => {
        if (this.#names.has(one)) return;
        make(dirname(one));
        first ??= one;
        this.#rename(dirname(one), [[one, null]]);
      };
      make(path);
      return first;
    });
  }

  rename(from: string, to: string): Promise<void> {
    return this.#call('rename', () =>
      this.#rename(dirname(to), [
        [from, undefined],
        [to, this.#entry(from)],
      ]),
    );
  }

  link(from: string, to: string): Promise<void> {
    return this.#call('link', () => {
      if (this.#names.has(to)) throw failed('EEXIST', to);
      this.#rename(dirname(to), [[to, this.#entry(from)]]);
    });
  }

  rm(path: string): Promise<void> {
    return this.#call('rm', () => {
      if (this.#names.has(path)) this.#rename(dirname(path), [[path, undefined]]);
    });
  }
}

function setName(names: Map<string, Entry>, path: string, entry: Entry | undefined): void {
  if (entry === undefined) names.delete(path);
  else names.set(path, entry);
}

/** The disk as a process sees it: calls after its death have no effect. */
export function diskOf(disk: Disk, isAlive: () => boolean): Disk {
  const alive = <T extends object>(of: T): T =>
    new Proxy(of, {
      get: (target, name) => {
        const call = target[name as keyof T] as ((...given: unknown[]) => Promise<unknown>) | undefined;
        // Promises look for a method `then`.
        if (call === undefined) return undefined;
        return (...given: unknown[]) => {
          if (!isAlive()) return new Promise(() => {});
          const result = call.apply(target, given);
          return name === 'open' ? result.then((file) => alive(file as DiskFile)) : result;
        };
      },
    });
  return alive(disk);
}
