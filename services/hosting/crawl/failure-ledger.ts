/**
 * Collects what went wrong, for the person who watches: how often by kind, with the first of each as an example. Each
 * seed that fails is reported at once with its cause and what may help, since retries take minutes.
 */
import type { Outcome, OutcomeKind, Page } from '../../../schemas/types.ts';
import { isNotRead } from '../../../topology/fetch/outcome.ts';
import { isTlsFailure } from '../../../topology/fetch/tls-failure.ts';
import { hostKeyOf } from '../../../topology/url/host-key.ts';
import { inShell } from '../../runtime/in-shell.ts';
import { ownName } from '../../runtime/own-name.ts';
import { causeOf } from '../inspect/outcome-cause.ts';

export interface FailureLedger {
  note(outcome: Outcome, page: Pick<Page, 'nofollow'> | null): void;
  /** A line per kind, the most frequent first. */
  lines(): readonly string[];
  /** A URL of the most frequent kind; undefined: none has failed. */
  example(): string | undefined;
  /** Media types that were not read, and how often, the most frequent first; null: none. */
  notRead(): string | null;
  /** Hosts that TLS keeps out, each with the reason; one that has answered since is not there. */
  readonly tlsHosts: ReadonlyMap<string, string>;
  /** Pages with a body that was cut; null: none. */
  readonly cut: { readonly pages: number; readonly url: string; readonly bytes: number } | null;
  /** Pages with a nofollow for all links. */
  readonly nofollow: readonly string[];
}

interface Failures {
  count: number;
  readonly url: string;
  readonly cause: string;
}

/** Most media types that are counted apart and named, since servers make them up. */
const typesMax = 100;
const typesNamed = 8;

/** Hosts that TLS kept out that are remembered; the report names some of them. */
const tlsHostsMax = 1_000;

const fine: ReadonlySet<OutcomeKind> = new Set(['fetched', 'notModified', 'redirect', 'returned']);

/** `seeds`: normal. */
export function createFailureLedger(seeds: readonly string[], say: (text: string) => void): FailureLedger {
  const watched = new Set(seeds);
  const byKind = new Map<OutcomeKind, Failures>();
  const nofollow: string[] = [];
  const sorted = () => [...byKind].sort(([, a], [, b]) => b.count - a.count);
  const tlsHosts = new Map<string, string>();
  const typesNotRead = new Map<string, number>();
  let cut: FailureLedger['cut'] = null;
  return {
    nofollow,
    tlsHosts,
    get cut() {
      return cut;
    },
    note(outcome, page) {
      const { kind, url } = outcome;
      if (outcome.truncated && kind === 'fetched')
        cut = { pages: (cut?.pages ?? 0) + 1, url: cut?.url ?? url, bytes: cut?.bytes ?? outcome.bytes };
      if (isTlsFailure(outcome)) {
        if (tlsHosts.size < tlsHostsMax) tlsHosts.set(hostKeyOf(url), outcome.detail);
      } else if (tlsHosts.size > 0 && outcome.status > 0) tlsHosts.delete(hostKeyOf(url));
      if (page?.nofollow === true && nofollow.length < 10) nofollow.push(url);
      if (fine.has(kind)) return;
      if (isNotRead(kind, outcome.status)) {
        const type = /^type (\S+)/.exec(outcome.detail)?.[1] ?? 'others';
        const name = typesNotRead.has(type) || typesNotRead.size < typesMax ? type : 'others';
        typesNotRead.set(name, (typesNotRead.get(name) ?? 0) + 1);
        if (watched.delete(url)) say(`${url}: ${causeOf(outcome)}`);
        return;
      }
      const known = byKind.get(kind);
      if (known === undefined) byKind.set(kind, { count: 1, url, cause: causeOf(outcome) });
      else known.count += 1;
      // Each is reported once: a retry that fails as well is not reported again.
      if (!watched.delete(url)) return;
      const remedy = remedyOf(outcome);
      say(`${url}: ${causeOf(outcome)}${remedy === '' ? '' : `; ${remedy}`}`);
    },
    notRead() {
      if (typesNotRead.size === 0) return null;
      const types = [...typesNotRead].sort(([, a], [, b]) => b - a);
      const more = types.length > typesNamed ? `, and ${types.length - typesNamed} more types` : '';
      return `${types
        .slice(0, typesNamed)
        .map(([type, count]) => `${count.toLocaleString('en-US')} ${type}`)
        .join(', ')}${more}`;
    },
    lines: () =>
      sorted().map(
        ([kind, { count, url, cause }]) =>
          `${kind.padEnd(20)}${count.toLocaleString('en-US').padStart(8)}  ${url}: ${cause}`,
      ),
    example: () => sorted()[0]?.[1].url,
  };
}

function remedyOf({ kind, detail, url }: Outcome): string {
  const text = detail.toLowerCase();
  if (kind === 'tlsFailed' || kind === 'robotsUnreachable' || kind === 'connectionFailed') {
    if (/wrong version number|packet length too long|unknown protocol/.test(text))
      return `the server may speak plain HTTP: try ${url.replace(/^https:/, 'http:')}`;
    if (/certificate|self.signed|issuer|unable to verify/.test(text))
      return 'add --ca FILE to trust the authority that signed its certificate, or --insecure HOST to skip the check for this host';
    if (/private|loopback|blocked/.test(text)) return 'add --allow-private to crawl private addresses';
    if (/no address|name|enotfound|nxdomain|dns/.test(text)) return 'check the spelling of the name';
    return 'check that the server runs, and the port';
  }
  if (kind === 'dnsFailed') return 'check the spelling';
  if (kind === 'blockedAddress') return 'add --allow-private to crawl private addresses';
  if (kind === 'robotsDenied') return `${ownName()} check robots ${inShell(url)} shows the rule`;
  return '';
}
