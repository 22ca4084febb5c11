/**
 * SURT prefixes (Sort-friendly URI Reordering Transform; Heritrix): a host's labels turned around, so that a prefix names
 * a domain with its subdomains, one host, or a part of its paths.
 *
 *   (org,example,          example.org and its subdomains
 *   (org,example,)/        example.org alone, all of it
 *   (org,example,)/docs/   paths of example.org that begin with /docs/
 *
 * `http://` or `https://` may precede it; without one, both schemes are meant. `(org,example,:8080)/` names a port;
 * without one, any is meant. IPv4 addresses are not turned around: `(127.0.0.1)/`. The first parenthesis may be left out.
 */

import { withoutPort } from './host-key.ts';
import { ruleHost } from './rule-names.ts';

export interface Surt {
  /** With colon and slashes; empty: either. */
  readonly scheme: string;
  /** Host name, in the usual order. */
  readonly name: string;
  /** Are subdomains meant, too? */
  readonly isOpen: boolean;
  /** Empty: any. */
  readonly port: string;
  /** Beginning of the path; `/`: any path. */
  readonly path: string;
}

const form = /^(https?:\/\/)?\(?([^():/\s]*?)(,?)(?::(\d+))?(?:\)(\/\S*)?)?$/;
const address = /^\d+\.\d+\.\d+\.\d+$/;

/** Parses a SURT prefix. Returns a string with the fault and the remedy if it is invalid. */
export function parseSurt(text: string): Surt | string {
  const match = form.exec(text.toLowerCase());
  if (match === null) return 'it is not a SURT prefix; write one as in (org,example, or (org,example,)/docs/';
  const [, scheme = '', host = '', comma = '', port = ''] = match;
  const isClosed = text.includes(')');
  if (!address.test(host) && host.includes('.'))
    return `a SURT reverses the host name; write (${host.split('.').reverse().join(',')},`;
  if (host === '' || host.split(',').includes('')) return 'it has no host; write it as in (org,example,';
  if (!isClosed && comma === '')
    return `the end of the host is missing; write (${host}, for subdomains too, or (${host},)/`;
  if (!isClosed && port !== '') return 'a port needs a complete host; write it as in (org,example,:8080)/';
  // An address has no commas, so reversing leaves it unchanged.
  const named = ruleHost(`${host.split(',').reverse().join('.')}${port === '' ? '' : `:${port}`}`);
  if ('wrong' in named) return named.wrong;
  const name = withoutPort(named.name);
  // Paths differ by case.
  const path = isClosed ? text.slice(text.indexOf(')') + 1) : '';
  return { scheme, name, isOpen: !isClosed, port, path: path === '' ? '/' : path };
}

/** Returns whether the prefix covers whole hosts, without a scheme or path. */
export function isOfHosts({ scheme, path }: Surt): boolean {
  return scheme === '' && path === '/';
}
