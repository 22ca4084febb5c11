/** A host with a batch of its URLs, handed to the fetchers until a deadline. */
import type { Entry } from '../changes/entry.ts';
import type { PageRecord } from '../changes/page-record.ts';
import type { Host } from './host.ts';

export interface Lease {
  readonly id: number;
  readonly host: Host;
  /** By index in the task; null once resolved, `unread` until its row was read. */
  readonly entries: (Entry | null)[];
  readonly deadlineMs: number;
  readonly delayMs: number;
  /** For entries that were visited before, by index, what those visits told. */
  readonly pages: Map<number, PageRecord>;
}

/** How often an entry of a lease was tried before, since it last came to something. */
export function attemptsOf({ pages }: Pick<Lease, 'pages'>, index: number, entry: Entry): number {
  return pages.get(index)?.failures ?? entry.attempts;
}

/** Stands for an entry of a lease that is still on disk; decisions never see one. */
export const unread: Entry = { url: '', depth: 0, hop: 0, attempts: 0, expiries: 0, frontQueue: 0 };
