/**
 * `--handler FILE`: a function of the user's own that gets each page of a crawl, in its process, in a group of its own. Its
 * position is kept in the crawl: a resume goes on with the first page it has not dealt with, so that a page may come
 * twice after a crash and none is missed. What it throws is tried again, then it stops the crawl.
 */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Page } from '../../../schemas/types.ts';
import { CrawlstreamError } from '../../../topology/errors.ts';
import { groupPositions } from '../../runtime/consumer/positions.ts';
import { bad } from '../flags/arguments.ts';
import type { AttachContext, Attached } from './attach.ts';
import { attach } from './attach.ts';

export type PageHandler = (page: Page, more: { readonly signal: AbortSignal }) => unknown;

/** The parser of the option: an absolute path of a file that is there. */
export function handlerFile(value: string): string {
  const path = resolve(value);
  if (!existsSync(path))
    throw bad('--handler', value, 'there is no such file; crawlstream new NAME makes one to begin with');
  return path;
}

/** Throws INVALID_ARGUMENT where the file exports no function. */
export async function loadHandler(path: string): Promise<PageHandler> {
  let module: Readonly<Record<string, unknown>>;
  try {
    module = await import(pathToFileURL(path).href);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const isTypeScript = code === 'ERR_UNKNOWN_FILE_EXTENSION' && /\.[cm]?ts$/.test(path);
    const remedy = isTypeScript
      ? "this Node reads no TypeScript: use Node 22.18 or later, NODE_OPTIONS='--import tsx', or a .mjs file"
      : message;
    throw new CrawlstreamError('INVALID_ARGUMENT', `--handler ${path}: ${remedy}`, error);
  }
  const handler = module['default'];
  if (typeof handler === 'function') return handler as PageHandler;
  throw new CrawlstreamError(
    'INVALID_ARGUMENT',
    `--handler ${path}: export a function as default, as in export default async (page) => console.log(page.url)`,
  );
}

export function attachHandler(context: AttachContext, handler: PageHandler): Promise<Attached> {
  const { log, manifest } = context;
  return attach(context, {
    name: 'handler',
    topics: ['pages'],
    // Few enough that a crash repeats little.
    batchRecords: 16,
    handle: async (batch, { signal }) => {
      for (const { value } of batch) await handler(value, { signal });
    },
    positions: groupPositions(log, `${manifest.crawl}.handler`),
    close: async () => {},
  });
}
