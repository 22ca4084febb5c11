/**
 * Chooses the proxy of the next request.
 *
 * Per host, a host always gets the same proxy, so that it sees one visitor; per request, proxies take turns. A proxy
 * that fails is not used for a while, and the next one takes its turns. Politeness does not depend on the choice:
 * delays apply per host.
 */
import { fnv1a } from '../../../topology/url/fnv.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { ProxyServer } from './proxy-tunnel.ts';

export interface ProxyChoice {
  /** `tried`: proxies to leave out. Null: no proxy is known to work. */
  next(hostname: string, tried?: readonly ProxyServer[]): ProxyServer | null;
  /** `why`: the reason in words, which is reported once for each time that the proxy is down. */
  failed(proxy: ProxyServer, why: string): void;
  /** True if the proxy has forwarded a request to another host since its last failure. */
  hasWorked(proxy: ProxyServer, hostname: string): boolean;
  /** Reports that the proxy forwarded a request, or only failed to reach its target. */
  worked(proxy: ProxyServer, hostname: string): void;
}

/** Time without use of a proxy after its failure. */
const restMs = 30_000;

export function createProxyChoice(
  proxies: readonly ProxyServer[],
  rotate: 'host' | 'request',
  clock: Pick<Clock, 'nowMs'>,
  say: (text: string) => void = () => {},
): ProxyChoice {
  const restsUntilMs = new Map<ProxyServer, number>();
  const isDown = new Set<ProxyServer>();
  /** The hosts reached most recently, two of each. */
  const reached = new Map<ProxyServer, readonly string[]>();
  let turn = 0;
  return {
    next(hostname, tried = []) {
      // Any spread will do, as long as a restart and another fetcher find the same.
      const first = rotate === 'host' ? fnv1a(hostname) : turn++;
      for (let i = 0; i < proxies.length; i++) {
        const proxy = proxies[(first + i) % proxies.length]!;
        if (!tried.includes(proxy) && clock.nowMs() >= (restsUntilMs.get(proxy) ?? 0)) return proxy;
      }
      return null;
    },
    failed(proxy, why) {
      restsUntilMs.set(proxy, clock.nowMs() + restMs);
      reached.delete(proxy);
      if (isDown.has(proxy)) return;
      isDown.add(proxy);
      const others = proxies.length - isDown.size;
      const what =
        others > 0
          ? `${others} of ${proxies.length} proxies are left`
          : 'no proxy is left, so its hosts are not fetched';
      say(`${why}: ${what}; retrying every ${restMs / 1000} s (check that it runs, its address and its password)`);
    },
    hasWorked: (proxy, hostname) => reached.get(proxy)?.some((one) => one !== hostname) === true,
    worked(proxy, hostname) {
      const known = reached.get(proxy) ?? [];
      if (known[0] !== hostname) reached.set(proxy, [hostname, ...known.filter((one) => one !== hostname)].slice(0, 2));
      if (isDown.delete(proxy)) say(`proxy ${proxy.label} works again`);
    },
  };
}
