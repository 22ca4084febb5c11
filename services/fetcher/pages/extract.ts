/**
 * Parses pages without letting one of them stop the fetcher.
 *
 * Small bodies are parsed inline. The length of links and text bounds their time. The time of other extraction
 * (Markdown, main text, metadata) depends on the page: it has a time limit, after which a worker starts it again. Large
 * bodies go to a worker when there is a second core, documents such as PDFs to a separate one in any case. A page that
 * does not return in time is reported as lost (null).
 *
 * Selectors can't be interrupted: a hostile page can make one take a minute. Pages with fields go to a separate worker,
 * whatever their size. A page that does not return is parsed without its fields, and its site gets none for a while.
 */
import { availableParallelism } from 'node:os';
import { parsePage } from '../../../topology/parse/page.ts';
import { registrableDomain } from '../../../topology/url/registrable-domain.ts';
import { withinTime } from '../../runtime/loop/time-box.ts';
import { fetcherLimits } from '../fetcher-limits.ts';
import type { DocumentReader } from './document-reader.ts';
import type { PageWishes } from './extract-rules.ts';
import { createFieldTurns } from './field-turns.ts';
import type { parseWholePage, WholePage } from './parse-page.ts';
import { createWorkerSlot, type PageOptions, type WorkerSlot } from './worker-slot.ts';

export interface Extractor {
  /** Null: the parser died of it, or did not come back. */
  parse(body: Uint8Array, options: PageOptions, wishes?: PageWishes): WholePage | null | Promise<WholePage | null>;
  /** Null: the reader cannot read it (damaged, encrypted, too large when unpacked), or reading it took too long. */
  parseDocument(reader: DocumentReader, body: Uint8Array, options: PageOptions): Promise<WholePage | null>;
  close(): Promise<void>;
}

export interface ExtractorOptions {
  readonly inlineBytes?: number;
  readonly timeoutMs?: number;
  readonly cores?: number;
  readonly workerUrl?: URL;
  /** Time for a page here before a worker reads it, ms. */
  readonly inlineRichMs?: number;
}

export function createExtractor(options: ExtractorOptions = {}): Extractor {
  const inlineBytes = options.inlineBytes ?? fetcherLimits.inlineParseBytes;
  const timeoutMs = options.timeoutMs ?? fetcherLimits.parseTimeoutMs;
  const hasWorker = (options.cores ?? availableParallelism()) >= 2;
  const pages = createWorkerSlot(options.workerUrl);
  const documents = createWorkerSlot(options.workerUrl, fetcherLimits.pdfLoadMs);
  const fields = createWorkerSlot(options.workerUrl);
  const turns = createFieldTurns(timeoutMs);
  const { parseApart, parseRich } = createApart(pages, timeoutMs, options.inlineRichMs ?? fetcherLimits.inlineRichMs);

  const parsePlain: Extractor['parse'] = (body, page, wishes) => {
    const isSmall = body.length <= inlineBytes;
    if (wishes !== undefined && (isSmall || !hasWorker)) return parseRich(body, page, wishes);
    if (isSmall) return parseBy(parseLinksAndText, body, page, undefined, timeoutMs);
    // On a single core, all other hosts wait meanwhile: so the page is cut at a short time limit.
    if (!hasWorker)
      return parseBy(parseLinksAndText, body, page, undefined, Math.min(timeoutMs, fetcherLimits.inlineParseMs));
    return parseApart(body, page, wishes);
  };

  const parseWithFields = async (
    body: Uint8Array,
    page: PageOptions,
    wishes: PageWishes,
  ): Promise<WholePage | null> => {
    const { hostname } = new URL(page.url);
    const without = async (problem: string) =>
      withProblem(await parsePlain(body, page, withoutFields(wishes)), wishes, problem);
    const resting = 'a page of this site kept the selectors too long: its fields are not read for now';
    if (turns.rests(hostname)) return without(resting);
    const job = async () =>
      // Another page of the site may have been lost while this one waited.
      turns.rests(hostname) ? 'rests' : fields.run({ body, options: page, wishes, timeoutMs });
    const parsed = await turns.take(hostname, job, (result) => (typeof result === 'string' ? null : result === null));
    if (parsed === 'rests') return without(resting);
    if (parsed === 'noWorker') return without('no worker could be started');
    return parsed ?? without(`the selectors took more than ${timeoutMs} ms`);
  };

  return {
    parse(body, page, wishes) {
      if (wishes === undefined || wishes.fields.length === 0) return parsePlain(body, page, wishes);
      return parseWithFields(body, page, wishes);
    },
    async parseDocument({ module: reader }, body, page) {
      const timeoutMs = fetcherLimits.pdfTimeoutMs;
      const parsed = await documents.run({ reader, body, options: page, wishes: undefined, timeoutMs });
      return parsed === 'noWorker' ? null : parsed;
    },
    async close() {
      await Promise.all([pages.close(), documents.close(), fields.close()]);
    },
  };
}

/** Pages that take a worker, from the start or once they took too long here. */
function createApart(pages: WorkerSlot, timeoutMs: number, inlineRichMs: number) {
  const dear = createDearSites();
  const parseApart = (body: Uint8Array, page: PageOptions, wishes: PageWishes | undefined) =>
    // One after another: large pages are rare, and a second worker would only compete for the cores.
    pages.run({ body, options: page, wishes, timeoutMs }).then((parsed) =>
      // The failure is not the page's fault: it is parsed here within the time budget.
      parsed === 'noWorker' ? parseWithin(body, page, wishes) : parsed,
    );

  /** Null: no worker could be started, and it took too long here. */
  const parseWithin = async (body: Uint8Array, page: PageOptions, wishes: PageWishes | undefined) => {
    const parse = wishes === undefined ? parseLinksAndText : await loadWholeParser();
    const boxed = withinTime(timeoutMs, () => parseBy(parse, body, page, wishes, timeoutMs));
    return boxed.ended ? null : boxed.value;
  };

  const parseRich = (body: Uint8Array, page: PageOptions, wishes: PageWishes): ReturnType<Extractor['parse']> => {
    const { hostname } = new URL(page.url);
    const beganMs = performance.now();
    if (parseAll === undefined) return loadWholeParser().then(() => parseRich(body, page, wishes));
    const parse = parseAll;
    const boxed = dear.has(hostname)
      ? { ended: true as const }
      : withinTime(inlineRichMs, () => parseBy(parse, body, page, wishes, timeoutMs));
    const hereMs = performance.now() - beganMs;
    if (!boxed.ended) return boxed.value && { ...boxed.value, hereMs };
    return parseApart(body, page, wishes).then((parsed) => {
      dear.note(hostname, parsed === null || (parsed.apartMs ?? 0) > inlineRichMs);
      return parsed && { ...parsed, hereMs };
    });
  };

  return { parseApart, parseRich };
}

/** Sites with a last page that took too long to be parsed here. */
function createDearSites() {
  const sites = new Set<string>();
  const siteOf = (hostname: string) => registrableDomain(hostname) ?? hostname;
  return {
    has: (hostname: string) => sites.has(siteOf(hostname)),
    note(hostname: string, isDear: boolean) {
      const site = siteOf(hostname);
      sites.delete(site);
      if (!isDear) return;
      sites.add(site);
      if (sites.size > fetcherLimits.dearSitesMax) for (const oldest of sites) return void sites.delete(oldest);
    },
  };
}

function withoutFields({ wanted }: PageWishes): PageWishes {
  return { wanted: { ...wanted, tidyMarkup: false }, fields: [] };
}

function withProblem(whole: WholePage | null, wishes: PageWishes, problem: string): WholePage | null {
  if (whole === null || whole.rich === null) return whole;
  const fields = wishes.fields.map(({ name, type }) => ({ name, type, values: [], problem }));
  return { ...whole, rich: { ...whole.rich, fields } };
}

type Parse = typeof parseWholePage;

/** Links and text alone, as most crawls want. */
const parseLinksAndText: Parse = (body, options) => ({ parsed: parsePage(body, options), rich: null });

/** Loaded with the first page that needs it: the code for languages and main texts has a third of a megabyte. */
let parseAll: Parse | undefined;

/** Loads it ahead, for callers with a time limit on the first page. */
export async function loadWholeParser(): Promise<Parse> {
  parseAll ??= (await import('./parse-page.ts')).parseWholePage;
  return parseAll;
}

function parseBy(
  parse: Parse,
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
    return parse(body, options, wishes);
  } catch {
    return null;
  }
}
