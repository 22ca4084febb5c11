/** The ways from the crawler to a server: two versions of HTTP, each through no proxy and four kinds of proxies. */
import type { Situation, Version, Where } from './situations/situation.ts';

export interface Way {
  readonly label: string;
  readonly version: Version;
  readonly through: 'none' | 'http' | 'connect' | 'socks4' | 'socks5';
  /** True for https. */
  readonly secure: boolean;
  readonly means: string;
}

export const ways: readonly Way[] = [
  { label: 'h1', version: 'HTTP/1.1', through: 'none', secure: false, means: 'http, no proxy' },
  {
    ...{ label: 'h1-http', version: 'HTTP/1.1', through: 'http', secure: false },
    means: 'http through an HTTP proxy, which gets whole URLs',
  },
  {
    ...{ label: 'h1-connect', version: 'HTTP/1.1', through: 'connect', secure: true },
    means: 'https, CONNECT with an address',
  },
  { label: 'h1-socks4', version: 'HTTP/1.1', through: 'socks4', secure: false, means: 'http, SOCKS4a with a name' },
  { label: 'h1-socks5', version: 'HTTP/1.1', through: 'socks5', secure: true, means: 'https, SOCKS5 with an address' },
  { label: 'h2', version: 'HTTP/2', through: 'none', secure: true, means: 'https, no proxy' },
  {
    ...{ label: 'h2-http', version: 'HTTP/2', through: 'http', secure: true },
    means: 'https through an HTTP proxy, CONNECT with a name',
  },
  {
    ...{ label: 'h2-connect', version: 'HTTP/2', through: 'connect', secure: true },
    means: 'https through a proxy behind TLS, CONNECT with an address',
  },
  { label: 'h2-socks4', version: 'HTTP/2', through: 'socks4', secure: true, means: 'https, SOCKS4a with a name' },
  { label: 'h2-socks5', version: 'HTTP/2', through: 'socks5', secure: true, means: 'https, SOCKS5 with an address' },
];

/** A way, with the state of the connection at the page's request. */
export interface Column {
  readonly way: Way;
  /** A new connection: the one that served robots.txt ended after it. */
  readonly isFresh: boolean;
  /** The hosts' domain. */
  readonly domain: string;
}

export const columns: readonly Column[] = ways.flatMap((way) =>
  [false, true].map((isFresh) => ({ way, isFresh, domain: `${way.label}-${isFresh ? 'fresh' : 'pooled'}.test` })),
);

export function fits({ version, through, secure, isFresh: fresh }: Where, { way, isFresh }: Column): boolean {
  return (
    (version ?? way.version) === way.version &&
    (secure ?? way.secure) === way.secure &&
    (fresh ?? isFresh) === isFresh &&
    (through === undefined || through.includes(way.through))
  );
}

/** True if the situation exists over this way. If its robots.txt is the first answer, it finds no open connection. */
export function isIn({ only, robots, arrival }: Situation, column: Column): boolean {
  if (only !== undefined && !fits(only.where, column)) return false;
  return column.isFresh || (robots === undefined && arrival === undefined);
}

export function expectedOf({ expects, differs = [] }: Situation, column: Column): string {
  return differs.find(({ where }) => fits(where, column))?.expects ?? expects;
}
