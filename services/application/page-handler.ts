/**
 * `--handler FILE`: a function of the user's own that gets each page of a crawl, in a separate group.
 * Its position is kept in the crawl: a resume goes on with the first page it has not dealt with, so that a page may
 * come twice after a crash and none is missed. If it throws, the page is tried again, and then the crawl stops.
 */
import { pathToFileURL } from 'node:url';
import { z } from 'zod';
import type { Page } from '../../schemas/types.ts';
import { CrawlstreamError } from '../../topology/errors.ts';
import { groupPositions } from '../runtime/consumer/positions.ts';
import { importFile } from './plugin/import-file.ts';
import { declareProcessor, type Processor } from './processor/processor.ts';
import { runConsumer } from './processor/run-consumer.ts';

export type PageHandler = (page: Page, more: { readonly signal: AbortSignal }) => unknown;

/** Throws INVALID_ARGUMENT if the file exports no function. */
export async function loadHandler(path: string): Promise<PageHandler> {
  const module = await importFile('--handler', path);
  const handler = module['default'];
  if (typeof handler === 'function') return withPath(path, handler as PageHandler);
  throw new CrawlstreamError(
    'INVALID_ARGUMENT',
    `--handler ${path}: export a function as default, as in export default async (page) => console.log(page.url)`,
  );
}

/** An error that it throws is reported with its page, for the user to mend. */
function withPath(path: string, handler: PageHandler): PageHandler {
  return async (page, more) => {
    try {
      await handler(page, more);
    } catch (error) {
      const { message = String(error), stack = '' } = error instanceof Error ? error : {};
      const line = stack.split(pathToFileURL(path).href)[1]?.match(/^:(\d+)/)?.[1];
      const what = `${message}${line === undefined ? '' : ` (line ${line})`}`;
      const remedy = 'fix it, then run the same command again to continue with that page';
      throw new CrawlstreamError('INVALID_RECORD', `--handler ${path} threw on ${page.url}: ${what}; ${remedy}`, error);
    }
  };
}

/** `load`: called once, in the process in which the processor starts. */
export function handlerProcessor(load: () => Promise<PageHandler>): Processor {
  return declareProcessor({
    name: 'handler',
    does: 'calls a function of the user’s own with each page',
    reads: ['pages'],
    writes: ['dead-letters'],
    stores: [],
    options: z.object({}),
    async start(context) {
      const handler = await load();
      return runConsumer(context, {
        name: 'handler',
        topics: ['pages'],
        // So few that a crash repeats little.
        batchRecords: 16,
        handle: async (batch, { signal }) => {
          for (const { value } of batch) await handler(value, { signal });
        },
        positions: groupPositions(context.log, `${context.manifest.crawl}.handler`),
        close: async () => {},
      });
    },
  });
}
