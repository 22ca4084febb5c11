/**
 * Traps: webs without end, that a crawler must leave. Each ends after 400 pages, so that every visit ends. The bounds leave
 * room: archives of 300 pages that lead from one to the next exist.
 */
import { type Check, check, linksTo, type Page } from '../check/check.ts';

const practice = 'https://en.wikipedia.org/wiki/Spider_trap';
/** Pages of one trap that a crawler may fetch, of the pages that there are. */
const most = 300;
const end = 400;

interface TrapPages {
  readonly name: string;
  readonly title: string;
  /** The path that begins the trap. */
  readonly first: string;
  /** All paths of the trap begin so. */
  readonly prefix: string;
  readonly page: Page;
}

function trap({ name, title, first, prefix, page }: TrapPages): Check {
  return check(`traps/${name}`, 'practice', practice, `${title} is left within ${most} pages`, {
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

const ended = '<title>end</title>';
const html = (title: string, body: string) => `<!doctype html><title>${title}</title>${body}`;
/** The last number in a path. */
const numberIn = (path: string) => Number(/(\d+)\D*$/.exec(path)?.[1] ?? 0);
/** A page of a chain: each leads to the next alone. `number`: of the page, from its path. */
const chain =
  (next: (n: number) => string, number = numberIn, says = (n: number) => `Page ${n} of many.`): Page =>
  ({ path }) => {
    const n = number(path);
    return n >= end ? ended : html(says(n), `<p>${says(n)}</p><a href="${next(n + 1)}">next</a>`);
  };

/** Hexadecimal digits that do not come again. */
const token = (n: number) => (n * 2_654_435_761).toString(16).padStart(12, '0').slice(-12);
const siteOf = 20;
/** Twenty pages, each with links to all of them under a new value. `link`: to a page, with the value. */
const sessions = (link: (page: number, value: string) => string): Page => {
  let drawn = 0;
  return ({ path }) => {
    const page = Number(/p(\d+)/.exec(path)?.[1] ?? 0) % siteOf;
    const links = Array.from({ length: siteOf }, (_, n) => `<li><a href="${link(n, token(++drawn))}">page ${n}</a>`);
    return html(`page ${page}`, `<p>${words(page)}</p><ul>${links.join('')}</ul>`);
  };
};
/** Some text, different for each page. */
const words = (page: number) => Array.from({ length: 80 }, (_, n) => token((page + 1) * 97 + n).slice(0, 5)).join(' ');

const monthOf = (n: number) => `/calendar/${2026 + Math.floor(n / 12)}/${`${(n % 12) + 1}`.padStart(2, '0')}`;
const filters = ['color', 'size', 'brand', 'price', 'stock', 'rating', 'sale', 'new'];
const filtered = (on: number) =>
  `/items?${filters.flatMap((name, bit) => ((on >> bit) & 1 ? [`${name}=1`] : [])).join('&amp;') || 'all=1'}`;

export const trapsChecks: readonly Check[] = [
  trap({
    name: 'calendar',
    title: 'a calendar of empty months without end',
    first: monthOf(0),
    prefix: '/calendar/',
    page: ({ path }) => {
      const [, year, month] = /(\d+)\/(\d+)$/.exec(path) ?? [];
      const n = 12 * (Number(year) - 2026) + Number(month) - 1;
      return n >= end ? ended : html(`${year}-${month}`, `<p>No events.</p><a href="${monthOf(n + 1)}">next month</a>`);
    },
  }),
  trap({
    name: 'page-number',
    title: 'a list of pages by number without end',
    first: '/list?page=1',
    prefix: '/list',
    page: chain((n) => `/list?page=${n}`),
  }),
  trap({
    name: 'session-in-path',
    title: 'a site of twenty pages with a new session in the path of each link',
    first: '/s/0123456789ab/p0',
    prefix: '/s/',
    page: sessions((page, value) => `/s/${value}/p${page}`),
  }),
  trap({
    name: 'session-in-query',
    title: 'a site of twenty pages with a new session in the query of each link',
    first: '/shop?session=0123456789ab&amp;p=p0',
    prefix: '/shop',
    page: sessions((page, value) => `/shop?session=${value}&amp;p=p${page}`),
  }),
  trap({
    name: 'session-of-no-name',
    title: 'a site of twenty pages with a new value of an unknown parameter in each link',
    first: '/w/p0?zz=0123456789ab',
    prefix: '/w/',
    page: sessions((page, value) => `/w/p${page}?zz=${value}`),
  }),
  trap({
    name: 'growing-path',
    title: 'a path that grows with each link',
    first: '/grow/1',
    prefix: '/grow/',
    page: chain((n) => `/grow/${'a/'.repeat(n)}${n}`),
  }),
  trap({
    name: 'repeated-folder',
    title: 'a path that repeats a folder',
    first: '/loop/1',
    prefix: '/loop/',
    page: chain((n) => `/loop/${'loop/'.repeat(Math.min(n, 40))}${n}`),
  }),
  trap({
    name: 'growing-query',
    title: 'a query that grows with each link',
    first: '/filter?f=1',
    prefix: '/filter',
    page: chain(
      (n) => `/filter?${Array.from({ length: Math.min(n, 90) }, (_, i) => `f${i}=1`).join('&amp;')}&amp;n=${n}`,
    ),
  }),
  trap({
    name: 'random-names',
    title: 'a maze of pages with random names',
    first: '/maze/x1',
    prefix: '/maze/',
    page: chain((n) => `/maze/${token(n)}-${n}`),
  }),
  trap({
    name: 'dates',
    title: 'an archive by date without end',
    first: '/archive/2026-01-1',
    prefix: '/archive/',
    page: chain((n) => `/archive/${2026 + n}-01-${n}`),
  }),
  trap({
    name: 'soft-404',
    title: 'a chain of pages that say not found with status 200',
    first: '/missing/1',
    prefix: '/missing/',
    page: chain(
      (n) => `/missing/${n}`,
      numberIn,
      () => 'Page not found',
    ),
  }),
  trap({
    name: 'facets',
    title: 'a list with eight filters in all combinations',
    first: filtered(0),
    prefix: '/items',
    page: ({ path }) => {
      const on = filters.reduce((sum, name, bit) => sum + (path.includes(`${name}=1`) ? 1 << bit : 0), 0);
      return html('items', filters.map((name, bit) => `<a href="${filtered(on ^ (1 << bit))}">${name}</a>`).join(' '));
    },
  }),
  check('traps/subdomains', 'practice', practice, 'a host with a new subdomain in each link is left within 300 hosts', {
    pages: {
      '/': '<a href="http://n1.{name}:{port}/">x</a><a href="/control">x</a>',
      'n*': ({ header }) => {
        const n = Number(/^n(\d+)\./.exec(header('host'))?.[1] ?? 0);
        return n >= end ? 'end' : `<a href="http://n${n + 1}.{name}:{port}/">x</a>`;
      },
    },
    control: '/control',
    needsNames: true,
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
