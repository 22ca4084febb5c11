/** What robots.txt files allow, whole and damaged, as it was when it was kept. */
import { it } from 'node:test';
import { canonicalPath } from '../../../topology/robots/escapes.ts';
import { robotsMove } from '../../../topology/robots/moved.ts';
import { tokenInForce } from '../../../topology/robots/product-token.ts';
import { robotsLimits } from '../../../topology/robots/robots-limits.ts';
import { isAllowed, parseRobots, sitemapValues } from '../../../topology/robots/rules.ts';
import { needsRefetch, robotsVerdict } from '../../../topology/robots/verdict.ts';
import { assertKept } from '../../kept/assert-kept.ts';
import { bySeed, type Draw } from '../../kept/drawn.ts';
import { damagedRobots, pathOf } from './drawn-robots.ts';

const kept = (name: string) => new URL(`${name}.json`, import.meta.url);

function* ruled(draw: Draw): Generator<unknown> {
  for (let file = 0; file < 8; file++) {
    const body = damagedRobots(draw);
    const token = draw.of(['crawlstream', 'other']);
    const rules = parseRobots(body, token, 'https://a.test/robots.txt');
    const urls = draw.list(12, () => `https://a.test${pathOf(draw)}`);
    yield [rules.crawlDelayMs, tokenInForce(body, ['newsbot', token]), sitemapValues(body)];
    yield urls.map((url) => [url, isAllowed(rules, url), canonicalPath(url)]);
  }
}

/** Many rules with wildcards, which are found by what they hold. */
function* many(draw: Draw): Generator<unknown> {
  const rule = () =>
    `${draw.of(['Disallow', 'Allow'])}: /${draw.list(3, () => draw.of(['a', 'b', 'c', 'abc', 'cab'])).join(draw.of(['*', '', '/']))}${draw.of(['', '$', '*'])}`;
  const body = Buffer.from(`User-agent: *\n${draw.list(150, rule).join('\n')}`);
  const rules = parseRobots(body, 'crawlstream', 'https://a.test/robots.txt');
  const urls = draw.list(
    60,
    () => `https://a.test/${draw.list(5, () => draw.of(['a', 'b', 'c', '/', 'abc'])).join('')}`,
  );
  yield urls.map((url) => isAllowed(rules, url));
}

const hosts = [
  'https://a.test',
  'http://a.test',
  'https://www.a.test',
  'https://b.test',
  'https://x.co.uk',
  'https://y.co.uk',
];
const paths = ['/robots.txt', '/robots.txt?x', '/other', '/dir/robots.txt', '/'];

function* fetched(): Generator<unknown> {
  for (const from of hosts)
    for (const to of hosts) yield paths.map((path) => robotsMove(`${from}/robots.txt`, `${to}${path}`));
  const ages = [
    null,
    0,
    robotsLimits.cacheMsMax - 1,
    robotsLimits.cacheMsMax,
    robotsLimits.staleMsMax,
    robotsLimits.staleMsMax + 1,
  ];
  yield ages.map((age) => age !== null && needsRefetch(age));
  const [url, location] = ['https://a.test/robots.txt', 'https://www.a.test/robots.txt'];
  for (const status of [
    0, 100, 199, 200, 204, 299, 300, 301, 304, 308, 399, 400, 404, 428, 429, 430, 499, 500, 503, 599, 600,
  ]) {
    for (const cachedAgeMs of ages)
      yield [
        [url],
        [url, location],
        Array.from({ length: 5 }, (_, i) => `${url}${i}`),
        Array.from({ length: 6 }, (_, i) => `${url}${i}`),
      ].map((asked) => [
        robotsVerdict({ url, status, location, asked, cachedAgeMs }),
        robotsVerdict({ url, status, location: null, asked, cachedAgeMs }),
      ]);
  }
}

it('robots.txt files of every form are judged as recorded', () => assertKept(kept('ruled'), bySeed(60, ruled)));
it('robots.txt files of many rules are judged as recorded', () => assertKept(kept('many'), bySeed(10, many)));
it('robots.txt responses of every status are judged as recorded', () =>
  assertKept(kept('fetched'), new Map([['all', fetched()]])));
