/** A connection that could not be made; `kind` is the outcome that follows from it. */
export class ConnectError extends Error {
  override readonly name = 'ConnectError';
  readonly code = 'CRAWLSTREAM_CONNECT';
  readonly kind: 'dnsFailed' | 'blockedAddress' | 'connectionFailed' | 'tlsFailed' | 'proxyFailed';

  constructor(kind: ConnectError['kind'], message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.kind = kind;
  }
}
