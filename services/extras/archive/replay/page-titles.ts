/**
 * Titles of captured pages, for lists: from the beginning of each page. A list does not wait long for them. A capture
 * that cannot be read has none.
 */
import { CrawlstreamError } from '../../../../topology/errors.ts';
import { parsePage } from '../../../../topology/parse/page.ts';
import { headerOf } from '../http-message.ts';
import type { ArchiveIndex } from './archive-index.ts';
import type { Capture } from './capture.ts';
import { collected, type Decode } from './content.ts';
import { openMemento } from './memento.ts';
import { replayLimits } from './replay-limits.ts';

export class PageTitles {
  readonly #index: ArchiveIndex;
  readonly #decode: Decode;
  /** By place of the record, the first ones first; empty: it has none. */
  readonly #known = new Map<string, string>();

  constructor(index: ArchiveIndex, decode: Decode) {
    this.#index = index;
    this.#decode = decode;
  }

  /** Without those that would take too long now. */
  async of(captures: readonly Capture[]): Promise<ReadonlyMap<Capture, string>> {
    const titles = new Map<Capture, string>();
    const untilMs = Date.now() + replayLimits.titlesMs;
    const left = captures.values();
    const read = async () => {
      for (const capture of left) {
        const place = `${capture.offset} ${capture.file}`;
        const known = this.#known.get(place);
        if (known === undefined && Date.now() >= untilMs) continue;
        const title = known ?? (await this.#titleOf(capture));
        if (known === undefined) this.#keep(place, title);
        if (title !== '') titles.set(capture, title);
      }
    };
    await Promise.all(Array.from({ length: replayLimits.titlesAtOnce }, read));
    return titles;
  }

  #keep(place: string, title: string): void {
    if (this.#known.size >= replayLimits.titlesKept) this.#known.delete(this.#known.keys().next().value!);
    this.#known.set(place, title);
  }

  async #titleOf(capture: Capture): Promise<string> {
    if (!mayHaveTitle.test(capture.mime)) return '';
    try {
      const memento = await openMemento(this.#index, capture);
      const begun = await collected(memento.body, replayLimits.titleBytes).finally(() => memento.close());
      const contentType = headerOf(memento.headers, 'content-type') || null;
      // The title of a redirect is that of its status.
      const isMoved = memento.status >= 300 && memento.status < 400;
      if (isMoved || (contentType !== null && !isPage.test(contentType))) return '';
      const coding = headerOf(memento.headers, 'content-encoding').trim().toLowerCase();
      const body = await this.#decode(begun, coding, replayLimits.titleBytes);
      return body === null ? '' : parsePage(body, { ...titleOnly, contentType, url: capture.url }).title;
    } catch (error) {
      // A faulty record, or a file that is gone: the list has its row, and the row leads to the reason.
      if (error instanceof CrawlstreamError || (error as NodeJS.ErrnoException).syscall !== undefined) return '';
      throw error;
    }
  }
}

/** Of the index: the payload of a revisit is another record's. */
const mayHaveTitle = /^(?:text\/html|application\/xhtml\+xml|warc\/revisit)\b/i;
const isPage = /^\s*(?:text\/html|application\/xhtml\+xml)\b/i;

const titleOnly = {
  ...{ robotsTags: [], productToken: '', linksMax: 0, textCharsMax: 0, byteBudget: replayLimits.titleBytes },
  expired: () => false,
};
