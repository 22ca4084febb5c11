/** How robots.txt is found: RFC 9309 §2.3 and §2.4: answers, redirects, hosts, the cache. */
import { gzipSync } from 'node:zlib';
import { type Check, check, linksTo, rfc } from '../check/check.ts';
import { groupRows } from './robots-groups.ts';
import { robotsCheck, star } from './robots-row.ts';
import { pathRows } from './robots-rules.ts';

const statuses: readonly [number, string][] = [
  [400, 'Bad Request'],
  [401, 'Unauthorized'],
  [403, 'Forbidden'],
  [404, 'Not Found'],
  [410, 'Gone'],
  [451, 'Unavailable For Legal Reasons'],
];

const unavailable: readonly Check[] = statuses.map(([status, name]) =>
  check(
    `robots/status-${status}`,
    status === 404 || status === 410 ? 'SHOULD' : 'practice',
    rfc(9309, '2.3.1.3'),
    `robots.txt that answers ${status} (${name}) closes nothing`,
    { pages: { '/robots.txt': { status, type: 'text/plain', body: 'No.\n' } }, want: ['/open'] },
  ),
);

const unreachable: readonly Check[] = [
  ...[500, 502, 503, 504].map((status) => ({
    name: `status-${status}`,
    how: `answers ${status}`,
    page: { status, type: 'text/plain', body: 'Error.\n' },
  })),
  { name: 'connection-reset', how: 'breaks the connection', page: { reset: true } as const },
].map(({ name, how, page }) =>
  check(`robots/${name}`, 'MUST', rfc(9309, '2.3.1.4'), `a host is left alone while its robots.txt ${how}`, {
    pages: { '/robots.txt': page },
    control: '/robots.txt',
    never: ['/', '/a'],
    weight: 4,
  }),
);

const redirected: readonly Check[] = [301, 302, 303, 307, 308].map((status) =>
  check(
    `robots/redirect-${status}`,
    'SHOULD',
    rfc(9309, '2.3.1.2'),
    `rules found behind a ${status} redirect are kept`,
    {
      pages: {
        '/robots.txt': { status, headers: [['Location', '/moved.txt']] },
        '/moved.txt': star('Disallow: /closed'),
      },
      want: ['/open'],
      never: ['/closed'],
    },
  ),
);

const hops = Object.fromEntries(
  [1, 2, 3, 4].map((n) => [`/hop${n}.txt`, { status: 301, headers: [['Location', `/hop${n + 1}.txt`] as const] }]),
);

const others: readonly Check[] = [
  check(
    'robots/redirect-across-hosts',
    'SHOULD',
    rfc(9309, '2.3.1.2'),
    'rules found behind a redirect to another host are kept',
    {
      pages: {
        '/robots.txt': { status: 301, headers: [['Location', '{b}/robots.txt']] },
        'b/robots.txt': star('Disallow: /closed'),
      },
      want: ['/open'],
      never: ['/closed'],
    },
  ),
  check('robots/redirect-five', 'SHOULD', rfc(9309, '2.3.1.2'), 'five redirects in a row are followed to the rules', {
    pages: {
      ...hops,
      '/robots.txt': { status: 301, headers: [['Location', '/hop1.txt']] },
      '/hop5.txt': star('Disallow: /closed'),
    },
    want: ['/open'],
    never: ['/closed'],
  }),
  check(
    'robots/redirect-to-missing',
    'SHOULD',
    rfc(9309, '2.3.1.3'),
    'a redirect of robots.txt to a 404 closes nothing',
    {
      pages: { '/robots.txt': { status: 302, headers: [['Location', '/gone.txt']] } },
      want: ['/open'],
    },
  ),
  check('robots/asked-first', 'MUST', rfc(9309, '2.3'), 'robots.txt is asked for before anything else', {
    want: ['/a'],
    weight: 4,
    fault: ({ requests }) =>
      requests[0]?.key === '/robots.txt' ? undefined : { why: 'A page came first.', requests: requests.slice(0, 2) },
    planted: () => ['/', '/robots.txt', '/a'].map((key) => ({ key })),
  }),
  check(
    'robots/asked-on-each-host',
    'MUST',
    rfc(9309, '2.3'),
    'the robots.txt of a second host is asked for and kept',
    {
      pages: { 'b/robots.txt': star('Disallow: /closed') },
      want: ['b/open'],
      never: ['b/closed'],
      weight: 4,
    },
  ),
  check('robots/subdomain', 'MUST', rfc(9309, '2.3'), 'rules of a host do not apply on its subdomain', {
    pages: { '/robots.txt': star('Disallow: /a') },
    want: ['www./a'],
    never: ['/a'],
  }),
  check('robots/redirect-into-closed', 'MUST', rfc(9309, '2.2.2'), 'a redirect is not followed into a forbidden path', {
    pages: {
      '/robots.txt': star('Disallow: /closed'),
      '/': linksTo('/go', '/control'),
      '/go': { status: 302, headers: [['Location', '/closed']] },
    },
    control: '/go',
    never: ['/closed'],
    weight: 4,
  }),
  check(
    'robots/redirect-into-closed-host',
    'MUST',
    rfc(9309, '2.3'),
    'a redirect to another host is held against the rules there',
    {
      pages: {
        'b/robots.txt': star('Disallow: /closed'),
        '/': linksTo('/go'),
        '/go': { status: 302, headers: [['Location', '{b}/closed']] },
      },
      control: '/go',
      never: ['b/closed'],
      weight: 4,
    },
  ),
  check('robots/kept-in-cache', 'SHOULD', rfc(9309, '2.4'), 'robots.txt is not asked for again with each page', {
    want: ['/a', '/b', '/c', '/d'],
    fault: ({ asked }) => {
      const requests = asked('/robots.txt');
      return requests.length > 2 ? { why: `It asked ${requests.length} times.`, requests } : undefined;
    },
    planted: () => ['/', '/a', '/b', '/c', '/d'].flatMap((key) => [{ key: '/robots.txt' }, { key }]),
  }),
  check('robots/compressed', 'MUST', rfc(9110, '8.4'), 'rules sent with gzip are kept', {
    pages: {
      '/robots.txt': ({ header }) => {
        const plain = star('Disallow: /closed');
        if (!/\bgzip\b/.test(header('accept-encoding'))) return plain;
        return { ...plain, headers: [['Content-Encoding', 'gzip']], body: gzipSync(plain.body!) };
      },
    },
    want: ['/open'],
    never: ['/closed'],
  }),
  check('robots/endless', 'SHOULD', rfc(9309, '2.5'), 'an endless robots.txt is left within 16 MiB', {
    pages: {
      '/robots.txt': {
        pieces: {
          head: 'HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nConnection: close\r\n\r\nUser-agent: *\nDisallow: /closed\n',
          piece: Buffer.from(`# ${'x'.repeat(65_533)}\n`),
          count: 512,
          everyMs: 0,
        },
      },
    },
    control: '/robots.txt',
    never: ['/closed'],
    fault: ({ asked }) => {
      const requests = asked('/robots.txt').filter(({ bytes }) => bytes > 16 << 20);
      return requests.length > 0 ? { why: `It took ${requests[0]!.bytes >> 20} MiB.`, requests } : undefined;
    },
    honest: () => [{ key: '/robots.txt', bytesMax: 600_000 }],
    planted: () => [{ key: '/robots.txt' }],
  }),
];

export const robotsChecks: readonly Check[] = [
  ...pathRows.map(robotsCheck),
  ...groupRows.map(robotsCheck),
  ...unavailable,
  ...unreachable,
  ...redirected,
  ...others,
];
