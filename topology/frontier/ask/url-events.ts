/** Events of one URL, from the changelog of its partition: each with the decision that made it. */
import type { OutcomeKind } from '../../../schemas/types.ts';
import type { Gain } from '../../policy/recrawl/gain.ts';
import type { InputRange } from '../changes/changelog.ts';
import type { FinalStatus } from '../changes/changes.ts';

/** Position in the changelog, time and policy version of a decision. */
export interface Decided {
  readonly offset: number;
  readonly atMs: number;
  readonly policyVersion: number;
}

export interface Admitted extends Decided {
  readonly depth: number;
  readonly hop: number;
  readonly frontQueue: number;
  /** False: an operator forced the URL. */
  readonly isNew: boolean;
  /** Path and query as requested. Absent: as in the URL. */
  readonly spelling?: string;
  /** Records of `discovered` that the commit took: the link is in one of them. */
  readonly discovered: InputRange | null;
}

export interface Leased extends Decided {
  readonly leaseId: number;
  readonly deadlineMs: number;
  readonly index: number;
}

export interface CameTo extends Decided {
  readonly leaseId: number | null;
  /** 'again': back into the queue. */
  readonly status: FinalStatus | 'known' | 'again';
  readonly outcome: OutcomeKind | null;
  readonly httpStatus: number;
  readonly attempts: number;
  /** 'again': when it may go; 0: at once. */
  readonly dueAtMs: number;
  /** New URLs that its visits brought, this one among them. Absent: none. */
  readonly gain?: Gain;
}

/** Current place of the URL. */
export type Place =
  | { readonly in: 'frontQueue'; readonly frontQueue: number; readonly ahead: number }
  | { readonly in: 'again'; readonly dueAtMs: number; readonly ahead: number }
  | { readonly in: 'lease'; readonly leaseId: number }
  /** The URL is finished, and will be revisited. */
  | { readonly in: 'schedule'; readonly status: FinalStatus; readonly dueAtMs: number }
  | { readonly in: 'end'; readonly status: FinalStatus | 'known' };

/** Events of a URL, in order. */
export type UrlEvent =
  | ({ readonly kind: 'admitted' } & Admitted)
  | ({ readonly kind: 'leased' } & Leased)
  | ({ readonly kind: 'cameTo' } & CameTo)
  /** An operator raised it. */
  | ({ readonly kind: 'raised' } & Decided)
  /** An operator lowered it. */
  | ({ readonly kind: 'lowered'; readonly frontQueue: number } & Decided)
  /** Moved to a better front queue, by a new score, or into a trap, as a variant of another URL. */
  | ({ readonly kind: 'moved'; readonly from: number; readonly frontQueue: number } & Decided)
  /** The next visit moves; `fromSitemap`: because of a date in a sitemap. */
  | ({ readonly kind: 'due'; readonly dueAtMs: number; readonly fromSitemap: boolean } & Decided)
  /** The lease ended with the owner that granted it: the URL waits again. */
  | ({ readonly kind: 'leaseEnded'; readonly leaseId: number } & Decided)
  /** The URL, or its host, was purged. */
  | ({ readonly kind: 'purged' } & Decided)
  /** An operator has released the trap in which the URL waits. */
  | ({ readonly kind: 'trapReleased'; readonly pattern: string } & Decided);

/** Kinds of changes that do not move a URL. Every other kind must be handled above, or added here. */
export type OfNoPlace =
  | (
      | 'count'
      | 'policy'
      | 'quota'
      | 'quotaBook'
      | 'price'
      | 'countReferrer'
      | 'spend'
      | 'linked'
      | 'cash'
      | 'taken'
      | 'inputEpoch'
      | 'check'
      | 'tagSet'
      | 'gain'
      | 'equivalence'
      | 'verdict'
      | 'retime'
    )
  | ('grantSitemaps' | 'sitemaps' | 'hostSlot' | 'slotTimes' | 'robotsHop' | 'blockQueue');
