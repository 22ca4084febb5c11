/** robots.txt as the web has it, and worse, with paths to ask of it: drawn from a seed. */
import { mutated } from '../../fuzz/mutate.ts';
import type { Draw } from '../../kept/drawn.ts';

const keys = [
  'User-agent',
  'user-agent',
  'Useragent',
  'Disallow',
  'Disallow',
  'Disallow',
  'Allow',
  'Allow',
  'dissallow',
  'Crawl-delay',
  'Sitemap',
  'Request-rate',
  'Noindex',
];
const agents = ['*', 'crawlstream', 'CrawlStream/1.0', 'crawlstreambot', 'other', '* x', 'crawl', ''];
const pieces = [
  '/',
  '/a',
  '/b',
  '/ab',
  '*',
  '*',
  '$',
  '%7E',
  '~',
  '%2f',
  '%C3%A9',
  'é',
  '?',
  '=',
  '.html',
  '/a/b/c',
  '%',
  '%4',
  ' ',
];
const delays = ['1', '2.5', '0', '-1', '1e2', 'x', '86401', '.5', '1.'];

export const pathOf = (draw: Draw): string =>
  `/${draw
    .list(draw.below(6), () =>
      draw.of(['a', 'b', 'ab', '/', '/', '~', '%7E', '%2F', '%C3%A9', '?', '=', '.html', 'x', '%']),
    )
    .join('')}`;

function value(draw: Draw, key: string): string {
  if (/agent/i.test(key)) return draw.of(agents);
  if (key === 'Crawl-delay') return draw.of(delays);
  if (key === 'Sitemap') return draw.of(['https://a.test/s.xml', '/rel.xml', '', 'ftp://x/']);
  return draw.list(draw.below(5), () => draw.of(pieces)).join('');
}

export function drawnRobots(draw: Draw): string {
  const line = () => {
    const key = draw.of(keys);
    const colon = draw.of([': ', ':', ' : ', ':', ' ', '']);
    return `${draw.of(['', '', ' ', '\t'])}${key}${colon}${value(draw, key)}${draw.of(['', '', ' # x', '#'])}${draw.of(['\n', '\n', '\r\n', '\r', '\n\n'])}`;
  };
  return `${draw.of(['', '\ufeff'])}${draw.list(2 + draw.below(14), line).join('')}`;
}

const words = ['User-agent: ', '*', '$', 'Disallow: ', '\n', '#', '%2', '/', ':'].map((word) => Buffer.from(word));

/** One file in four is damaged. */
export function damagedRobots(draw: Draw): Buffer {
  const text = Buffer.from(drawnRobots(draw));
  return draw.percent(75) ? text : Buffer.from(mutated(text, draw.next, words, []));
}
