/**
 * The file-system calls with which data is stored. All data that must survive a power cut is written through this
 * port, so that a test can use a file system that fails, writes in part, and loses unsynced data.
 */
import { link, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { makeFolders } from './make-folders.ts';

export interface DiskFile {
  /** May write fewer bytes than given. */
  writev(parts: readonly Buffer[]): Promise<{ readonly bytesWritten: number }>;
  datasync(): Promise<void>;
  sync(): Promise<void>;
  truncate(bytes: number): Promise<void>;
  chmod(mode: number): Promise<void>;
  close(): Promise<void>;
}

export interface Disk {
  open(path: string, flags: 'a' | 'r' | 'r+' | 'w' | 'wx', mode?: number): Promise<DiskFile>;
  readFile(path: string): Promise<Buffer>;
  readdir(path: string): Promise<string[]>;
  stat(path: string): Promise<{ readonly size: number }>;
  /** With the folders above; resolves with the topmost one that it made. */
  mkdir(path: string, options: { readonly recursive: true; readonly mode?: number }): Promise<string | undefined>;
  rename(from: string, to: string): Promise<void>;
  /** Fails where `to` exists. */
  link(from: string, to: string): Promise<void>;
  /** Does nothing if there is no such file. */
  rm(path: string, options: { readonly force: true }): Promise<void>;
}

export const nodeDisk: Disk = {
  open: (path, flags, mode) => open(path, flags, mode),
  readFile: (path) => readFile(path),
  readdir: (path) => readdir(path),
  stat: (path) => stat(path),
  mkdir: makeFolders,
  rename,
  link,
  rm,
};

export function isMissing(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'ENOENT';
}

/** `undefined` if there is no such file. Throws if the file cannot be read. */
export async function unlessMissing<T>(act: Promise<T>): Promise<T | undefined> {
  try {
    return await act;
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}
