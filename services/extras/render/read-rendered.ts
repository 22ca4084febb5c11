/** Reads a rendered document as the fetcher reads a fetched one: its page, and its links. */
import type { Page, Render } from '../../../schemas/types.ts';
import { crawlLimits } from '../../../topology/policy/crawl-limits.ts';
import { partitionKeyOf } from '../../../topology/url/host-key.ts';
import { compileNormalizer } from '../../../topology/url/normalize.ts';
import { barredFrom, inOrder } from '../../../topology/usage/statement.ts';
import type { ProcessorContext } from '../../application/processor/processor.ts';
import { createHooks } from '../../fetcher/hooks/run-hooks.ts';
import type { AgreedIdentities } from '../../fetcher/http/agreed-identity.ts';
import { createExtractor } from '../../fetcher/pages/extract.ts';
import type { PageReport } from '../../fetcher/pages/page-reader.ts';
import { readPage } from '../../fetcher/pages/report.ts';
import { withholding } from '../../fetcher/pages/withhold.ts';
import { createLinkCache } from '../../fetcher/publish/link-cache.ts';
import { renderedRecord } from '../../fetcher/unleased/rendered-record.ts';
import { soleTask } from '../../fetcher/unleased/sole-task.ts';
import { renderLimits } from './render-limits.ts';
import type { RenderPolicy } from './render-policy.ts';
import type { RenderRecords } from './render-records.ts';

export class RenderedReader {
  readonly #context: Pick<ProcessorContext, 'clock' | 'manifest'>;
  readonly #agreed: AgreedIdentities;
  readonly #policy: RenderPolicy;
  readonly #records: RenderRecords;
  readonly #extractor = createExtractor();
  readonly #linkCache = createLinkCache(renderLimits.linkCacheEntries);
  readonly #reader;

  constructor(
    context: Pick<ProcessorContext, 'clock' | 'manifest' | 'hooks'>,
    agreed: AgreedIdentities,
    policy: RenderPolicy,
    records: RenderRecords,
  ) {
    this.#context = context;
    this.#agreed = agreed;
    this.#policy = policy;
    this.#records = records;
    const hooks = context.hooks === undefined ? undefined : createHooks(context.hooks);
    this.#reader = {
      extractor: this.#extractor,
      hooks,
      links: { normalize: compileNormalizer(), cache: this.#linkCache, hooks },
      linksMax: crawlLimits.linksPerPage,
      outlinks: true,
      requisites: () => policy.wantsRequisites,
      documents: [],
    };
  }

  async read(render: Render, html: string): Promise<PageReport> {
    const { clock, manifest } = this.#context;
    const sourceKey = partitionKeyOf(render.hostKey, manifest.keyMode);
    const response = responseOf(render, html, clock.nowMs());
    const task = soleTask(render.url, render.hostKey, render.depth, render.tags);
    const reader = { ...this.#reader, productToken: this.#agreed.tokensOf(render.url) };
    const source = this.#linkCache.source(sourceKey);
    const made = await readPage(reader, task, 0, response, { sourceKey, source });
    const report = withholding(this.#policy.uses, withUsageOf(render, made), response.endMs);
    if (this.#records.archive !== undefined && report.page !== null) {
      const { url, hostKey, depth, status } = render;
      const noArchiveFromMs = barredFrom(report.page.usage, 'archive');
      const document = { url, hostKey, depth, status, html, noArchiveFromMs, atMs: response.endMs };
      this.#records.add(await renderedRecord(document, this.#records.archive));
    }
    return report;
  }

  close(): Promise<void> {
    return this.#extractor.close();
  }
}

/** Usage statements on the fetched page apply to the rendered one. */
function withUsageOf({ usage }: Render, made: PageReport): PageReport {
  if (usage === '' || made.page === null) return made;
  const statements = [...(JSON.parse(usage) as Page['usage']), ...made.page.usage];
  return { ...made, page: { ...made.page, usage: inOrder(statements) } };
}

/** The document after the browser has run it, as if its host had sent it. */
function responseOf({ status, headers }: Render, html: string, nowMs: number) {
  const kept: string[] = ['content-type', 'text/html; charset=utf-8'];
  for (let i = 0; i < headers.length; i += 2) {
    if (/^(x-robots-tag|content-usage|content-signal|tdm-reservation|tdm-policy|etag|last-modified)$/.test(headers[i]!))
      kept.push(headers[i]!, headers[i + 1]!);
  }
  const body = Buffer.from(html);
  return {
    status,
    headers: kept,
    body,
    rawBody: body,
    truncated: false,
    address: '',
    startMs: nowMs,
    endMs: nowMs,
    connectMs: 0,
    firstByteMs: 0,
    failure: null,
    staleConnection: false,
    unreached: false,
  };
}
