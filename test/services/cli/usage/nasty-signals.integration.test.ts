/**
 * Signals that contradict each other, or that nobody wrote as they are meant to be: the strictest that can be read holds, and
 * what cannot be read allows nothing that silence would not. Each is a site of its own, crawled by the command.
 */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { runCommand } from '../../../../lab/process/command.ts';
import { signalUses } from '../../../../lab/web/signals.ts';
import { serveSite } from '../../fetcher/loopback.ts';
import { temporaryFolder } from '../../runtime/store/temporary-folder.ts';
import { exportedPages } from './signal-web.ts';

interface Nasty {
  readonly robots?: string;
  readonly headers?: readonly (readonly [string, string])[];
  readonly head?: string;
  readonly body?: string;
  readonly path?: string;
  /** Uses that are barred: s(earch), i(nput of models), t(raining), a(rchive). */
  readonly bars: string;
  /** Uses that are allowed in so many words. */
  readonly allows?: string;
}

const x = (...values: string[]) => values.map((value) => ['x-robots-tag', value] as const);
const usage = (...values: string[]) => values.map((value) => ['content-usage', value] as const);
const group = (...lines: string[]) => ['User-agent: *', ...lines, ''].join('\n');
const robotsMeta = (content: string) => `<meta name="robots" content="${content}">`;

const nasty: Readonly<Record<string, Nasty>> = {
  // Content-Usage is a dictionary of structured fields (RFC 9651).
  parameters: { headers: usage('train-ai=n;exceptions="some";until=@1659578233, search=y;x'), bars: 't', allows: 's' },
  'inner-list': { headers: usage('train-ai=(n y), search=n'), bars: 's' },
  'upper-case-key': { headers: usage('Train-AI=y'), bars: '' },
  boolean: { headers: usage('train-ai=?1, search'), bars: '' },
  'last-wins-not': { headers: usage('train-ai=n, train-ai=y'), bars: 't' },
  'two-headers': { headers: usage('train-ai=y', 'train-ai=n'), bars: 't' },
  'two-headers-one-broken': { headers: usage('train-ai=y,,', 'train-ai=n'), bars: 't' },
  'broken-beside-allow': { headers: usage('train-ai=n;;', 'search=y'), bars: '' },
  'trailing-comma': { headers: usage('train-ai=y,'), bars: '' },
  'header-against-meta': {
    headers: usage('train-ai=y, search=y'),
    head: '<meta name="content-usage" content="train-ai=n">',
    bars: 't',
    allows: 's',
  },
  // X-Robots-Tag: names of other agents, dates with commas, words of several kinds.
  'other-agent': { headers: x('otherbot: noai, noindex', 'otherbot: noarchive'), bars: '' },
  'other-then-us': { headers: x('otherbot: noindex, nastybot: noai'), bars: 'it' },
  'all-then-other': { headers: x('noarchive, otherbot: noai'), bars: 'a' },
  'our-name-in-capitals': { headers: x('NASTYBOT : NOAI ; NoArchive'), bars: 'ita' },
  'like-our-name': { headers: x('nastybot-images: noai'), bars: '' },
  'date-rfc850': { headers: x('unavailable_after: Friday, 25-Jun-10 15:00:00 PST'), bars: 'sa' },
  'date-rfc822': { headers: x('unavailable_after: 25 Jun 2010 15:00:00 PST, noai'), bars: 'sait' },
  'date-iso': { headers: x('unavailable_after:2010-06-25T15:00:00+02:00'), bars: 'sa' },
  'date-iso-fraction': { headers: x('unavailable_after: 2010-06-25T15:00:00.123456Z'), bars: 'sa' },
  'date-day': { headers: x('Unavailable_After: 2010-06-25'), bars: 'sa' },
  'date-that-is-none': { headers: x('unavailable_after: 31 Feb 2010 15:00:00 GMT, noai'), bars: 'it' },
  'date-for-another': { headers: x('otherbot: unavailable_after: 25 Jun 2010, noindex'), bars: '' },
  'two-dates': { headers: x('unavailable_after: 2300-01-01', 'unavailable_after: 2010-01-01'), bars: 'sa' },
  'snippet-of-none': { headers: x('max-snippet: 0, max-image-preview:none'), bars: 'i' },
  // Meta elements, wherever a page has them.
  'all-beside-noai': { head: `${robotsMeta('all')}${robotsMeta('noai')}${robotsMeta('index, follow')}`, bars: 'it' },
  'in-a-comment': { head: `<!-- ${robotsMeta('noai')} --><!--> -->`, bars: '' },
  'in-a-script': { head: `<script>'${robotsMeta('noai')}'</script><style>${robotsMeta('noai')}</style>`, bars: '' },
  'in-a-textarea': { body: `<textarea>${robotsMeta('noai')}</textarea><title>${robotsMeta('noai')}</title>`, bars: '' },
  'in-noscript': { head: `<noscript>${robotsMeta('noai')}</noscript>`, bars: 'it' },
  'in-the-body': { body: `<p>text<div>${robotsMeta('NOARCHIVE')}</div>`, bars: 'a' },
  unquoted: { head: '<META CONTENT=noai NAME=ROBOTS>', bars: 'it' },
  entities: { head: '<meta name=" robots " content="no&#97;i&comma;noarchive">', bars: 'ita' },
  'attribute-twice': { head: '<meta name="robots" name="x" content="noai" content="all">', bars: 'it' },
  'not-closed': { head: '<meta name="robots" content="noai"', body: '>text', bars: 'it' },
  'http-equiv': { head: '<meta http-equiv="Content-Usage" content="train-ai=n">', bars: 't' },
  'named-for-us': {
    head: '<meta name="nastybot" content="noai"><meta name="otherbot" content="noarchive">',
    bars: 'it',
  },
  drowned: {
    head: `${robotsMeta('max-snippet:-1, noodp').repeat(30)}${robotsMeta('nosnippet').repeat(40)}${robotsMeta('noarchive')}`,
    bars: 'ia',
  },
  'tdm-twice': { headers: [['tdm-reservation', '0']], head: '<meta name="tdm-reservation" content="1">', bars: 'it' },
  'tdm-malformed': {
    headers: [
      ['tdm-reservation', 'true'],
      ['tdm-reservation', '2'],
    ],
    bars: '',
  },
  // robots.txt: byte order mark, line ends, several groups, patterns.
  'byte-order-mark': { robots: `\ufeff${group('Content-Usage: train-ai=n')}`, bars: 't' },
  'line-ends': { robots: 'User-agent: *\rContent-Signal:ai-train=no,search=yes\r\n\rAllow:/', bars: 't', allows: 's' },
  'groups-add-up': {
    robots: `${group('Content-Signal: search=yes', 'Allow: /')}\nUser-agent: other\nDisallow: /\n\n${group('Content-Signal: search=no')}`,
    bars: 's',
  },
  'own-group-alone': {
    robots: `${group('Content-Usage: search=n')}\nUser-agent: Other\nUser-agent: NastyBot/2.1\nContent-Usage: train-ai=n\nAllow: /`,
    bars: 't',
  },
  'longer-path-malformed': {
    robots: group(
      'Content-Usage: train-ai=n',
      'Content-Usage: /deep/ train-ai=yes',
      'Content-Usage: /deep/page search=y;;',
    ),
    path: '/deep/page',
    bars: 't',
  },
  'same-path-contradicts': {
    robots: group('Content-Usage: /deep/ train-ai=y', 'Content-Usage: /%64eep/ train-ai=n'),
    path: '/deep/page',
    bars: 't',
  },
  wildcards: {
    robots: group(
      'Content-Usage: / train-ai=y',
      'Content-Usage: /*/page$ train-ai=n',
      'Content-Usage: /*.pdf$ search=n',
    ),
    path: '/deep/page',
    bars: 't',
  },
  'star-first': {
    robots: group('Content-Usage: train-ai=y', 'Content-Usage: *page$ train-ai=n'),
    path: '/deep/page',
    bars: 't',
  },
  'signal-before-any-group': {
    robots: 'Content-Signal: ai-train=yes\nUser-agent: *\nContent-Signal: ai-train=no',
    bars: 't',
  },
  'signal-in-odd-words': { robots: group('Content-Signals : ai-train = NO ; search=maybe, search=no'), bars: 's' },
  'licence-relative': { robots: group('License: /terms.xml', 'Content-Usage: search=n'), bars: 's' },
};

test('the strictest of contradicting signals wins, and malformed ones allow nothing', {
  timeout: 600_000,
}, async (t) => {
  const names = Object.keys(nasty);
  const site = await serveSite(t, ({ url = '/' }, response, host) => {
    const one = nasty[host.replace('.test', '')]!;
    if (url === '/robots.txt')
      return one.robots === undefined ? response.writeHead(404).end() : response.end(one.robots);
    for (const [name, value] of one.headers ?? []) response.appendHeader(name, value);
    response.setHeader('content-type', 'text/html; charset=utf-8');
    return response.end(`<html><head>${one.head ?? ''}</head><body>${one.body ?? 'text'}</body></html>`);
  });
  const folder = temporaryFolder();
  const data = join(folder, 'data');
  const urls = new Map(names.map((name) => [site.url(`${name}.test`, nasty[name]!.path ?? '/'), name]));
  const seeds = join(folder, 'seeds.txt');
  writeFileSync(seeds, [...urls.keys()].join('\n'));
  const ended = await runCommand([
    ...['crawl', seeds, '--data', data, '--user-agent', 'NastyBot/1', '--contact', 'me@example.org', '--delay', '0'],
    ...['--resolve', `*.test:${site.port}:127.0.0.1`],
  ]);
  assert.equal(ended.code, 0, ended.stderr);
  const pages = await exportedPages(data);
  const missing = [...urls].filter(([url]) => pages.every((page) => page.url !== url)).map(([, name]) => name);
  assert.deepEqual(missing, []);
  const wrong = pages.flatMap(({ url, usage: said = [] }) => {
    const { bars, allows = '' } = nasty[urls.get(url)!]!;
    const reported = (use: string) => said.filter((one) => one.use === use && one.fromMs <= Date.now());
    const got = { bars: '', allows: '' };
    for (const use of signalUses) {
      const deadLetter = { search: 's', 'ai-input': 'i', 'ai-train': 't', archive: 'a' }[use];
      if (reported(use).some(({ preference }) => preference === 'deny')) got.bars += deadLetter;
      else if (reported(use).some(({ preference }) => preference === 'allow')) got.allows += deadLetter;
    }
    const sorted = (deadLetters: string) => [...deadLetters].sort().join('');
    const isRight = sorted(got.bars) === sorted(bars) && sorted(got.allows) === sorted(allows);
    return isRight ? [] : [`${urls.get(url)}: bars ${got.bars}, allows ${got.allows}; not ${bars}, ${allows}`];
  });
  assert.deepEqual(wrong, []);
  // The audit's own code reads the records to the same.
  const audit = await runCommand(['audit', '--data', data, '--uses', 'search,ai-input,ai-train,archive', '--json']);
  assert.equal(audit.code, 0, audit.stdout + audit.stderr);
});
