/** Politeness: delays, pauses that a server asks for, and repeated requests. */

import {
  type Ask,
  type Check,
  check,
  type Fault,
  linksTo,
  type Pace,
  type Reply,
  rfc,
  type Step,
  type SuiteRequest,
  type Visit,
} from '../check/check.ts';
import { tokenOf } from './robots-row.ts';

/** Part of a delay that must be kept: timers and the server's own lag take the rest. */
const kept = 0.9;
const koster = 'https://www.robotstxt.org/guidelines.html';
const crawlDelay = 'https://en.wikipedia.org/wiki/Robots.txt#Crawl-delay_directive';
const googleRetry = 'https://developers.google.com/crawling/docs/troubleshooting/http-status-codes';

const pages = ['/a', '/b', '/c', '/d'] as const;

/** Requests that came sooner than `ms` after the end of the previous one. */
function early(requests: readonly SuiteRequest[], ms: number): Fault | undefined {
  for (const [i, request] of requests.entries()) {
    const before = requests[i - 1];
    if (before === undefined) continue;
    const gap = request.startMs - before.endMs;
    if (gap < ms * kept)
      return {
        why: `A request came ${gap.toFixed(0)} ms after the last had ended, not ${ms}.`,
        requests: [before, request],
      };
  }
  return undefined;
}

const steps = (...keys: readonly string[]): Step[] => keys.map((key) => ({ key }));
const hasty = (...keys: readonly string[]): Step[] => keys.map((key) => ({ key, waitMs: 0 }));
const delayed = ({ requests, pace }: Visit) => early(requests, pace.delayMs);

/** The crawler waits before the next request to the host after an answer that asks for a pause. */
function pauseKept(visit: Visit, key: string, seconds: number): Fault | undefined {
  const asking = visit.asked(key)[0];
  if (asking === undefined) return undefined;
  const next = visit.requests.find(({ startMs }) => startMs > asking.startMs);
  if (next === undefined) return undefined;
  const gap = next.startMs - asking.endMs;
  if (gap >= seconds * 1000 * kept) return undefined;
  return { why: `It came back after ${gap.toFixed(0)} ms, not ${seconds} s.`, requests: [asking, next] };
}

const refusal = (status: number, retryAfter: string, body = 'Later.\n'): Reply => ({
  ...{ status, type: 'text/plain', body },
  headers: retryAfter === '' ? [] : [['Retry-After', retryAfter]],
});

const days = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];

/** The three forms of RFC 9110 §5.6.7, of a time rounded up to a second. */
const dateForms = {
  'imf-fixdate': (ms: number) => new Date(ms).toUTCString(),
  rfc850: (ms: number) => {
    const [, day, month, year, time] = new Date(ms).toUTCString().split(' ');
    return `${days[new Date(ms).getUTCDay()]}, ${day}-${month}-${year!.slice(2)} ${time} GMT`;
  },
  asctime: (ms: number) => {
    const [name, day, month, year, time] = new Date(ms).toUTCString().split(' ');
    return `${name!.slice(0, 3)} ${month} ${day!.replace(/^0/, ' ')} ${time} ${year}`;
  },
} as const;

const laterMs = (seconds: number) => Math.ceil(Date.now() / 1000 + seconds) * 1000;

function pauseCheck(name: string, title: string, status: number, value: (pace: Pace) => string): Check {
  return check(
    `politeness/${name}`,
    'SHOULD',
    rfc(status === 429 ? 6585 : 9110, status === 429 ? '4' : '10.2.3'),
    title,
    {
      pages: {
        '/': linksTo('/busy', '/a', '/b'),
        '/busy': ({ nth, pace }) => (nth === 1 ? refusal(status, value(pace)) : linksTo('/a')),
      },
      control: '/busy',
      weight: 4,
      fault: (visit) => pauseKept(visit, '/busy', visit.pace.retryAfterSeconds),
      // A date is rounded up to a second.
      honest: ({ retryAfterSeconds }) => [
        ...steps('/robots.txt', '/', '/busy'),
        { key: '/a', waitMs: retryAfterSeconds * 1000 },
      ],
      planted: () => steps('/robots.txt', '/', '/busy', '/a'),
    },
  );
}

const pauses: readonly Check[] = [
  pauseCheck('retry-after-429', 'a 429 with Retry-After in seconds pauses the host', 429, ({ retryAfterSeconds }) =>
    String(retryAfterSeconds),
  ),
  pauseCheck('retry-after-503', 'a 503 with Retry-After in seconds pauses the host', 503, ({ retryAfterSeconds }) =>
    String(retryAfterSeconds),
  ),
  ...(Object.keys(dateForms) as (keyof typeof dateForms)[]).map((form) =>
    pauseCheck(
      `retry-after-${form}`,
      `Retry-After as a date in the form ${form} pauses the host`,
      503,
      ({ retryAfterSeconds }) => dateForms[form](laterMs(retryAfterSeconds)),
    ),
  ),
];

/** At most `most` requests for a key that always gets this answer. */
function retries(
  name: string,
  title: string,
  source: string,
  most: number,
  reply: Reply | ((ask: Ask) => Reply),
): Check {
  return check(`politeness/${name}`, 'practice', source, title, {
    pages: { '/bad': reply },
    want: ['/a'],
    control: '/bad',
    weight: 2,
    fault: ({ asked }) => {
      const requests = asked('/bad');
      return requests.length > most ? { why: `It asked ${requests.length} times.`, requests } : undefined;
    },
    planted: () => [...steps('/robots.txt', '/', '/a'), ...hasty(...Array(most + 1).fill('/bad'))],
  });
}

const repeated: readonly Check[] = [
  ...[400, 401, 402, 403, 404, 410, 451].map((status) =>
    retries(
      `no-retry-${status}`,
      `a page that answers ${status} is not asked for again and again`,
      rfc(9110, '15.5'),
      2,
      {
        status,
        type: 'text/plain',
        body: 'No.\n',
      },
    ),
  ),
  retries(
    'few-retries-500',
    'a page that always answers 500 is asked for at most ten times',
    rfc(9110, '15.6'),
    10,
    refusal(500, ''),
  ),
  retries(
    'few-retries-503',
    'a page that always answers 503 is asked for at most ten times',
    rfc(9110, '15.6.4'),
    10,
    refusal(503, ''),
  ),
  retries(
    'few-retries-429',
    'a page that always answers 429 is asked for at most ten times',
    rfc(6585, '4'),
    10,
    refusal(429, ''),
  ),
  retries('few-retries-reset', 'a page that breaks the connection is asked for at most ten times', koster, 10, {
    reset: true,
  }),
];

export const politenessChecks: readonly Check[] = [
  check('politeness/delay', 'practice', koster, 'the delay passes between the end of an answer and the next request', {
    want: pages,
    weight: 5,
    fault: delayed,
    planted: () => [...steps('/robots.txt', '/', '/a', '/b', '/c'), ...hasty('/d')],
  }),
  check('politeness/delay-from-start', 'practice', koster, 'requests to a host begin no closer than the delay', {
    want: pages,
    weight: 5,
    fault: ({ requests, pace }) => {
      const at = requests.findIndex(
        ({ startMs }, i) => i > 0 && startMs - requests[i - 1]!.startMs < pace.delayMs * kept,
      );
      if (at < 0) return undefined;
      const gap = requests[at]!.startMs - requests[at - 1]!.startMs;
      return { why: `Two requests began ${gap.toFixed(0)} ms apart.`, requests: requests.slice(at - 1, at + 1) };
    },
    planted: () => [...steps('/robots.txt', '/', '/a', '/b', '/c'), ...hasty('/d')],
  }),
  check('politeness/one-at-a-time', 'practice', koster, 'a host gets one request at a time', {
    pages: Object.fromEntries(pages.map((key) => [key, { waitMs: 700, body: 'slow' }])),
    want: pages,
    weight: 5,
    fault: ({ requests }) => {
      const at = requests.findIndex(({ startMs }, i) => i > 0 && startMs < requests[i - 1]!.endMs);
      return at < 0 ? undefined : { why: 'Two requests ran at once.', requests: requests.slice(at - 1, at + 1) };
    },
    planted: () => [...steps('/robots.txt', '/'), ...pages.map((key): Step => ({ key, beside: true }))],
  }),
  check('politeness/delay-after-slow', 'practice', koster, 'a slow answer does not use up the delay', {
    pages: Object.fromEntries(pages.map((key) => [key, { waitMs: 700, body: 'slow' }])),
    want: pages,
    weight: 3,
    fault: delayed,
    planted: () => [...steps('/robots.txt', '/', '/a', '/b', '/c'), ...hasty('/d')],
  }),
  check('politeness/delay-after-404', 'practice', koster, 'the delay is kept after a 404', {
    pages: { '/': linksTo('/none1', '/none2', '/none3', '/a'), '/none*': { status: 404, body: 'none' } },
    want: ['/a'],
    weight: 3,
    fault: delayed,
    planted: () => [...steps('/robots.txt', '/', '/none1'), ...hasty('/none2', '/a')],
  }),
  check(
    'politeness/delay-after-redirect',
    'practice',
    koster,
    'the delay is kept between a redirect and its target on the host',
    {
      pages: { '/': linksTo('/go'), '/go': { status: 301, headers: [['Location', '/a']] } },
      want: ['/a'],
      control: '/go',
      weight: 3,
      fault: delayed,
      planted: () => [...steps('/robots.txt', '/', '/go'), ...hasty('/a')],
    },
  ),
  check(
    'politeness/delay-after-robots',
    'practice',
    koster,
    'the delay is kept between robots.txt and the first page',
    {
      weight: 2,
      fault: ({ requests, pace }) => early(requests.slice(0, 2), pace.delayMs),
      planted: () => [...steps('/robots.txt'), ...hasty('/')],
    },
  ),
  check('politeness/delay-after-reset', 'practice', koster, 'the delay is kept after a broken connection', {
    pages: { '/': linksTo('/broken', '/a'), '/broken': { reset: true } },
    want: ['/a'],
    control: '/broken',
    weight: 3,
    fault: delayed,
    planted: () => [...steps('/robots.txt', '/', '/broken'), ...hasty('/a')],
  }),
  ...(['', 'fraction', 'own-group'] as const).map((kind) => {
    const group = (ask: Ask) => (kind === 'own-group' ? tokenOf(ask.header('user-agent')) : '*');
    const seconds = ({ crawlDelaySeconds }: Pace) => crawlDelaySeconds * (kind === 'fraction' ? 1.5 : 1);
    const title = {
      '': 'Crawl-delay is kept',
      fraction: 'a Crawl-delay with a fraction is kept',
      'own-group': 'Crawl-delay of the group that names the crawler is kept',
    }[kind];
    return check(`politeness/crawl-delay${kind === '' ? '' : `-${kind}`}`, 'practice', crawlDelay, title, {
      pages: {
        '/robots.txt': (ask) => ({
          type: 'text/plain',
          body: `User-agent: ${group(ask)}\nCrawl-delay: ${seconds(ask.pace)}\nDisallow:\n`,
        }),
      },
      want: ['/a', '/b'],
      weight: 4,
      fault: ({ requests, pace }) => early(requests.slice(1), seconds(pace) * 1000),
      honest: (pace) => [
        { key: '/robots.txt' },
        ...['/', '/a', '/b'].map((key) => ({ key, waitMs: seconds(pace) * 1000 })),
      ],
      planted: (pace) => [
        { key: '/robots.txt' },
        ...['/', '/a'].map((key) => ({ key, waitMs: seconds(pace) * 1000 })),
        { key: '/b' },
      ],
    });
  }),
  check(
    'politeness/crawl-delay-long',
    'practice',
    crawlDelay,
    'a host that asks for an hour between requests gets at most two pages',
    {
      pages: {
        '/robots.txt': { type: 'text/plain', body: 'User-agent: *\nCrawl-delay: 3600\n' },
        '/': linksTo(...pages),
      },
      control: '/robots.txt',
      weight: 3,
      fault: ({ requests }) =>
        requests.length > 3 ? { why: `It sent ${requests.length} requests.`, requests } : undefined,
      honest: () => steps('/robots.txt', '/'),
      planted: () => steps('/robots.txt', '/', '/a', '/b'),
    },
  ),
  ...pauses,
  check('politeness/retry-after-robots', 'SHOULD', rfc(9110, '10.2.3'), 'Retry-After on robots.txt pauses the host', {
    pages: {
      '/robots.txt': ({ nth, pace }) =>
        nth === 1 ? refusal(503, String(pace.retryAfterSeconds)) : { type: 'text/plain', body: '' },
    },
    control: '/robots.txt',
    weight: 3,
    fault: (visit) => pauseKept(visit, '/robots.txt', visit.pace.retryAfterSeconds),
    honest: ({ retryAfterSeconds }) => [
      { key: '/robots.txt' },
      { key: '/robots.txt', waitMs: retryAfterSeconds * 1000 },
    ],
    planted: () => steps('/robots.txt', '/robots.txt'),
  }),
  check(
    'politeness/retry-after-long',
    'SHOULD',
    rfc(9110, '10.2.3'),
    'a page that asks for a day of rest is not asked for again in the visit',
    {
      pages: { '/': linksTo('/busy', '/a'), '/busy': refusal(503, '86400') },
      control: '/busy',
      weight: 4,
      fault: ({ asked }) =>
        asked('/busy').length > 1 ? { why: 'It asked again.', requests: asked('/busy') } : undefined,
      planted: () => steps('/robots.txt', '/', '/busy', '/busy'),
    },
  ),
  check(
    'politeness/retry-after-redirect',
    'SHOULD',
    rfc(9110, '10.2.3'),
    'Retry-After on a redirect delays the redirected request',
    {
      pages: {
        '/': linksTo('/go'),
        '/go': ({ pace }) => ({
          status: 302,
          headers: [
            ['Location', '/a'],
            ['Retry-After', String(pace.retryAfterSeconds)],
          ],
        }),
      },
      control: '/go',
      weight: 1,
      fault: (visit) => pauseKept(visit, '/go', visit.pace.retryAfterSeconds),
      honest: ({ retryAfterSeconds }) => [
        ...steps('/robots.txt', '/', '/go'),
        { key: '/a', waitMs: retryAfterSeconds * 1000 },
      ],
      planted: () => steps('/robots.txt', '/', '/go', '/a'),
    },
  ),
  check(
    'politeness/retry-after-garbage',
    'practice',
    rfc(9110, '10.2.3'),
    'a Retry-After that is no date or number does not end the delay',
    {
      pages: { '/': linksTo('/busy', '/a'), '/busy': refusal(503, 'soon') },
      control: '/busy',
      want: ['/a'],
      fault: delayed,
      planted: () => [...steps('/robots.txt', '/', '/busy'), ...hasty('/a')],
    },
  ),
  check(
    'politeness/back-off',
    'practice',
    googleRetry,
    'a host that answers 503 without a date gets longer gaps than the delay',
    {
      pages: { '/': linksTo('/busy'), '/busy': ({ nth }) => (nth <= 2 ? refusal(503, '') : linksTo('/a')) },
      control: '/busy',
      weight: 3,
      fault: ({ asked, pace }) => early(asked('/busy'), pace.delayMs * 2),
      honest: ({ delayMs }) => [...steps('/robots.txt', '/', '/busy'), { key: '/busy', waitMs: delayMs * 3 }],
      // At once, not after the delay: a busy machine stretches each gap.
      planted: () => [...steps('/robots.txt', '/', '/busy'), ...hasty('/busy')],
    },
  ),
  check('politeness/refetch-503', 'practice', rfc(9110, '15.6.4'), 'a page that was busy once is fetched later', {
    pages: { '/': linksTo('/busy'), '/busy': ({ nth }) => (nth === 1 ? refusal(503, '1') : linksTo('/after')) },
    want: ['/after'],
  }),
  check('politeness/refetch-429', 'practice', rfc(6585, '4'), 'a page that answered 429 once is fetched later', {
    pages: { '/': linksTo('/busy'), '/busy': ({ nth }) => (nth === 1 ? refusal(429, '1') : linksTo('/after')) },
    want: ['/after'],
  }),
  ...repeated,
];
