/**
 * Which proxy the next request goes through.
 *
 * By host, a host is always asked through the same one, so that it sees one visitor; by request, they take turns. One
 * that fails is left alone for a while, and its turns go to the next. Politeness does not depend on it: delays hold per
 * host, whatever the way there.
 */
import type { Clock } from '../../runtime/clock.ts';
import type { ProxyServer } from './proxy-tunnel.ts';

export interface ProxyChoice {
  /** Null: none that is known to work. */
  next(hostname: string): ProxyServer | null;
  failed(proxy: ProxyServer): void;
}

/** A proxy that failed is asked again after this. */
const restMs = 30_000;

export function createProxyChoice(
  proxies: readonly ProxyServer[],
  rotate: 'host' | 'request',
  clock: Pick<Clock, 'nowMs'>,
): ProxyChoice {
  const restsUntilMs = new Map<ProxyServer, number>();
  let turn = 0;
  return {
    next(hostname) {
      const first = rotate === 'host' ? spread(hostname) : turn++;
      for (let i = 0; i < proxies.length; i++) {
        const proxy = proxies[(first + i) % proxies.length]!;
        if (clock.nowMs() >= (restsUntilMs.get(proxy) ?? 0)) return proxy;
      }
      return null;
    },
    failed(proxy) {
      restsUntilMs.set(proxy, clock.nowMs() + restMs);
    },
  };
}

/** FNV-1a: any spread will do, as long as a restart and another fetcher find the same. */
function spread(hostname: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < hostname.length; i++) hash = Math.imul(hash ^ hostname.charCodeAt(i), 0x01000193);
  return hash >>> 0;
}
