/**
 * Parses pages without letting one of them stop the fetcher.
 *
 * Small bodies are parsed where they are, cut at a time budget. Large ones go to a worker when there is a second core,
 * PDFs to one of their own in any case; what does not come back in time is reported as lost (null).
 */
import { availableParallelism } from 'node:os';
import { fetcherLimits } from '../../../topology/limits.ts';
import type { PageWishes } from './extract-rules.ts';
import { parseWholePage, type WholePage } from './parse-page.ts';
import { createWorkerSlot, type PageOptions } from './worker-slot.ts';

export interface Extractor {
  /** Null: the parser died of it, or did not come back. */
  parse(body: Uint8Array, options: PageOptions, wishes?: PageWishes): WholePage | null | Promise<WholePage | null>;
  /** Null: it is no PDF, needs a password, or reading it took too long. */
  parsePdf(body: Uint8Array, options: PageOptions): Promise<WholePage | null>;
  close(): Promise<void>;
}

export interface ExtractorOptions {
  readonly inlineBytes?: number;
  readonly timeoutMs?: number;
  readonly cores?: number;
  readonly workerUrl?: URL;
}

export function createExtractor(options: ExtractorOptions = {}): Extractor {
  const inlineBytes = options.inlineBytes ?? fetcherLimits.inlineParseBytes;
  const timeoutMs = options.timeoutMs ?? fetcherLimits.parseTimeoutMs;
  const hasWorker = (options.cores ?? availableParallelism()) >= 2;
  const pages = createWorkerSlot(options.workerUrl);
  const pdfs = createWorkerSlot(options.workerUrl, fetcherLimits.pdfLoadMs);

  return {
    parse(body, page, wishes) {
      if (body.length <= inlineBytes) return parseHere(body, page, wishes, timeoutMs);
      // On one core, all other hosts wait meanwhile: such a page gives what is found in a moment.
      if (!hasWorker) return parseHere(body, page, wishes, Math.min(timeoutMs, fetcherLimits.inlineParseMs));
      // One after another: large pages are rare, and a second worker would only compete for the cores.
      return pages.run({ kind: 'html', body, options: page, wishes, timeoutMs }).then((parsed) =>
        // That is not the page's fault: it gets the time budget here.
        parsed === 'noWorker' ? parseHere(body, page, wishes, timeoutMs) : parsed,
      );
    },
    async parsePdf(body, page) {
      const timeoutMs = fetcherLimits.pdfTimeoutMs;
      const parsed = await pdfs.run({ kind: 'pdf', body, options: page, wishes: undefined, timeoutMs });
      return parsed === 'noWorker' ? null : parsed;
    },
    async close() {
      await Promise.all([pages.close(), pdfs.close()]);
    },
  };
}

function parseHere(
  body: Uint8Array,
  page: PageOptions,
  wishes: PageWishes | undefined,
  timeoutMs: number,
): WholePage | null {
  const endMs = performance.now() + timeoutMs;
  try {
    const options = {
      url: page.url,
      contentType: page.contentType,
      robotsTags: page.robotsTags,
      productToken: page.productToken,
      linksMax: page.linksMax,
      textCharsMax: page.textCharsMax,
      byteBudget: page.byteBudget,
      expired: () => performance.now() > endMs,
    };
    return parseWholePage(body, options, wishes);
  } catch {
    return null;
  }
}
