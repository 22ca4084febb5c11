/** Names of fetchers' outcomes, in words. */
const outcomeNames: Readonly<Record<string, string>> = {
  fetched: 'fetched',
  notModified: 'not modified',
  redirect: 'redirect',
  clientError: 'client error (4xx)',
  gone: 'gone (404, 410)',
  paymentRequired: 'payment required (402)',
  serverError: 'server error (5xx)',
  throttled: 'throttled (429, 503)',
  timeout: 'timeout',
  connectionFailed: 'connection failed',
  dnsFailed: 'no such name',
  tlsFailed: 'TLS failed',
  blockedAddress: 'private address',
  robotsDenied: 'refused by robots.txt',
  robotsUnreachable: 'robots.txt unreachable',
  refused: 'unsupported content type',
  badResponse: 'broken response',
  tooLarge: 'too large',
  parseFailed: 'cannot be parsed',
  crawlDelayTooLong: 'Crawl-delay above the limit',
};

export function outcomeName(kind: string): string {
  return outcomeNames[kind] ?? kind;
}

export function outcomeText({ kind, status }: { readonly kind: string; readonly status: number }): string {
  const [name] = outcomeName(kind).split(' (');
  return status === 0 ? name! : `${name} (${status})`;
}

/** Outcomes after which a URL is retried. */
export const retriedKinds: ReadonlySet<string> = new Set([
  ...['serverError', 'throttled', 'timeout', 'connectionFailed', 'dnsFailed', 'tlsFailed', 'badResponse'],
  'robotsUnreachable',
]);
