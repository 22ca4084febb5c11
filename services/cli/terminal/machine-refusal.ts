/** A resource that the machine refused, with the remedy: such an error is no bug. */
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { refusalAbove } from '../../runtime/data-folder/refusal-above.ts';

const remedies: Readonly<Record<string, (place: string) => string>> = {
  EACCES: (place) => `${place} may not be read or written by this user: change its permissions, or choose another path`,
  EPERM: (place) => `${place} may not be changed by this user: change its permissions, or choose another path`,
  EROFS: (place) => `${place} is on a file system that is mounted read-only: choose another path`,
  ENOSPC: (place) => `the disk holding ${place} is full: make room, then run the same command again`,
  EDQUOT: (place) => `the quota of the disk holding ${place} is used up: make room, then run the same command again`,
  EISDIR: (place) => `${place} is a folder: name a file`,
  ENOTDIR: (place) => `${place} has a file in the place of a folder: choose another path`,
  ENAMETOOLONG: (place) => `${place} is too long: choose a shorter name`,
};

/** undefined: no such error. */
export function machineRefusal(error: unknown): string | undefined {
  const { syscall, path, dest, ...said } = error as NodeJS.ErrnoException & { readonly dest?: string };
  const code = said.code === 'ENOENT' && syscall === 'mkdir' && path !== undefined ? refusalAbove(path) : said.code;
  if (code === 'EMFILE' || code === 'ENFILE' || isMissedPackage(error)) {
    return 'too many files are open: raise the limit (as in ulimit -n 4096), then run the same command again';
  }
  const place = dest ?? path;
  // The temporary names of a file's parts are not shown.
  return place === undefined ? undefined : remedies[code ?? '']?.(place.replace(/\.(partial|part|new)$/, ''));
}

/** Node says that a package is not there, too, where it could not open one more file to look. */
function isMissedPackage(error: unknown): boolean {
  const { code, message = '' } = error as NodeJS.ErrnoException;
  const [, path] = (code === 'ERR_MODULE_NOT_FOUND' && /^Cannot find (?:package|module) '([^']+)'/.exec(message)) || [];
  // Where its entry could not be looked up, the package's folder is named with a file that no package has to have.
  return path !== undefined && (existsSync(path) || existsSync(join(dirname(path), 'package.json')));
}
