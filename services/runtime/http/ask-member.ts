/**
 * A request from one process of a crawl to another by HTTP, at the address that it gave its group, with their shared
 * token, and over TLS if the address says so.
 *
 * Members usually serve one certificate, which names none of their addresses, because pods have no lasting names. So
 * a peer with exactly the certificate that this process serves is a member. Any other certificate must name its peer,
 * and come from an authority that Node trusts (NODE_EXTRA_CA_CERTS adds one).
 */
import { X509Certificate } from 'node:crypto';
import { checkServerIdentity, rootCertificates } from 'node:tls';
import { Agent, fetch } from 'undici';

export interface MemberAccess {
  readonly token?: string | undefined;
  /** The current certificate, PEM. */
  readonly certificate?: (() => Buffer) | undefined;
}

export interface MemberAnswer {
  readonly status: number;
  /** JSON. */
  readonly body: object;
}

export type AskMember = (
  address: string,
  target: string,
  withinMs: number,
  headers?: Readonly<Record<string, string>>,
) => Promise<MemberAnswer | undefined>;

/** The member refuses our token: the next one may be asked. */
const refused: ReadonlySet<number> = new Set([401, 403]);

/** Asks a member. Undefined: it cannot be asked, or has no answer. */
export function memberAsker({ token, certificate }: MemberAccess): AskMember {
  let known: { readonly pem: Buffer; readonly dispatcher: Agent } | undefined;
  const dispatcherFor = (pem: Buffer) => {
    if (known?.pem.equals(pem) !== true) {
      void known?.dispatcher.close();
      known = { pem, dispatcher: new Agent({ connect: trusting(pem) }) };
    }
    return known!.dispatcher;
  };
  return async (address, target, withinMs, headers = {}) => {
    const isSecure = address.startsWith('https://');
    try {
      const response = await fetch(`${isSecure ? address : `http://${address}`}${target}`, {
        headers: { ...headers, ...(token !== undefined && { authorization: `Bearer ${token}` }) },
        redirect: 'error',
        signal: AbortSignal.timeout(withinMs),
        ...(isSecure && certificate !== undefined && { dispatcher: dispatcherFor(certificate()) }),
      });
      const body = (await response.json()) as object;
      return response.status < 500 && !refused.has(response.status) ? { status: response.status, body } : undefined;
    } catch {
      // The member was killed or unreachable, or is not of our crawl: the next one is asked.
      return undefined;
    }
  };
}

function trusting(pem: Buffer): object {
  const { fingerprint256: own } = new X509Certificate(pem);
  return {
    ca: [...rootCertificates, pem.toString()],
    checkServerIdentity: (host: string, shown: { readonly fingerprint256: string }) =>
      shown.fingerprint256 === own ? undefined : checkServerIdentity(host, shown as never),
  };
}
