/**
 * Who each record of a robots.txt is for, against the same said in other words: a record is for a user-agent line above it
 * unless another such line follows one that ends the run. A rule ends it for all; a delay, or a word about use, for its like.
 */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { isAllowed, parseRobots, sitemapValues } from '../../../topology/robots/rules.ts';
import { type Draw, drawFrom } from '../../kept/drawn.ts';

const keys: Readonly<Record<string, string>> = {
  ...{ 'User-agent': 'agent', useragent: 'agent', 'USER AGENT': 'agent' },
  ...{ allow: 'rule', Disallow: 'rule', dissallow: 'rule', Dissalow: 'rule', disalow: 'rule', Diasllow: 'rule' },
  ...{ disallaw: 'rule', 'crawl-delay': 'delay', Crawldelay: 'delay', 'Crawl delay': 'delay' },
  ...{ 'content-usage': 'usage', 'Content-Signal': 'usage', 'content-signals': 'usage' },
  ...{ License: 'licence', license: 'licence', Sitemap: 'sitemap', 'site-map': 'sitemap', 'Site map': 'sitemap' },
  ...{ 'Request-rate': 'none', 'x-disallow': 'none', 'content-usage-of-mine': 'none', '': 'none', user: 'none' },
};

interface Line {
  readonly kind: string;
  readonly key: string;
  readonly value: string;
}

/** Every value is another, so that what is read tells which lines it came from. */
function drawnLines(draw: Draw): Line[] {
  const agents = ['*', 'bot', 'Bot/2.0', 'bot*', 'botany', 'other', '* x', 'bo'];
  return draw
    .list(3 + draw.below(14), () => 0)
    .map((_, at) => {
      const key = draw.percent(40) ? 'User-agent' : draw.of(Object.keys(keys));
      const kind = keys[key]!;
      const value = {
        ...{ agent: draw.of(agents), rule: `/r${at}/`, delay: `${draw.below(90)}`, usage: `train-ai=n;${at}` },
        ...{ licence: `https://a.test/l${at}`, sitemap: `${draw.of(['', 'https://a.test'])}/s${at}.xml`, none: '/' },
      }[kind]!;
      return { kind, key, value };
    });
}

function written(lines: readonly Line[], draw: Draw): Buffer {
  const end = draw.of(['\n', '\r\n', '\r', '\n\n']);
  const text = lines.map(({ key, value }) => {
    // Blanks stand for the colon between two words alone, where no other colon is taken for it.
    const colon = /\s/.test(key) || /[\s:]/.test(value) || key === '' ? ':' : draw.of([':', ': ', ' :\t', ' ', '\t\t']);
    return `${draw.of(['', ' \t', '\x00'])}${key}${colon}${value}${draw.of(['', ' ', '# x: y', ' #'])}`;
  });
  return Buffer.from(`${draw.of(['', '\ufeff'])}${text.join(end)}${draw.of(['', end])}`);
}

const isEveryone = ({ value }: Line) => /^\*(\s|$)/.test(value);
const isBot = ({ value }: Line) => /^bot(?![a-z_-])/i.test(value);

/** The lines of a kind that are for such an agent. */
function linesFor(lines: readonly Line[], kind: string, isFor: (line: Line) => boolean): Line[] {
  const ends = (line: Line) => line.kind === 'rule' || line.kind === kind;
  const isUnder = (agent: number, at: number) => {
    const between = lines.slice(agent + 1, at);
    const firstEnd = between.findIndex(ends);
    return firstEnd < 0 || !between.slice(firstEnd).some((line) => line.kind === 'agent');
  };
  return lines.filter(
    (line, at) =>
      line.kind === kind &&
      lines.some((one, agent) => agent < at && one.kind === 'agent' && isFor(one) && isUnder(agent, at)),
  );
}

it('records belong to the user-agent lines above them, each by its kind', () => {
  for (let seed = 1; seed <= 1_500; seed++) {
    const draw = drawFrom(seed);
    const lines = drawnLines(draw);
    const body = written(lines, draw);
    const robotsUrl = draw.of(['https://a.test/robots.txt', '']);
    const rules = parseRobots(body, 'bot', robotsUrl);
    const named = lines.some((line) => line.kind === 'agent' && isBot(line));
    const isFor = named ? isBot : isEveryone;
    const values = (kind: string) => linesFor(lines, kind, isFor).map(({ value }) => value);
    const all = (kind: string) => lines.filter((line) => line.kind === kind).map(({ value }) => value);
    const delays = values('delay').map((value) => Number(value) * 1_000);
    const ruled = lines.filter(({ kind }) => kind === 'rule').map(({ value }) => value);
    const denied = linesFor(lines, 'rule', isFor).filter(({ key }) => key !== 'allow');
    assert.deepEqual(
      {
        ...{ named: rules.named, delayMs: rules.crawlDelayMs, sitemaps: rules.sitemaps, licences: rules.licences },
        usage: rules.usage.map(({ field, value }) => `${field} ${value}`),
        denied: ruled.filter((path) => !isAllowed(rules, `https://a.test${path}x`)),
        sitemapValues: sitemapValues(body),
      },
      {
        ...{ named, delayMs: delays.length === 0 ? null : Math.max(...delays) },
        licences: all('licence'),
        sitemaps: all('sitemap')
          .filter((value) => value.startsWith('https:') || robotsUrl !== '')
          .map((value) => new URL(value, 'https://a.test').href),
        usage: linesFor(lines, 'usage', isFor).map(
          ({ key, value }) => `${/usage/i.test(key) ? 'content-usage' : 'content-signal'} ${value}`,
        ),
        denied: denied.map(({ value }) => value),
        sitemapValues: all('sitemap'),
      },
      `seed ${seed}: ${JSON.stringify(body.toString())}`,
    );
  }
});
