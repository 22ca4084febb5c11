/** The findings of an audit: a closed set of kinds, each a broken promise, with the position of its record. */

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

/** Position of the record of a request. */
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
  /** The measured value, ms; null: the violation does not concern time. */
  readonly measuredMs: number | null;
  /** The bound: the least value, or for an age the highest, ms; null: as above. */
  readonly boundMs: number | null;
  /** Source of the bound: a rule of a robots.txt, a response, the policy, an operator. */
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
