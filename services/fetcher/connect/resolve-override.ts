/**
 * `--resolve HOST[:PORT]:ADDRESS`, as in curl: names with fixed addresses.
 *
 * HOST is a name, `*.suffix` (any name below the suffix) or `*`; an IPv6 ADDRESS is in brackets. An exact name goes
 * before a suffix, a longer suffix before a shorter one, one with a port before one without.
 */
import { isIP } from 'node:net';
import { CrawlstreamError } from '../../../topology/errors.ts';
import { hostFits } from './host-pattern.ts';

export interface ResolveOverride {
  /** Lower case. */
  readonly host: string;
  /** Null: every port. */
  readonly port: number | null;
  readonly address: string;
}

export type OverrideLookup = (hostname: string, port: number) => string | undefined;

const form = /^(\*|(?:\*\.)?[^\s:*[\]]+)(?::(\d{1,5}))?:(\[[0-9a-fA-F:.]+\]|[0-9.]+)$/;

export function parseResolveOverride(text: string): ResolveOverride {
  const match = form.exec(text);
  const address = (match?.[3] ?? '').replace(/^\[|\]$/g, '');
  const port = match?.[2] === undefined ? null : Number(match[2]);
  if (match === null || isIP(address) === 0 || (port !== null && port > 65_535)) {
    throw new CrawlstreamError(
      'INVALID_ARGUMENT',
      `--resolve ${text}: write HOST[:PORT]:ADDRESS, such as *.test:8080:127.0.0.1 or example.org:[::1]`,
    );
  }
  return { host: match[1]!.toLowerCase(), port, address };
}

export function compileOverrides(overrides: readonly ResolveOverride[]): OverrideLookup {
  const byRank = [...overrides].sort((a, b) => rank(b) - rank(a));
  return (hostname, port) =>
    byRank.find((one) => (one.port === null || one.port === port) && hostFits(one.host, hostname))?.address;
}

function rank(override: ResolveOverride): number {
  const { host, port } = override;
  const specific = host === '*' ? 0 : host.startsWith('*.') ? host.length : 1_000;
  return specific * 2 + (port === null ? 0 : 1);
}
