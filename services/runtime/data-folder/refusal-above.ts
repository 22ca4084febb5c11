import { accessSync, constants, existsSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Returns the error code, such as EROFS, for which no folder can be created in the nearest existing one above `path`;
 * undefined: one can. Node's `mkdir` of a whole path reports ENOENT on a file system that is mounted read-only.
 */
export function refusalAbove(path: string): string | undefined {
  let above = dirname(path);
  while (!existsSync(above) && above !== dirname(above)) above = dirname(above);
  try {
    accessSync(above, constants.W_OK);
    return undefined;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code;
  }
}
