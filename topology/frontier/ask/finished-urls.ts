/**
 * The finished URLs of a partition, from its changelog: what `requeue` needs. A fold over all records, in order; only
 * matches are kept. A URL that waits again because it was forced no longer counts as finished.
 */
import type { OutcomeKind } from '../../../schemas/types.ts';
import { seenKey } from '../../url/seen-key.ts';
import type { ChangelogPosition, Claim, Commit } from '../changes/changelog.ts';
import { changelogStart, validateCommit } from '../changes/changelog.ts';
import type { FinalStatus, KnownUrl } from '../changes/changes.ts';
import type { RequeueOutcome } from '../decide/control-payloads.ts';
import { TagSets } from '../state/tag-sets.ts';

export interface FinishedFilter {
  /** Empty: any. */
  readonly hostKey: string;
  /** Beginning of URLs, normal. Empty: any. */
  readonly prefix: string;
  /** An outcome, or where URLs end. null: any. */
  readonly outcome: RequeueOutcome | null;
}

export interface FinishedUrl {
  readonly url: string;
  readonly depth: number;
  readonly status: FinalStatus;
  readonly outcome: OutcomeKind;
  readonly tags: readonly string[];
  /** Path and query as requested (url/spelling.ts). Absent: as in the URL. */
  readonly spelling?: string;
}

export class FinishedUrls {
  readonly #matches: (record: KnownUrl) => boolean;
  readonly #ofHost: (url: string, hostKey: string) => boolean;
  readonly #found = new Map<string, FinishedUrl>();
  readonly #tagSets = new TagSets();
  #position: Pick<ChangelogPosition, 'epoch' | 'seq'> = changelogStart;

  constructor({ hostKey, prefix, outcome }: FinishedFilter) {
    // In a normal URL, the host key follows the scheme, and a slash follows the host key.
    this.#ofHost = (url, key) => url.startsWith(`${key}/`, url.indexOf('//') + 2);
    this.#matches = (record) =>
      (hostKey === '' || this.#ofHost(record.url, hostKey)) &&
      record.url.startsWith(prefix) &&
      (outcome === null || record.outcome === outcome || record.status === outcome);
  }

  get found(): readonly FinishedUrl[] {
    return [...this.#found.values()];
  }

  take(offset: number, record: Claim | Commit): void {
    const { seq } = this.#position;
    if (record.kind === 'claim') {
      this.#position = { epoch: offset, seq };
      return;
    }
    if (seq > 0 && validateCommit(this.#position, record) === 'void') return;
    this.#position = { epoch: record.epoch, seq: record.seq };
    for (const change of record.changes) {
      if (change.kind === 'admit' && change.known)
        for (const { url } of change.entries) this.#found.delete(seenKey(url));
      else if (change.kind === 'purge') this.#purge(change.hostKey, change.url);
      else if (change.kind === 'abandon' || change.kind === 'finish') this.#end(change.record);
      else if (change.kind === 'visit') this.#end(change.page.record);
      else if (change.kind === 'load' && change.row.row === 'known')
        for (const record of change.row.urls) this.#end(record);
      else if (change.kind === 'load' && change.row.row === 'page') this.#end(change.row.page.record);
      else if (change.kind === 'resolve' && change.record !== null) this.#end(change.record);
      else if (change.kind === 'tagSet') this.#tagSets.add(change.number, change.tags);
    }
  }

  #purge(hostKey: string, url: string): void {
    if (url !== '') this.#found.delete(seenKey(url));
    else for (const [key, one] of this.#found) if (this.#ofHost(one.url, hostKey)) this.#found.delete(key);
  }

  #end(record: KnownUrl): void {
    const { url, depth, status, outcome, spelling } = record;
    const tags = this.#tagSets.tagsOf(record.tags);
    const asked = spelling === undefined ? { tags } : { tags, spelling };
    if (status !== 'known' && this.#matches(record))
      this.#found.set(seenKey(url), { url, depth, status, outcome, ...asked });
    else this.#found.delete(seenKey(url));
  }
}
