/** Recognizes hosts of this machine: a crawl of these needs no contact in its User-Agent. */
import { isIP as ipVersion } from 'node:net';

export function isIP(hostname: string): boolean {
  return ipVersion(bare(hostname)) > 0;
}

/** `resolve`: names with fixed addresses, for example `a.test:80:127.0.0.1`. */
export function isLocalName({ hostname }: URL, resolve: readonly string[]): boolean {
  const host = bare(hostname);
  if (host === 'localhost' || isLoopback(host)) return true;
  return resolve.some((text) => {
    const [name = '', address = ''] = [text.slice(0, text.indexOf(':')), text.slice(text.lastIndexOf(':') + 1)];
    const fits = name === host || (name.startsWith('*.') && host.endsWith(name.slice(1)));
    return fits && isLoopback(bare(address));
  });
}

function isLoopback(address: string): boolean {
  return address === '::1' || (ipVersion(address) === 4 && address.startsWith('127.'));
}

function bare(hostname: string): string {
  return hostname.replace(/^\[|\]$/g, '');
}
