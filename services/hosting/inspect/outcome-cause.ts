/** The reason, in words, why a URL gave no page. */
import type { Outcome, OutcomeKind } from '../../../schemas/types.ts';

export function causeOf({ kind, status, detail }: Pick<Outcome, 'kind' | 'status' | 'detail'>): string {
  const dropped = kind === 'refused' ? droppedText(detail) : null;
  if (dropped !== null) return dropped;
  const more = detail === '' ? '' : ` (${detail.slice(0, 160)})`;
  const answered = status === 0 ? '' : ` ${status}`;
  const isCut = status > 0 && (kind === 'connectionFailed' || kind === 'timeout' || kind === 'tlsFailed');
  const cause = kind === 'refused' && !detail.startsWith('type ') ? 'skipped' : (causes[kind] ?? kind);
  return `${isCut ? 'the answer broke off,' : cause}${answered}${more}`;
}

/** A refusal by a plugin's `urlFilter` or `request`, as the fetcher words it; null: the plugins refused nothing. */
function droppedText(detail: string): string | null {
  const [, name, reason] = /^plugin (.+?)(?: does not want it|: (.*))$/s.exec(detail) ?? [];
  if (name === undefined) return null;
  return `dropped by plugin ${name}${reason === undefined ? '' : `: ${reason.slice(0, 160)}`}`;
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
