import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readUsageForReferee, refereeUse } from '../../../../topology/extras/audit/usage-referee.ts';
import { parseRobots } from '../../../../topology/robots/rules.ts';
import { headerUsage } from '../../../../topology/usage/response-usage.ts';
import { compileUsage, robotsUsage } from '../../../../topology/usage/robots-usage.ts';
import { uses, verdictOn } from '../../../../topology/usage/statement.ts';
import { drawFrom } from '../../../kept/drawn.ts';

const atMs = Date.UTC(2026, 10, 24);
const url = (path: string) => `http://a.test${path}`;

/** Pieces of which values are drawn: what standards know, and what people and enemies make of it. */
const values = {
  'content-usage': [
    ...[
      'train-ai=n',
      'train-ai=y',
      'search=n',
      'search=y;a=b',
      'ai-input=n',
      'bots=n',
      'tdm=y',
      'genai=n',
      'Train-ai=y',
      'x=1.5',
    ],
    ...[
      'train-ai="n"',
      'a=(b c);d',
      'a=(',
      'train-ai',
      'search=:aGk=:',
      'train-ai=?1',
      'b="x, train-ai=n"',
      'b="x\\", train-ai=n"',
      'b="\\\\"',
      'c=%"a%c3%bc"',
      '',
    ],
  ],
  'content-signal': [
    'search=yes',
    'search=no',
    'ai-train=no',
    'AI-Train = YES',
    'ai-input=n',
    'ai-input=maybe',
    'use=full',
    '=',
  ],
  'x-robots-tag': [
    ...[
      'noai',
      'noarchive',
      'nosnippet',
      'none',
      'noindex follow',
      'otherbot: noai',
      'examplebot: noimageai',
      '*: nocache',
      'max-snippet:0',
      'unavailable_after: 2024-02-29',
      'unavailable_after: 2023-02-29',
    ],
    ...[
      'unavailable_after: Sunday, 06-Nov-94 08:49:37 GMT',
      'unavailable_after: 2200-01-01',
      'unavailable_after: 25 Jun 2010 15:00:00 PST',
    ],
    ...[
      'unavailable_after: soon',
      'unavailable_after: 2010-06-25T15:00',
      'unavailable_after: 2010-06-25',
      'noaim',
      'robots: noai',
      ':',
      'max-snippet:9',
    ],
  ],
  'tdm-reservation': ['1', '0', 'yes', ''],
} as const;
const fields = Object.keys(values) as (keyof typeof values)[];
const paths = ['', '/ ', '/a/ ', '/a/b* ', '/*.pdf$ ', '/caf%c3%a9 ', '/caf\u00e9 ', '/a%2Fb ', '* '];

test('two independent parsers agree on the statements about each use', () => {
  const draw = drawFrom(35);
  const list = (field: keyof typeof values, most: number) =>
    Array.from({ length: 1 + draw.below(most) }, () => draw.of([...values[field]])).join(draw.of([',', ', ', ' ,\t']));
  for (let round = 0; round < 3_000; round++) {
    const lines = Array.from({ length: draw.below(9) }, () => {
      const field = draw.of(['content-usage', 'content-signal'] as const);
      return draw.of([
        ...['user-agent: *', 'user-agent: examplebot', 'user-agent: otherbot', 'disallow: /x', 'crawl-delay: 1'],
        ...Array.from({ length: 9 }, () => `${field}: ${draw.of(paths)}${list(field, 3)}`),
      ]);
    });
    const body = Buffer.from(`user-agent: *\n${lines.join('\n')}\n`);
    const headers = Array.from({ length: draw.below(3) }, () => draw.of(fields)).flatMap((field) => [
      field,
      list(field, 3),
    ]);
    const page = url(draw.of(['/', '/a/', '/a/b', '/a/b/c.pdf', '/x.pdf', '/caf\u00e9', '/a%2fb']));
    const ours = [
      ...robotsUsage(compileUsage(parseRobots(body, 'examplebot', '')), page),
      ...headerUsage(headers, 'examplebot'),
    ];
    const usages = headers.flatMap((name, i) => (i % 2 === 0 && name === 'content-usage' ? [headers[i + 1]!] : []));
    // As records have them: the lines of Content-Usage are one field.
    if (usages.length > 1) continue;
    const said = headers.flatMap((name, i) =>
      i % 2 === 0 ? [{ source: `header ${name}`, said: headers[i + 1]! }] : [],
    );
    const robots = readUsageForReferee(body, 'examplebot');
    for (const use of uses) {
      const theirs = refereeUse(use, atMs, page, robots, said, ['examplebot']).preference;
      assert.equal(
        verdictOn(ours, use, atMs).preference,
        theirs,
        `${use} of ${page}\n${body}\n${JSON.stringify(headers)}`,
      );
    }
  }
});

test('a finding names its line, a barring one first', () => {
  const robots = readUsageForReferee(Buffer.from('user-agent: *\ncontent-usage: /a train-ai=y\n'), 'examplebot');
  const said = [{ source: 'meta robots', said: 'noai' }];
  assert.deepEqual(refereeUse('ai-train', atMs, url('/a'), robots, [], []), {
    preference: 'allow',
    by: 'robots.txt: Content-Usage: /a train-ai=y',
  });
  assert.deepEqual(refereeUse('ai-train', atMs, url('/a'), robots, said, []), {
    preference: 'deny',
    by: 'meta robots: noai',
  });
  assert.deepEqual(refereeUse('ai-train', atMs, url('/b'), robots, [], []), { preference: 'unknown', by: '' });
});
