import { accessSync, constants, existsSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Why no folder can be made in the nearest one above `path` that is there, as a code such as EROFS; undefined: it can be.
 * Node's `mkdir` of a whole path says ENOENT on a file system that is mounted read-only.
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
