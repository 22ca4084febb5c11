/**
 * A fetch that connects to public addresses alone: the address is checked after the DNS and at the connection itself, so
 * that a name that changes its answer in between gains nothing. Its failures say what kind they are.
 */
import { lookup as lookUp } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { Agent, fetch as ask } from 'undici';
import type { OutcomeKind } from '../../schemas/types.ts';
import { compileAddressGuard } from '../../topology/fetch/address.ts';
import type { FetchInit } from './crawl.ts';

class BlockedAddress extends Error {
  readonly code = 'BLOCKED_ADDRESS';
}

export interface GuardedFetch {
  fetch(url: string, init: FetchInit): Promise<Response>;
  close(): Promise<void>;
}

/** `allowed`: as `--allow-private` takes it. Throws INVALID_ARGUMENT for what is no network. */
export function createGuardedFetch(allowed: boolean | readonly string[]): GuardedFetch {
  const isBlocked = compileAddressGuard(allowed);
  const refused = (name: string, address: string) =>
    new BlockedAddress(`${name} is at ${address}, which is not public`);
  const lookup: LookupFunction = (hostname, options, tell) => {
    lookUp(hostname, { ...options, all: true }, (error, addresses) => {
      if (error !== null) return tell(error, '');
      const good = addresses.filter(({ address }) => !isBlocked(address));
      const [first] = good;
      if (first === undefined) return tell(refused(hostname, addresses[0]?.address ?? 'no address'), '');
      if (options.all === true) return tell(null, good);
      tell(null, first.address, first.family);
    });
  };
  const agent = new Agent({ connect: { lookup } });
  return {
    async fetch(url, init) {
      const { hostname } = new URL(url);
      const literal = hostname.replace(/^\[|\]$/g, '');
      // A literal is connected to without a lookup.
      if (/^[\d.]+$|:/.test(literal) && isBlocked(literal)) throw refused(hostname, literal);
      return (await ask(url, { ...init, dispatcher: agent })) as unknown as Response;
    },
    close: () => agent.close(),
  };
}

/** What an error of a fetch, ours or another, means. */
export function failureOf(error: unknown): { readonly kind: OutcomeKind; readonly detail: string } {
  const cause = causeOf(error);
  const { code = '', name, message } = cause;
  const detail = code === '' || message.includes(code) ? message : `${message} (${code})`;
  if (code === 'BLOCKED_ADDRESS') return { kind: 'blockedAddress', detail };
  if (/^(ENOTFOUND|EAI_AGAIN|ENODATA)$/.test(code)) return { kind: 'dnsFailed', detail };
  if (name === 'TimeoutError' || /TIMEOUT|ETIMEDOUT/.test(code)) return { kind: 'timeout', detail };
  if (/^ERR_(SSL|TLS)|CERT|SELF_SIGNED|UNABLE_TO_(GET|VERIFY)/.test(code)) return { kind: 'tlsFailed', detail };
  return { kind: 'connectionFailed', detail };
}

/** fetch wraps what went wrong, and several addresses fail together. */
function causeOf(error: unknown): { readonly code?: string; readonly name: string; readonly message: string } {
  if (!(error instanceof Error)) return { name: '', message: String(error) };
  if (error instanceof AggregateError && error.errors[0] instanceof Error) return causeOf(error.errors[0]);
  return error.cause instanceof Error ? causeOf(error.cause) : error;
}
