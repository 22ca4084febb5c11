/** Parts of a fetcher that read pages, and the report of a page that was read. */
import type { Outcome, PageUsage } from '../../../schemas/types.ts';
import type { ProductTokens } from '../../../topology/robots/product-token.ts';
import type { Hooks } from '../hooks/run-hooks.ts';
import type { HttpResponse } from '../http/client.ts';
import type { LinkMaker } from '../publish/page-links.ts';
import type { UrlReport } from '../publish/publisher.ts';
import type { DocumentReader } from './document-reader.ts';
import type { Extractor } from './extract.ts';
import type { PageWishes } from './extract-rules.ts';

export interface PageReader {
  readonly extractor: Extractor;
  readonly links: LinkMaker;
  readonly productToken: ProductTokens;
  readonly linksMax: number;
  /** Extraction from a host's pages beyond links and text. Absent: nothing. */
  readonly wishesOf?: (hostname: string) => PageWishes | undefined;
  /** Keep a page's links in its record too. */
  readonly outlinks: boolean;
  /** Wanted readers of documents. */
  readonly documents: readonly DocumentReader[];
  /** Are links to what pages are built of wanted, too? Absent: they are not. */
  readonly requisites?: () => boolean;
  /** Is a page that names another URL as its canonical a redirect to it? Absent: it is not. */
  readonly canonicals?: () => boolean;
  /** Notes a redirect. True: its target answers otherwise by now, since cookies came. Absent: no host sets any. */
  readonly redirected?: ((from: string, to: string) => boolean) | undefined;
  /** Hooks of plugins. Absent: there are none. */
  readonly hooks?: Hooks | undefined;
}

/** Without the requests, which the lease knows. */
export type PageReport = Omit<UrlReport, 'requests'> & {
  /** Time that reading it took on the main thread, ms by the clock. */
  readonly readMs: number;
  /** The part for more than links and text: it depends on the page, not on its size. Absent: none. */
  readonly richMs?: number;
  /** Usage statements on an unchanged page. */
  readonly usage?: readonly PageUsage[];
  /** The response after plugins changed it. Absent: unchanged. */
  readonly response?: HttpResponse;
};

/** The report of an outcome without a page. */
export function bare(outcome: Outcome): PageReport {
  return { outcome, page: null, groups: [], pending: [], readMs: 0 };
}
