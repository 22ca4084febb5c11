/** Imports a module that the user names; errors say how to fix a failed import. */
import { createRequire, register } from 'node:module';
import { pathToFileURL } from 'node:url';
import { CrawlstreamError } from '../../../topology/errors.ts';

/** `flag`: in errors. Throws INVALID_ARGUMENT. */
export async function importFile(flag: string, path: string): Promise<Readonly<Record<string, unknown>>> {
  if (!isInstalledBeside(path)) resolveToThisProgram();
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

function isInstalledBeside(path: string): boolean {
  try {
    createRequire(path).resolve('crawlstream/plugin');
    return true;
  } catch {
    return false;
  }
}

let isRegistered = false;

/**
 * Lets `crawlstream/plugin` and its siblings be imported from folders without the package, as a global installation and
 * npx leave them: what is not found there is this program's own.
 */
function resolveToThisProgram(): void {
  if (isRegistered) return;
  isRegistered = true;
  const hook = `export const resolve = async (name, context, next) => {
    try {
      return await next(name, context);
    } catch (error) {
      if (!/^crawlstream(?:[/]|$)/.test(name)) throw error;
      return next(name, { ...context, parentURL: ${JSON.stringify(import.meta.url)} });
    }
  };`;
  register(`data:text/javascript,${encodeURIComponent(hook)}`);
}
