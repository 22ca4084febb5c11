/** What an audit finds: a closed set of kinds, each a promise that was broken, with where it is recorded. */

export const violationKinds = [
  'gapTooShort',
  'concurrency',
  'crawlDelay',
  'retryAfter',
  'addressGap',
  'disallowed',
  'redirectDisallowed',
  'robotsUnread',
  'robotsStale',
  'robotsUnreachable',
  'robotsCopy',
  'blockedHost',
  'payment',
] as const;
export type ViolationKind = (typeof violationKinds)[number];

/** Where a request is recorded. */
export interface Place {
  readonly topic: string;
  readonly partition: number;
  readonly offset: number;
}

export interface Violation extends Place {
  readonly kind: ViolationKind;
  readonly host: string;
  readonly url: string;
  /** Start of the request, ms since the Unix epoch. */
  readonly atMs: number;
  /** What was measured, ms; null: the violation has nothing to do with time. */
  readonly measuredMs: number | null;
  /** What it should have been at least (for an age, at most), ms; null: as above. */
  readonly boundMs: number | null;
  /** Who set the bound: a rule of a robots.txt, a response, the policy, an operator. */
  readonly source: string;
}

/** In plain words. */
export function violationText({ kind, measuredMs, boundMs, source }: Violation): string {
  const measured = `${measuredMs ?? 0} ms`;
  const bound = `${boundMs ?? 0} ms`;
  switch (kind) {
    case 'gapTooShort':
    case 'crawlDelay':
      return `started ${measured} after the previous request ended, the minimum is ${bound}: ${source}`;
    case 'concurrency':
      return `started ${measured} before the previous request ended: ${source}`;
    case 'retryAfter':
      return `started ${measured} after a response with Retry-After ${bound}: ${source}`;
    case 'addressGap':
      return `started ${measured} after another request to the same address, the minimum is ${bound}: ${source}`;
    case 'robotsStale':
      return `used a robots.txt that was ${measured} old, the maximum is ${bound}: ${source}`;
    case 'blockedHost':
      return `started ${measured} after an operator blocked the host: ${source}`;
    default:
      return source;
  }
}
