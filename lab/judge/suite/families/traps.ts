/** Traps: webs without end, that a crawler must leave. Each ends after 160 pages, so that every visit ends. */
import { type Check, check, linksTo, type Page } from '../check/check.ts';

const practice = 'https://en.wikipedia.org/wiki/Spider_trap';
/** Pages of one trap that a crawler may fetch, of the pages that there are. */
const most = 120;
const end = 160;

function trap(
  name: string,
  title: string,
  first: string,
  prefix: string,
  next: (n: number) => string,
  source = practice,
): Check {
  const page: Page = ({ nth, path }) => {
    const n = Number(/(\d+)\D*$/.exec(path)?.[1] ?? nth);
    return n >= end
      ? '<title>end</title>'
      : `<!doctype html><title>${n}</title><p>Page ${n} of many.</p><a href="${next(n + 1)}">next</a>`;
  };
  return check(`traps/${name}`, 'practice', source, title, {
    pages: { '/': linksTo(first, '/control'), [`${prefix}*`]: page },
    control: '/control',
    weight: 3,
    fault: ({ requests }) => {
      const inside = requests.filter(({ key }) => key.startsWith(prefix));
      return inside.length > most
        ? { why: `It fetched ${inside.length} pages of the trap.`, requests: inside }
        : undefined;
    },
    honest: () => ['/robots.txt', '/', '/control'].map((key) => ({ key, waitMs: 0 })),
    planted: () =>
      [...['/robots.txt', '/', '/control'], ...Array(most + 1).fill(first)].map((key) => ({ key, waitMs: 0 })),
  });
}

export const trapsChecks: readonly Check[] = [
  trap(
    'calendar',
    'an endless calendar is left within 120 pages',
    '/calendar/1',
    '/calendar/',
    (n) => `/calendar/${n}`,
  ),
  trap(
    'page-number',
    'an endless list of pages by number is left within 120 pages',
    '/list?page=1',
    '/list',
    (n) => `/list?page=${n}`,
  ),
  trap(
    'session-in-path',
    'a site with a new session in each path is left within 120 pages',
    '/s/1',
    '/s/',
    (n) => `/s/${(n * 2_654_435_761).toString(16)}/${n}`,
  ),
  trap(
    'session-in-query',
    'a site with a new session in each query is left within 120 pages',
    '/shop?sid=1',
    '/shop',
    (n) => `/shop?sid=${(n * 2_654_435_761).toString(16)}${n}`,
  ),
  trap(
    'growing-path',
    'a path that grows with each link is left within 120 pages',
    '/grow/1',
    '/grow/',
    (n) => `/grow/${'a/'.repeat(n)}${n}`,
  ),
  trap(
    'repeated-folder',
    'a path that repeats a folder is left within 120 pages',
    '/loop/1',
    '/loop/',
    (n) => `/loop/${'loop/'.repeat(Math.min(n, 40))}${n}`,
  ),
  trap(
    'growing-query',
    'a query that grows with each link is left within 120 pages',
    '/filter?f=1',
    '/filter',
    (n) => `/filter?${Array.from({ length: Math.min(n, 30) }, (_, i) => `f${i}=1`).join('&amp;')}&amp;n=${n}`,
  ),
  trap(
    'random-names',
    'a maze of pages with random names is left within 120 pages',
    '/maze/x1',
    '/maze/',
    (n) => `/maze/${(n * 40_503).toString(36)}-${n}`,
  ),
  trap(
    'dates',
    'an endless archive by date is left within 120 pages',
    '/archive/2026-01-1',
    '/archive/',
    (n) => `/archive/${2026 + n}-01-${n}`,
  ),
  trap(
    'soft-404',
    'pages that say not found with status 200 are left within 120 pages',
    '/missing/1',
    '/missing/',
    (n) => `/missing/${n}`,
  ),
  check(
    'traps/facets',
    'practice',
    'https://developers.google.com/search/docs/crawling-indexing/crawling-managing-faceted-navigation',
    'a list with eight filters in all combinations is left within 120 pages',
    {
      pages: {
        '/': linksTo('/items?f=0', '/control'),
        '/items*': ({ path }) => {
          const on = Number(/f=(\d+)/.exec(path)?.[1] ?? 0) & 255;
          return linksTo(...Array.from({ length: 8 }, (_, bit) => `/items?f=${on ^ (1 << bit)}`));
        },
      },
      control: '/control',
      weight: 3,
      fault: ({ requests }) => {
        const inside = requests.filter(({ key }) => key.startsWith('/items'));
        return inside.length > most
          ? { why: `It fetched ${inside.length} combinations.`, requests: inside }
          : undefined;
      },
      honest: () => ['/robots.txt', '/', '/control'].map((key) => ({ key, waitMs: 0 })),
      planted: () =>
        ['/', '/control', ...Array.from({ length: most + 1 }, (_, n) => `/items?f=${n}`)].map((key) => ({
          key,
          waitMs: 0,
        })),
    },
  ),
  check('traps/subdomains', 'practice', practice, 'a host with a new subdomain in each link is left within 120 hosts', {
    pages: {
      '/': '<a href="http://n1.{name}:{port}/">x</a><a href="/control">x</a>',
      'n*': ({ header }) => {
        const n = Number(/^n(\d+)\./.exec(header('host'))?.[1] ?? 0);
        return n >= end ? 'end' : `<a href="http://n${n + 1}.{name}:{port}/">x</a>`;
      },
    },
    control: '/control',
    weight: 3,
    fault: ({ requests }) => {
      const inside = requests.filter(({ key }) => /^n\d+\.\/$/.test(key));
      return inside.length > most ? { why: `It visited ${inside.length} hosts.`, requests: inside } : undefined;
    },
    honest: () => ['/robots.txt', '/', '/control'].map((key) => ({ key, waitMs: 0 })),
    planted: () =>
      ['/', '/control', ...Array.from({ length: most + 1 }, (_, n) => `n${n + 1}./`)].map((key) => ({
        key,
        waitMs: 0,
      })),
  }),
];
