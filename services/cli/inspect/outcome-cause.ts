/** Why a URL gave no page, in plain words. */
import type { Outcome, OutcomeKind } from '../../../schemas/types.ts';

export function causeOf({ kind, status, detail }: Pick<Outcome, 'kind' | 'status' | 'detail'>): string {
  const more = detail === '' ? '' : ` (${detail.slice(0, 160)})`;
  const answered = status === 0 ? '' : ` ${status}`;
  const isCut = status > 0 && (kind === 'connectionFailed' || kind === 'timeout' || kind === 'tlsFailed');
  return `${isCut ? 'the answer broke off,' : (causes[kind] ?? kind)}${answered}${more}`;
}

const causes: Readonly<Partial<Record<OutcomeKind, string>>> = {
  clientError: 'the server answered',
  gone: 'the server answered',
  paymentRequired: 'the site asks to be paid, and answered',
  serverError: 'the server answered',
  throttled: 'the server asked to wait, and answered',
  timeout: 'no answer in time',
  connectionFailed: 'no connection',
  dnsFailed: 'the name cannot be found',
  tlsFailed: 'TLS failed',
  blockedAddress: 'its address is a private one',
  robotsDenied: 'robots.txt forbids it',
  robotsUnreachable: 'its robots.txt cannot be had, and without it nothing is fetched',
  refused: 'it is nothing that is read here',
  badResponse: 'the response is broken',
  parseFailed: 'it cannot be parsed',
  crawlDelayTooLong: 'its Crawl-delay is beyond the cap',
};
