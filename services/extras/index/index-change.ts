/**
 * Changes of a search index that follow from records: pages are added, and removed when they are gone, ask not to be
 * indexed, or are duplicates. Purged pages are removed without a trace, and not added again.
 *
 * Each change has a version, a time in ms, and an index keeps the newest per URL. So changes may come twice and in
 * any order across topics, with the same result. The version of a page is the time of its fetch; later decisions
 * about it (dedup's `atMs` is after the fetch) override it; the next fetch overrides those.
 */
import type { Page, Result } from '../../../schemas/types.ts';
import { isForMachines } from '../../../topology/content/for-machines.ts';
import { languageOf } from '../../../topology/content/language.ts';
import { barredFrom, verdictOn } from '../../../topology/usage/statement.ts';
import type { Forgotten } from '../../runtime/consumer/forgotten.ts';
import type { Received } from '../../runtime/consumer/received.ts';
import { type Purged, Purges } from '../../runtime/crawl/purges.ts';

export type IndexTopic = 'pages' | 'results' | 'duplicates' | 'control';
export const indexTopics: readonly IndexTopic[] = ['pages', 'results', 'duplicates', 'control'];

export interface IndexedPage {
  readonly url: string;
  readonly hostKey: string;
  readonly title: string;
  readonly description: string;
  readonly text: string;
  /** ISO 639-1. Empty: unknown. */
  readonly language: string;
  readonly fetchedAtMs: number;
  /** The site asks that it be in no search from then on, ms since the Unix epoch. null: it does not ask. */
  readonly untilMs: number | null;
  /** False: the site asks that searches show none of its text. */
  readonly snippet: boolean;
  /** Tags of the seed that led to it. */
  readonly tags: readonly string[];
}

export type IndexChange =
  | { readonly kind: 'put'; readonly url: string; readonly version: number; readonly page: IndexedPage }
  | { readonly kind: 'delete'; readonly url: string; readonly version: number }
  /** Purged, with all its remembered data. */
  | ({ readonly kind: 'purge' } & Purged);

export interface SearchIndex {
  /**
   * Applies a batch, which need not be atomic, and may be repeated. Throws an error if the index is permanently
   * unreachable.
   */
  apply(changes: readonly IndexChange[]): Promise<void>;
}

/**
 * `readPage`: a record of `pages` by partition and offset; undefined if it was trimmed. `purges`: all purges so
 * far; those in the batch are added to it. `forgotten`: pages that are taken back, and are not in the batch.
 */
export async function changesOf(
  batch: readonly Received<IndexTopic>[],
  readPage: (partition: number, offset: number) => Promise<Page | undefined>,
  purges: Purges = new Purges(),
  forgotten: readonly Forgotten[] = [],
): Promise<IndexChange[]> {
  const changes: IndexChange[] = [];
  for (const one of batch) {
    if (one.topic === 'control') {
      const purged = purges.take(one.value);
      if (purged !== null) changes.push({ kind: 'purge', ...purged });
    } else if (one.topic === 'pages') changes.push(ofPage(one.value, one.value.fetchedAtMs));
    else if (one.topic === 'results') changes.push(...goneIn(one.value));
    else {
      const { url, representative, atMs, pageOffset } = one.value;
      if (representative !== url) changes.push({ kind: 'delete', url, version: atMs });
      else {
        // The page is no longer a duplicate: it returns unchanged.
        const page = pageOffset < 0 ? undefined : await readPage(one.partition, pageOffset);
        if (page?.url === url) changes.push(ofPage(page, atMs));
      }
    }
  }
  for (const { url, hostKey, atMs } of forgotten) {
    // The time of a withdrawn page is kept, because an older verdict of the dedup may still arrive.
    if (purges.refuses(url, atMs)) changes.push({ kind: 'purge', url, hostKey });
    else changes.push({ kind: 'delete', url, version: atMs });
  }
  return changes.filter((change) => change.kind === 'purge' || !purges.refuses(change.url, change.version));
}

function ofPage(page: Page, version: number): IndexChange {
  const { url, hostKey, title, description, text, fetchedAtMs, tags } = page;
  const barred = verdictOn(page.usage, 'search', fetchedAtMs).preference === 'deny';
  if (page.noindex || barred || isForMachines(page.contentType)) return { kind: 'delete', url, version };
  const language = languageOf(text, page.declaredLanguage);
  const fromMs = barredFrom(page.usage, 'search');
  const untilMs = fromMs < 0 ? null : fromMs;
  const snippet = verdictOn(page.usage, 'snippet', fetchedAtMs).preference !== 'deny';
  const shown = { url, hostKey, title, description, text, language, fetchedAtMs, untilMs, snippet, tags };
  return { kind: 'put', url, version, page: shown };
}

/** 404 and 410, and pages that must not be shown and may have no record, by the time of the request. */
function goneIn({ outcomes, requests, completedAtMs }: Result): IndexChange[] {
  return outcomes
    .filter(({ kind, noindex }) => kind === 'gone' || noindex)
    .map(({ index, url }) => {
      const request = requests.find(({ outcomeIndex }) => outcomeIndex === index);
      return { kind: 'delete', url, version: request?.endMs ?? completedAtMs };
    });
}
