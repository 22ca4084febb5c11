/** A host with a batch of its URLs, handed to the fetchers until a deadline. */
import type { Entry } from '../changes/entry.ts';
import type { PageRecord } from '../changes/page-record.ts';
import type { Host } from './host.ts';

export interface Lease {
  readonly id: number;
  readonly host: Host;
  /** By index in the task; null once resolved; `unread` until its row is read. */
  readonly entries: (Entry | null)[];
  readonly deadlineMs: number;
  /** Delay after it, if its fetcher is killed. It only grows. */
  delayMs: number;
  /** For revisited entries, by index, their earlier visits' findings. */
  readonly pages: Map<number, PageRecord>;
}

/** Number of attempts for an entry of a lease since its last success. */
export function attemptsOf({ pages }: Pick<Lease, 'pages'>, index: number, entry: Entry): number {
  return pages.get(index)?.failures ?? entry.attempts;
}

/** Placeholder for an entry of a lease that is still on disk; decisions never see it. */
export const unread: Entry = { url: '', depth: 0, hop: 0, attempts: 0, expiries: 0, frontQueue: 0 };
