/** Recognizes errors of a resource that the machine refused, and adds the remedy. Such an error is not a bug. */
import { existsSync, statfsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { refusalAbove } from '../../runtime/data-folder/refusal-above.ts';

const remedies: Readonly<Record<string, (place: string) => string>> = {
  EACCES: (place) => `${place} may not be read or written by this user: change its permissions, or choose another path`,
  EPERM: (place) => `${place} may not be changed by this user: change its permissions, or choose another path`,
  EROFS: (place) => `${place} is on a file system that is mounted read-only: choose another path`,
  ENOSPC: (place) => `the disk holding ${place} is full: make room, then run the same command again`,
  EDQUOT: (place) => `the quota of the disk holding ${place} is used up: make room, then run the same command again`,
  EIO: (place) => `the disk holding ${place} fails to read or write: check the disk and the system's log`,
  EISDIR: (place) => `${place} is a folder: name a file`,
  ENOTDIR: (place) => `${place} has a file in the place of a folder: choose another path`,
  ENAMETOOLONG: (place) => `${place} is too long: choose a shorter name`,
};

/** Errors of a full disk: they also occur on open files, and then name no path. */
const ofDisks: ReadonlySet<string> = new Set(['ENOSPC', 'EDQUOT', 'EIO', 'EROFS']);
/** The same errors in the words of the stores. */
const saidByStores: readonly (readonly [RegExp, string])[] = [
  [/No space left on device|database or disk is full|\bENOSPC\b/i, 'ENOSPC'],
  [/Disk quota exceeded|\bEDQUOT\b/i, 'EDQUOT'],
  [/Read-only file system|readonly database|\bEROFS\b/i, 'EROFS'],
  [/Input\/output error|disk I\/O error|\bEIO\b/i, 'EIO'],
];
/** A disk with less is full: a file system keeps some for itself. */
const fullBytes = 64 * 1024;

export interface MachineRefusal {
  readonly code: string;
  readonly message: string;
}

/**
 * undefined: another kind of error. `named`: words of the command line; a full disk is searched among the paths in
 * them.
 */
export function machineRefusal(
  error: unknown,
  named: readonly string[] = process.argv.slice(2),
): MachineRefusal | undefined {
  const chain = causesOf(error);
  return firstSaid(chain.map(ofPath)) ?? firstSaid(chain.map((one) => ofDisk(one, named)));
}

function ofPath(error: unknown): MachineRefusal | undefined {
  const { syscall, path, dest, ...said } = error as NodeJS.ErrnoException & { readonly dest?: string };
  const code = said.code === 'ENOENT' && syscall === 'mkdir' && path !== undefined ? refusalAbove(path) : said.code;
  if (code === 'EMFILE' || code === 'ENFILE' || isMissedPackage(error)) {
    const message = 'too many files are open: raise the limit (as in ulimit -n 4096), then run the same command again';
    return { code: code ?? 'EMFILE', message };
  }
  const place = dest ?? path;
  const remedy = remedies[code ?? ''];
  if (typeof place !== 'string' || remedy === undefined) return undefined;
  // The temporary names of a file's parts are not shown.
  return { code: code!, message: remedy(place.replace(/\.(partial|part|new)$/, '')) };
}

function ofDisk(error: unknown, named: readonly string[]): MachineRefusal | undefined {
  const { code = '', message = '' } = error as NodeJS.ErrnoException;
  const found = ofDisks.has(code) ? code : saidByStores.find(([words]) => words.test(message))?.[1];
  if (found === undefined) return undefined;
  const place = found === 'ENOSPC' ? fullPlace(named) : undefined;
  return { code: found, message: remedies[found]!(place ?? 'the files of this command') };
}

/** The first place on a full disk, among the named ones and the current folder. */
function fullPlace(named: readonly string[]): string | undefined {
  const places = named.map((argument) => argument.replace(/^--[\w-]+=/, ''));
  const paths = places.filter((one) => !one.startsWith('-') && (one.includes('/') || existsSync(one)));
  return [...paths, process.cwd()].find((place) => {
    try {
      const { bavail, bsize, blocks } = statfsSync(existingAbove(resolve(place)));
      return blocks > 0 && bavail * bsize < fullBytes;
    } catch {
      return false;
    }
  });
}

function existingAbove(path: string): string {
  return existsSync(path) || dirname(path) === path ? path : existingAbove(dirname(path));
}

/** An error with its causes, and with those it was made of. */
function causesOf(error: unknown, depth = 0): unknown[] {
  if (typeof error !== 'object' || error === null || depth > 8) return [];
  const { cause, errors } = error as { readonly cause?: unknown; readonly errors?: unknown };
  const parts = Array.isArray(errors) ? errors : [];
  return [error, ...[cause, ...parts].flatMap((one) => causesOf(one, depth + 1))];
}

function firstSaid(refusals: readonly (MachineRefusal | undefined)[]): MachineRefusal | undefined {
  return refusals.find((one) => one !== undefined);
}

/** Node also reports a missing package if it could not open one more file to look for it. */
function isMissedPackage(error: unknown): boolean {
  const { code, message = '' } = error as NodeJS.ErrnoException;
  const [, path] = (code === 'ERR_MODULE_NOT_FOUND' && /^Cannot find (?:package|module) '([^']+)'/.exec(message)) || [];
  // Where its entry could not be looked up, the package's folder is named with a file that no package has to have.
  return path !== undefined && (existsSync(path) || existsSync(join(dirname(path), 'package.json')));
}
