/** The reason, in words, why a URL gave no page. */
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
  paymentRequired: 'the site requires payment and answered',
  serverError: 'the server answered',
  throttled: 'the server asked to slow down and answered',
  timeout: 'no answer in time',
  connectionFailed: 'no connection',
  dnsFailed: 'the host name was not found',
  tlsFailed: 'TLS failed',
  blockedAddress: 'its address is private',
  robotsDenied: 'robots.txt disallows it',
  robotsUnreachable: 'its robots.txt is unreachable, so nothing is fetched from the host',
  refused: 'skipped: not a supported content type',
  badResponse: 'the response is broken',
  parseFailed: 'it cannot be parsed',
  crawlDelayTooLong: 'its Crawl-delay is above the limit',
};
