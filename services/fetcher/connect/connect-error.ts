/** A connection that could not be made; `kind` is the outcome that follows from it. */
export class ConnectError extends Error {
  override readonly name = 'ConnectError';
  readonly code = 'CRAWLSTREAM_CONNECT';
  /** Error code of the system. Empty: none. */
  readonly systemCode: string;
  readonly kind: 'dnsFailed' | 'blockedAddress' | 'connectionFailed' | 'tlsFailed' | 'proxyFailed';

  /** proxyFailed: it may be that the proxy works and the host does not. */
  readonly maybeHost: boolean;

  constructor(
    kind: ConnectError['kind'],
    message: string,
    cause?: unknown,
    systemCode = codeOf(cause),
    maybeHost = false,
  ) {
    super(message, cause === undefined ? undefined : { cause });
    this.kind = kind;
    this.systemCode = systemCode;
    this.maybeHost = maybeHost;
  }
}

function codeOf(cause: unknown): string {
  const code = (cause as { readonly code?: unknown } | undefined)?.code;
  return typeof code === 'string' ? code : '';
}
