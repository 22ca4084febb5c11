/** What the changelog of its partition says of one URL, as events: each with the decision that made it. */
import type { OutcomeKind } from '../../../schemas/types.ts';
import type { Gain } from '../../policy/recrawl/gain.ts';
import type { InputRange } from '../changes/changelog.ts';
import type { FinalStatus } from '../changes/changes.ts';

/** Where in the changelog, when, and by which policy. */
export interface Decided {
  readonly offset: number;
  readonly atMs: number;
  readonly policyVersion: number;
}

export interface Admitted extends Decided {
  readonly depth: number;
  readonly hop: number;
  readonly frontQueue: number;
  /** False: an operator forced it. */
  readonly isNew: boolean;
  /** Path and query as they are asked for. Absent: as the URL has them. */
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

/** Where the URL is. */
export type Place =
  | { readonly in: 'frontQueue'; readonly frontQueue: number; readonly ahead: number }
  | { readonly in: 'again'; readonly dueAtMs: number; readonly ahead: number }
  | { readonly in: 'lease'; readonly leaseId: number }
  /** The URL ended so, and will be visited again. */
  | { readonly in: 'schedule'; readonly status: FinalStatus; readonly dueAtMs: number }
  | { readonly in: 'end'; readonly status: FinalStatus | 'known' };

/** What happens to the URL, as it happens. */
export type UrlEvent =
  | ({ readonly kind: 'admitted' } & Admitted)
  | ({ readonly kind: 'leased' } & Leased)
  | ({ readonly kind: 'cameTo' } & CameTo)
  /** By an operator. */
  | ({ readonly kind: 'raised' } & Decided)
  /** By an operator. */
  | ({ readonly kind: 'lowered'; readonly frontQueue: number } & Decided)
  /** To a better front queue, by what was learnt of it. */
  | ({ readonly kind: 'moved'; readonly from: number; readonly frontQueue: number } & Decided)
  /** Its next visit moves; `told`: because of a sitemap. */
  | ({ readonly kind: 'due'; readonly dueAtMs: number; readonly fromSitemap: boolean } & Decided)
  /** Its lease ended with the owner that granted it: the URL waits again. */
  | ({ readonly kind: 'leaseEnded'; readonly leaseId: number } & Decided)
  /** It was purged, or its host was. */
  | ({ readonly kind: 'purged' } & Decided)
  /** It waits in the front queue of a trap that an operator has released. */
  | ({ readonly kind: 'trapReleased'; readonly pattern: string } & Decided);

/** Changes that say nothing of where a URL is. Another kind has to be read above, or to be named here. */
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
    )
  | ('grantSitemaps' | 'sitemaps' | 'hostSlot' | 'robotsHop' | 'blockQueue');
