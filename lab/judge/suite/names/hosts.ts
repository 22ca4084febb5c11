/** The hosts of all checks: their names or addresses, and the check that a request or a query belongs to. */
import type { IncomingMessage } from 'node:http';
import type { Check } from '../check/check.ts';
import { type Addresses, addressesOf } from './addresses.ts';

/** A host of a check. */
export interface Place {
  readonly check: Check;
  readonly label: string;
  /** Key of a path on that host: this prefix, then the path. */
  readonly prefix: string;
}

export interface Target {
  /** Host and port. */
  readonly authority: string;
  readonly path: string;
  /** True: the whole URL was sent, as to a proxy (RFC 9112 §3.2.2). */
  readonly isWhole: boolean;
}

export interface Found {
  readonly check: Check;
  readonly key: string;
  readonly label?: string;
}

export const startLabel = 'start';

export class Hosts {
  readonly addresses: Addresses;
  readonly #places = new Map<string, Place>();
  readonly #byAddress: boolean;

  constructor(checks: readonly Check[], byAddress: boolean) {
    this.#byAddress = byAddress;
    for (const check of checks)
      for (const letter of ['', 'b', 'c']) {
        const label = letter === '' ? check.slug : `${letter}-${check.slug}`;
        if (this.#places.has(label)) throw new RangeError(`two checks have the host ${label}.test`);
        this.#places.set(label, { check, label, prefix: letter });
      }
    this.addresses = addressesOf([startLabel, ...this.#places.keys()]);
  }

  /** The host of a label, as URLs name it. */
  readonly nameOf = (label: string): string => (this.#byAddress ? this.addresses.of(label)! : `${label}.test`);

  /** By a name under .test, of any depth. `below`: labels below that of the host, with a dot behind each. */
  named(name: string): (Place & { readonly below: string }) | undefined {
    const labels = name.split('.');
    const place = labels.at(-1) === 'test' ? this.#places.get(labels.at(-2) ?? '') : undefined;
    if (place === undefined) return undefined;
    return { ...place, below: labels.slice(0, -2).join('.').replace(/.$/, '$&.') };
  }

  isStart({ authority }: Target): boolean {
    const name = hostname(authority);
    return name === `${startLabel}.test` || name === this.nameOf(startLabel);
  }

  /** A host of a check or a subdomain of one; or, elsewhere, a path that begins with the slug of a check. */
  find({ authority, path }: Target, ownPort: number): Found | undefined {
    const name = hostname(authority);
    const port = /:(\d+)$/.exec(authority)?.[1];
    const other = port === undefined || Number(port) === ownPort ? '' : `:${port}`;
    const label = this.#byAddress ? this.addresses.labelOf(name) : undefined;
    const place = this.named(label === undefined ? name : `${label}.test`);
    if (place !== undefined)
      return { check: place.check, label: place.label, key: `${place.prefix}${place.below}${other}${path}` };
    if (name.endsWith('.test')) return undefined;
    const outside = this.#places.get(path.split('/')[1] ?? '');
    if (outside === undefined) return undefined;
    return { check: outside.check, key: `//${name}${other}${path.slice(outside.check.slug.length + 1)}` };
  }
}

function hostname(authority: string): string {
  return authority.replace(/:\d*$/, '').replace(/\.$/, '').toLowerCase();
}

/** Accepts an absolute form, as a proxy gets it (RFC 9112 §3.2.2), or an origin form with its Host. */
export function targetOf({ url = '/', headers }: Pick<IncomingMessage, 'url' | 'headers'>): Target {
  const match = /^https?:\/\/([^/?#]*)(.*)$/is.exec(url);
  if (match === null) return { authority: String(headers.host ?? ''), path: url, isWhole: false };
  const rest = match[2]!;
  return { authority: match[1]!.replace(/^.*@/, ''), path: rest.startsWith('/') ? rest : `/${rest}`, isWhole: true };
}
