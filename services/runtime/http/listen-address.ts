/** The address on which a service listens: this machine only, unless a host is named. */
import { isIP } from 'node:net';
import { CrawlstreamError } from '../../../topology/errors.ts';

export interface ListenAddress {
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
}

const hereOnly = '127.0.0.1';

/** `9464`, `:9464`, `HOST:9464`, `[::1]:9464`. Throws INVALID_ARGUMENT, naming `option`. */
export function parseListenAddress(option: string, value: string): ListenAddress {
  const [, bracketed, plain, port] = /^(?:\[([0-9A-Fa-f:.]+)\]:|([^:[\]\s/]*):)?(\d{1,5})$/.exec(value) ?? [];
  const host = bracketed ?? (plain || hereOnly);
  if (port === undefined || Number(port) > 65_535 || (bracketed !== undefined && isIP(bracketed) !== 6)) {
    const remedy = 'give host:port, as in 127.0.0.1:9464, or a port alone for this machine only';
    throw new CrawlstreamError('INVALID_ARGUMENT', `${option} ${JSON.stringify(value)}: ${remedy}`);
  }
  return { host, port: Number(port) };
}

/** Can only this machine reach it? */
export function isLoopbackHost(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));
}

export function addressText({ host, port }: ListenAddress): string {
  return `${isIP(host) === 6 ? `[${host}]` : host}:${port}`;
}
