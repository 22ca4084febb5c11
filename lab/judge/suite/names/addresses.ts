/**
 * Addresses of the suite's hosts: each has its own in 127.1.0.0/16, which Linux gives out freely. A crawler with a
 * guard against private addresses must allow this network, and no other.
 */

export const networkOfHosts = '127.1.0.0/16';
/** An address that no name may lead a crawler to. */
export const privateAddress = '127.66.0.1';

export interface Addresses {
  /** Undefined: no such host. */
  of(label: string): string | undefined;
  labelOf(address: string): string | undefined;
  readonly all: readonly string[];
}

/** `labels`: first labels of the names; the order gives each its address. */
export function addressesOf(labels: readonly string[]): Addresses {
  const byLabel = new Map(labels.map((label, n) => [label, `127.1.${(n + 1) >> 8}.${(n + 1) & 255}`]));
  const byAddress = new Map([...byLabel].map(([label, address]) => [address, label]));
  return {
    of: (label) => byLabel.get(label),
    labelOf: (address) => byAddress.get(address),
    all: [...byLabel.values()],
  };
}
