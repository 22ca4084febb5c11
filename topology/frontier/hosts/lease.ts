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
  /** For revisited entries, by index, their earlier visits' findings. */
  readonly pages: Map<number, PageRecord>;
}

/** How often an entry of a lease was tried since its last success. */
export function attemptsOf({ pages }: Pick<Lease, 'pages'>, index: number, entry: Entry): number {
  return pages.get(index)?.failures ?? entry.attempts;
}

/** Stands for an entry of a lease that is still on disk; decisions never see one. */
export const unread: Entry = { url: '', depth: 0, hop: 0, attempts: 0, expiries: 0, frontQueue: 0 };
