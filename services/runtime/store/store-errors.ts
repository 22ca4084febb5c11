/** The status lines of RocksDB and LevelDB, turned into the errors an operator can act on. */
import { CrawlstreamError } from '../../../topology/errors.ts';
import { lockHolder } from './lock-holder.ts';

/** The error with which opening a store, and all of its calls, reject. */
export function storeError(error: Error, folder: string): CrawlstreamError {
  const text = error.message;
  if (/Too many open files|\bE[MN]FILE\b/i.test(text)) {
    const message = `the store in ${folder} needs more open files than this process may have: raise the limit (as in ulimit -n 4096), then run the same command again`;
    return new CrawlstreamError('STORE_FAILED', message, error);
  }
  if (/Read-only file system|\bEROFS\b/i.test(text)) {
    const message = `data folder ${folder} is on a file system that is mounted read-only: choose another --data, or remount it writable`;
    return new CrawlstreamError('STORE_FAILED', message, error);
  }
  if (/Permission denied|\bE(ACCES|PERM)\b/i.test(text)) {
    const message = `data folder ${folder} cannot be written by this user: change its permissions, or choose another --data`;
    return new CrawlstreamError('STORE_FAILED', message, error);
  }
  if (/No space left on device|Disk quota exceeded|ENOSPC|EDQUOT/i.test(text)) {
    const message = `the disk holding ${folder} is full: free some disk space, then run the same command again; nothing acknowledged is lost`;
    return new CrawlstreamError('DISK_FULL', message, error);
  }
  if (/\block\b/i.test(text) && /IO error|No locks|temporarily unavailable/i.test(text)) {
    const holder = lockHolder(folder);
    const which = holder === undefined ? '' : ` (process ${holder})`;
    const message = `data folder ${folder} is in use by another process${which}: stop that process, or choose another --data`;
    return new CrawlstreamError('DATA_FOLDER_LOCKED', message, error);
  }
  if (/^Corruption|: Corruption/i.test(text)) {
    const message = `the store in ${folder} is damaged: ${text}. Restore its files from a backup; pages, export, audit and recheck read the intact part of a log with --skip-damaged`;
    return new CrawlstreamError('STORE_FAILED', message, error);
  }
  return new CrawlstreamError('STORE_FAILED', `the store in ${folder} failed: ${text}`, error);
}

export function storeClosed(): CrawlstreamError {
  return new CrawlstreamError('STORE_CLOSED', 'the store is closed');
}
