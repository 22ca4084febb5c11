/** Imports a module that the user names; errors say how to fix a failed import. */
import { pathToFileURL } from 'node:url';
import { CrawlstreamError } from '../../../topology/errors.ts';

/** `flag`: in errors. Throws INVALID_ARGUMENT. */
export async function importFile(flag: string, path: string): Promise<Readonly<Record<string, unknown>>> {
  try {
    return await import(pathToFileURL(path).href);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const isTypeScript = code === 'ERR_UNKNOWN_FILE_EXTENSION' && /\.[cm]?ts$/.test(path);
    const remedy = isTypeScript
      ? "this version of Node cannot load TypeScript: use Node 22.18 or later, NODE_OPTIONS='--import tsx', or a .mjs file"
      : message;
    throw new CrawlstreamError('INVALID_ARGUMENT', `${flag} ${path}: ${remedy}`, error);
  }
}
