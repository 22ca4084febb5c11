/** What is made of URLs from plain to hostile, under every setting, as it was when it was kept. */
import { it } from 'node:test';
import { outcomeKinds } from '../../../schemas/types.ts';
import { compileAddressGuard, isBlockedAddress, urlHasBlockedAddress } from '../../../topology/fetch/address.ts';
import { maxAgeMs } from '../../../topology/fetch/cache-control.ts';
import { parseHttpDate } from '../../../topology/fetch/http-date.ts';
import {
  classify,
  failsHost,
  isHostFailure,
  isNotRead,
  isPressure,
  isRetriable,
  isTerminal,
} from '../../../topology/fetch/outcome.ts';
import { redirectTarget } from '../../../topology/fetch/redirect.ts';
import { retryAfterSeconds } from '../../../topology/fetch/retry-after.ts';
import { headerDirectives } from '../../../topology/parse/directives.ts';
import { compileFilters } from '../../../topology/url/filters.ts';
import { fingerprint } from '../../../topology/url/fingerprint.ts';
import { frontQueueOf } from '../../../topology/url/front-queue.ts';
import { hostKeyOf, hostnameOf, partitionKeyOf } from '../../../topology/url/host-key.ts';
import { compileNormalizer, explainNormalize, refusalOf } from '../../../topology/url/normalize.ts';
import type { NormalizeConfig } from '../../../topology/url/normalize-config.ts';
import { partitionOf } from '../../../topology/url/partition.ts';
import { portOf } from '../../../topology/url/ports.ts';
import { resolveLink } from '../../../topology/url/resolve.ts';
import { compileScope, scopeOf } from '../../../topology/url/scope.ts';
import { parseSeed, withScheme } from '../../../topology/url/seed.ts';
import { parseSeedList } from '../../../topology/url/seed-list.ts';
import { explainSeenKey, seenKey } from '../../../topology/url/seen-key.ts';
import { compileList, listKinds } from '../../../topology/url/url-lists.ts';
import { assertKept } from '../../kept/assert-kept.ts';
import { bySeed, type Draw } from '../../kept/drawn.ts';
import { urlGenerator } from './url-generator.ts';

const kept = (name: string) => new URL(`${name}.json`, import.meta.url);

const settings: readonly Partial<NormalizeConfig>[] = [
  {},
  { fragment: 'escape', www: true, indexPages: true, hashes: true },
  { trailingDot: false, duplicateSlashes: false, sortParameters: false, sessionParameters: [], urlCharsMax: 60 },
  {
    dropParameters: ['q', 'x*'],
    hosts: { 'example.org': { only: ['a'] }, 'a.example.org': { keep: ['utm_source'], drop: ['b'] } },
  },
];
const normalizers = settings.map((setting) => compileNormalizer(setting));

/**
 * Without what releases of Node read differently: `^` in a path, which the URL standard escapes since 2024, and dot segments
 * behind which something stands that looks like a scheme.
 */
const plain = (text: string) => text.replaceAll('^', '-').replaceAll('/./', '/');

/** What throws says so. */
function attempt<T>(work: () => T): T | string {
  try {
    return work();
  } catch (error) {
    return (error as Error).message;
  }
}

function* normal(draw: Draw): Generator<unknown> {
  const urls = urlGenerator(draw.next());
  const words = new Uint32Array(2);
  for (let round = 0; round < 12; round++) {
    const text = plain(urls.absolute());
    yield settings.map((setting, i) => [
      normalizers[i]!(text),
      refusalOf(text, setting),
      explainNormalize(text, setting),
    ]);
    const url = normalizers[0]!(text);
    const href = plain(urls.href());
    yield [
      resolveLink(href, url ?? 'https://a.test/b/c'),
      normalizers.map((one) => resolveLink(href, 'https://a.test/b/c?d', one)),
    ];
    yield [
      attempt(() => parseSeed(text)),
      withScheme(href),
      urlHasBlockedAddress(text),
      redirectTarget(url ?? 'http://a.test/', draw.of([301, 302, 303, 304, 307]), href),
    ];
    if (url === null) continue;
    const host = hostKeyOf(url);
    fingerprint(url, 1, 2, words);
    yield [host, hostnameOf(url), portOf(url), partitionKeyOf(host, 'domain'), partitionOf(host, 7), [...words]];
    yield [frontQueueOf(url, draw.below(9)), seenKey(url), explainSeenKey(url)];
  }
}

const patterns = ['/a', 'b$', '\\?', 'example'];
const prefixes = ['https://example.org/', 'http://', 'https://www.example.com/a'];
const names = ['example.org', 'www.example.com', 'localhost', 'xn--bcher-kva.de', 'com'];
const some = <T>(draw: Draw, all: readonly T[]): T[] =>
  draw.percent(70) ? [] : draw.list(1 + draw.below(2), () => draw.of(all));

function* filtered(draw: Draw): Generator<unknown> {
  const urls = urlGenerator(draw.next());
  const filter = compileFilters(
    {
      schemes: draw.of([['http', 'https'], ['https'], ['http']]),
      urlCharsMax: draw.of([30, 2_000]),
      include: some(draw, patterns),
      exclude: some(draw, patterns),
      prefixesAllowed: some(draw, prefixes),
      prefixesDenied: some(draw, prefixes),
      hostsAllowed: some(draw, names),
      hostsDenied: some(draw, names),
      domainsAllowed: some(draw, names),
      domainsDenied: some(draw, names),
      ...(draw.percent(20) && { portsAllowed: [443, 8080] }),
    },
    draw.of([null, 2]),
  );
  const scope = compileScope(
    scopeOf(draw.of(['host', 'domain', 'all']), ['https://example.org/', 'http://www.example.com/x']),
  );
  const lists = listKinds.map((kind) => {
    const lines = kind === 'patterns' ? patterns : kind === 'prefixes' ? prefixes : names;
    return compileList(kind, draw.list(4, () => draw.of(['# no', '', ...lines])).join('\n'), 'list');
  });
  for (let round = 0; round < 30; round++) {
    const url = normalizers[0]!(plain(urls.absolute()));
    if (url === null) continue;
    yield [filter(url, draw.below(5)), scope(url), lists.map((list) => [list.size, list.match(url)])];
  }
}

const numbersOf = (draw: Draw) =>
  draw
    .list(4, () => draw.of([0, 1, 10, 100, 127, 128, 169, 172, 192, 198, 203, 224, 255, 256, 2, 16, 31, 168, 254]))
    .join('.');

function* addressed(draw: Draw): Generator<unknown> {
  const guard = compileAddressGuard(
    draw.list(2, () => draw.of(['10.0.0.0/8', '::1', 'fd00::/8', '127.0.0.1', '192.168.1.0/24', '64:ff9b::/96'])),
  );
  for (let round = 0; round < 60; round++) {
    const dotted = numbersOf(draw);
    const group = () =>
      draw.of(['0', '1', 'ff', 'fd00', 'fe80', '2001', 'db8', '64', 'ff9b', '2002', 'ffff', '7f00', 'a00', '']);
    const address = draw.of([
      dotted,
      dotted,
      `::ffff:${dotted}`,
      `${group()}:${group()}:${group()}::${group()}`,
      `[${group()}::${group()}]`,
      `64:ff9b::${dotted}`,
      `2002:${group()}:${group()}::`,
      `fe80::1%eth0`,
      'x',
    ]);
    yield [isBlockedAddress(address), guard(address), urlHasBlockedAddress(`http://${address}/`)];
  }
}

const headerPieces = [
  'Mon, 05 Jan 2026 00:00:00 GMT',
  'Monday, 05-Jan-26 10:20:30 GMT',
  'Mon Jan  5 23:59:60 2026',
  '120',
  '-1',
  '1.5',
  'max-age=60',
  'max-age="7"',
  's-maxage=5',
  'no-store',
  'private',
  'noindex',
  'nofollow',
  'none',
  'crawlstream:',
  'other:',
  'unavailable_after: 25 Jun 2030',
  ',',
  ';',
  ' ',
  '99999999999999',
  'Foo',
];

function* headed(draw: Draw): Generator<unknown> {
  for (let round = 0; round < 40; round++) {
    const value = draw.list(1 + draw.below(4), () => draw.of(headerPieces)).join(draw.of(['', ', ', '; ', ' ']));
    yield [
      parseHttpDate(value),
      retryAfterSeconds(value, 1_767_571_200_000),
      maxAgeMs(value),
      headerDirectives([value, 'x: y'], 'crawlstream'),
      headerDirectives([value], null),
    ];
  }
  for (const one of headerPieces) yield [parseHttpDate(one), retryAfterSeconds(one, 1_767_571_100_000), maxAgeMs(one)];
}

function* outcomes(): Generator<unknown> {
  for (let status = 0; status < 1_000; status++)
    yield [classify({ status }), classify({ status, redirectUrl: 'http://a/' })];
  for (const kind of outcomeKinds) {
    const reported = [
      isRetriable(kind),
      isTerminal(kind),
      isHostFailure(kind),
      isPressure(kind),
      failsHost({ kind, originOnly: true }),
    ];
    yield [
      kind,
      ...reported,
      failsHost({ kind, originOnly: false }),
      [0, 200, 304, 404, 429, 500].map((status) => isNotRead(kind, status)),
    ];
  }
}

function* seeds(draw: Draw): Generator<unknown> {
  const urls = urlGenerator(draw.next());
  for (let round = 0; round < 8; round++) {
    const lines = draw.list(5, () =>
      draw.of([
        plain(urls.absolute()),
        plain(urls.absolute()),
        `${plain(urls.absolute())}\tkey=value`,
        '# comment',
        '',
        ' example.org ',
      ]),
    );
    yield attempt(() => parseSeedList(lines.join('\n'), 'seeds.txt'));
  }
}

it('URLs keep their normal form and what follows from it', () => assertKept(kept('normal'), bySeed(60, normal)));
it('URLs keep their verdicts of filters, scopes and lists', () => assertKept(kept('filtered'), bySeed(80, filtered)));
it('addresses keep their verdicts', () => assertKept(kept('addressed'), bySeed(40, addressed)));
it('response headers keep their parsed values', () => assertKept(kept('headed'), bySeed(20, headed)));
it('statuses and kinds keep their outcomes', () => assertKept(kept('outcomes'), new Map([['all', outcomes()]])));
it('lists of seeds keep their parsed seeds', () => assertKept(kept('seeds'), bySeed(20, seeds)));
