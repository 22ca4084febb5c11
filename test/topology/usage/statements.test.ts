import assert from 'node:assert/strict';
import { test } from 'node:test';
import { contentSignal, unreadSignals } from '../../../topology/usage/content-signal.ts';
import { contentUsage } from '../../../topology/usage/content-usage.ts';
import { parseTokens } from '../../../topology/usage/dictionary.ts';
import { robotsTag } from '../../../topology/usage/robots-tag.ts';
import { barredFrom, inOrder, type Statement, statement, verdictOn } from '../../../topology/usage/statement.ts';
import { parseTagDate } from '../../../topology/usage/tag-date.ts';
import { parseTdmrep, tdmReservation, tdmStatements } from '../../../topology/usage/tdmrep.ts';
import { usageLimits } from '../../../topology/usage/usage-limits.ts';

/** `search+ ai-train-`: what is allowed and barred. */
function reported(statements: readonly Statement[]): string {
  return statements
    .map(({ use, preference }) => `${use}${{ allow: '+', deny: '-', terms: '=' }[preference]}`)
    .join(' ');
}

const usage = (...values: string[]) => reported(contentUsage(values, 'x', values.join(', ')));

test('Content-Usage is a dictionary whose tokens y and n allow and bar (draft-ietf-aipref-vocab-07 §6.6)', () => {
  assert.equal(usage('train-ai=n'), 'ai-train-');
  assert.equal(usage('train-ai=y, search=n'), 'ai-train+ search-');
  assert.equal(usage('train-ai;has;parameters="?"'), '', 'no value is true, and says nothing');
  assert.equal(usage('train-ai;allow=n, train-ai=y'), 'ai-train+', 'parameters say nothing');
  assert.equal(usage('train-ai=n;exceptions=(a b)'), '', 'parameters are no lists');
  assert.equal(usage('search="n"'), '', 'a string is no token');
  assert.equal(usage('ai-input=n, unheard-of=y, other=(n y)'), 'ai-input-');
});

test('categories of earlier drafts can bar uses, and allow none', () => {
  assert.equal(usage('bots=n'), 'search- ai-input- ai-train-');
  assert.equal(usage('bots=y, tdm=y, genai=y, ai-output=y'), '');
  assert.equal(usage('ai-output=n'), 'ai-input-');
});

test('a dictionary with an error says nothing, and never allows what another line bars', () => {
  for (const bad of [
    'Train-ai=y',
    'train-ai=y,',
    'train-ai=y search=y',
    'train-ai=',
    '=y',
    'train-ai="y',
    'train-ai=y;;',
  ]) {
    assert.equal(usage(bad), '', bad);
  }
  assert.equal(usage('train-ai=y', 'SEARCH=y'), '', 'lines of a field are one dictionary');
  assert.equal(usage('train-ai=n', 'SEARCH=y'), 'ai-train-');
  assert.equal(usage('train-ai=n, train-ai=y'), 'ai-train-', 'the strictest of two holds');
  assert.equal(usage('train-ai=y, train-ai'), '', 'the last of two says nothing');
});

test('dictionaries are parsed as structured fields (RFC 9651 §4.2.2)', () => {
  const items =
    'a=1, b=-1.5, c="x, \\"y\\"", d=:aGk=:, e=?1, f=@1659578233, g=%"f%c3%bc", h=(1 tok "s");p=1;q, *i=*/x:y';
  assert.deepEqual([...parseTokens(items)!.keys()], ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', '*i']);
  assert.deepEqual(parseTokens(items)!.get('*i'), ['*/x:y']);
  assert.deepEqual([...parseTokens('a=(1;x b;y="z" c; z=t);p, b; q=1')!.keys()], ['a', 'b'], 'parameters of items');
  assert.deepEqual([...parseTokens('a;  b=1; c, d')!.keys()], ['a', 'd']);
  for (const bad of [
    ...['a=(1;)', 'a=y;', 'a=y;, b=z', 'a=(1;X)', 'a=(1;x=)', 'a=(b;)', 'a;b=', 'a;b="', 'a;=1', '(a)=b'],
    'a=(1',
    'a=(1"x")',
    'a=1.2345',
    'a=?2',
    'a=:%:',
    'a="\u00e9"',
    'a=y\tb=y',
    '\ta=y',
    'a=@1.',
    'a=%"%C3"',
  ]) {
    assert.equal(parseTokens(bad), null, bad);
  }
  assert.deepEqual(
    parseTokens('  a=y \t, \t b=n '),
    new Map([
      ['a', ['y']],
      ['b', ['n']],
    ]),
  );
  assert.deepEqual(parseTokens('a=b   ')!.get('a'), ['b'], 'blanks at the end');
  assert.deepEqual(parseTokens('   '), new Map());
  assert.equal(parseTokens('!'), null);
  assert.deepEqual(parseTokens(''), new Map());
});

const signal = (value: string) => reported(contentSignal(value, 'x', value));

test('Content-Signal says yes or no to three uses', () => {
  assert.equal(signal('ai-train=no, search=yes, ai-input=yes'), 'ai-train- search+ ai-input+');
  assert.equal(signal('Search = YES,AI-Train = No'), 'search+ ai-train-');
  assert.equal(signal('search=y, ai-train=n'), 'search+ ai-train-');
  assert.equal(signal('search=yes, search=no'), 'search-');
  assert.equal(signal('search=no, search=yes'), 'search-');
  assert.equal(signal('search=maybe, use=reference, ai_train=yes, search, searchy, =yes'), '');
});

test('a signal without a value is ignored; one with an unreadable value bars its use', () => {
  assert.deepEqual(unreadSignals('searchy, =no, ai-input'), []);
  assert.deepEqual(unreadSignals('search=maybe, ai-train=no'), ['search']);
});

const tag = (value: string, tokens: readonly string[] | null = ['examplebot']) =>
  reported(robotsTag(value, 'x', tokens));

test('words of X-Robots-Tag and robots meta elements bar what their inventors define', () => {
  assert.equal(tag('noarchive, NoSnippet'), 'archive- snippet- ai-input-');
  assert.equal(tag('noai'), 'ai-input- ai-train-');
  assert.equal(tag('noimageai'), 'ai-input- ai-train-');
  assert.equal(tag('none'), 'search-');
  assert.equal(tag('index, follow, all, max-snippet:50'), '');
  assert.equal(tag('max-snippet:0'), 'snippet- ai-input-');
  assert.equal(tag('noaim, xnoarchive'), '', 'no words of ours');
  assert.equal(tag('max-video-preview:0'), '');
  assert.equal(robotsTag('max-snippet: 0', 'x', null)[0]?.fromMs, 0, 'at once');
});

test('a part of X-Robots-Tag applies to its named crawler, up to the next name', () => {
  assert.equal(tag('otherbot: noai, noarchive'), '');
  assert.equal(tag('otherbot: noai, examplebot: noarchive, nosnippet'), 'archive- snippet- ai-input-');
  assert.equal(tag('otherbot: noai, *: noindex'), 'search-');
  assert.equal(tag('ExampleBot: unavailable_after: 25 Jun 2010 15:00:00 PST'), 'search- archive-');
  assert.equal(tag('otherbot: unavailable_after: 25 Jun 2010 15:00:00 PST'), '');
  assert.equal(tag('otherbot: max-snippet:0'), '');
  assert.equal(tag('otherbot: noai', null), 'ai-input- ai-train-', 'a meta element has its name elsewhere');
});

test('unavailable_after bars from its date on, with commas in the date and words after it', () => {
  const [search, archive] = robotsTag('unavailable_after: Sunday, 06-Nov-94 08:49:37 GMT, noai', 'x', []);
  assert.equal(search?.fromMs, Date.UTC(1994, 10, 6, 8, 49, 37));
  assert.equal(archive?.fromMs, search?.fromMs);
  assert.equal(tag('unavailable_after: Sunday, 06-Nov-94 08:49:37 GMT, noai'), 'search- archive- ai-input- ai-train-');
  assert.equal(tag('unavailable_after: soon, noarchive'), 'archive-', 'a date that cannot be read says nothing');
  assert.equal(
    tag('unavailable_after: Sunday, max-snippet:50, 06-Nov-94 08:49:37 GMT'),
    '',
    'another rule ends the date',
  );
  assert.equal(tag('unavailable_after'), '');
  const both = robotsTag('noindex, unavailable_after: 2030-01-01', 'x', null);
  assert.equal(verdictOn(both, 'search', 0).preference, 'deny', 'the earlier of both');
});

test('dates are read in three forms, in UTC if they name no zone', () => {
  const at = Date.UTC(2026, 0, 31, 12, 0, 0);
  for (const text of [
    ...['2026-01-31T12:00:00Z', '2026-01-31 12:00', '2026-01-31T13:00:00+01:00', '31 Jan 2026 12:00:00 GMT'],
    ...[
      'Sat, 31 Jan 2026 12:00:00 +0000',
      '31-Jan-26 12:00:00 UTC',
      'Saturday, 31-Jan-26 04:00:00 PST',
      '31 January 2026 12:00',
    ],
  ]) {
    assert.equal(parseTagDate(text), at, text);
  }
  assert.equal(parseTagDate('2026-01-31'), Date.UTC(2026, 0, 31));
  for (const bad of [
    '',
    'soon',
    '31.01.2026',
    '2026-13-01',
    '2026-02-30',
    '31 Foo 2026',
    '2026-01-31T25:00',
    '1',
    `${'0'.repeat(99)}`,
  ]) {
    assert.equal(parseTagDate(bad), null, bad);
  }
});

test('TDMRep reserves by 1 and opens by 0; other values say nothing', () => {
  assert.equal(reported(tdmReservation(' 1 ', 'x', '1')), 'ai-input- ai-train-');
  assert.equal(reported(tdmReservation('0', 'x', '0')), 'ai-input+ ai-train+');
  for (const bad of ['', 'yes', '2', '10', '1.0', 'true'])
    assert.equal(reported(tdmReservation(bad, 'x', bad)), '', bad);
});

const tdm = (rules: unknown, path: string) =>
  reported(
    tdmStatements(
      parseTdmrep(Buffer.from(typeof rules === 'string' ? rules : JSON.stringify(rules))),
      `http://a.test${path}`,
    ),
  );

test('the first rule of tdmrep.json that matches the path counts', () => {
  const rules = [
    { location: '/b/images/*.jpg$', 'tdm-reservation': 0 },
    { location: '/b/', 'tdm-reservation': 1, 'tdm-policy': 'https://a.test/policy.json' },
    { location: '/', 'tdm-reservation': 0 },
  ];
  assert.equal(tdm(rules, '/b/images/1.jpg'), 'ai-input+ ai-train+');
  assert.equal(tdm(rules, '/b/images/1.jpg?x'), 'ai-input- ai-train- licence=');
  assert.equal(tdm(rules, '/c'), 'ai-input+ ai-train+');
});

test('a tdmrep.json with the maximum number of rules is read, and one rule more makes it invalid', () => {
  const others = new Array(usageLimits.tdmRulesMax - 1).fill({ location: '/other', 'tdm-reservation': 0 });
  const reserved = { location: '/x', 'tdm-reservation': 1 };
  assert.equal(tdm([...others, reserved], '/x'), 'ai-input- ai-train-');
  assert.equal(tdm([...others, reserved, reserved], '/x'), '');
});

test('a path without a matching rule of tdmrep.json has no statement', () => {
  assert.equal(tdm([{ location: '/b/', 'tdm-reservation': 1 }], '/c'), '');
});

test('an invalid tdmrep.json, and invalid rules, say nothing', () => {
  const reserved = { location: '/', 'tdm-reservation': 1 };
  for (const bad of [
    '',
    '{',
    'null',
    '7',
    reserved,
    [null],
    [{ location: '/' }],
    [{ location: 7, 'tdm-reservation': 1 }],
    [{ location: '/', 'tdm-reservation': ['1'] }],
    [{ location: '', 'tdm-reservation': 1 }],
  ]) {
    assert.equal(tdm(bad, '/'), '', JSON.stringify(bad));
  }
  assert.equal(tdm([{ location: '/', 'tdm-reservation': 'x' }, reserved], '/'), 'ai-input- ai-train-');
  assert.equal(tdm([{ location: '/', 'tdm-reservation': '1' }], '/'), 'ai-input- ai-train-');
});

test('a bar wins over a permission from its time on, and both are kept in that order', () => {
  const statements = [
    statement('ai-train', 'allow', 'robots.txt', 'a'),
    statement('search', 'deny', 'meta robots', 'late', 2_000),
    statement('ai-train', 'deny', 'header content-usage', 'b'),
    statement('search', 'deny', 'header x-robots-tag', 'early', 1_000),
  ];
  assert.equal(verdictOn(statements, 'ai-train', 0).by?.said, 'b');
  assert.deepEqual(verdictOn(statements, 'search', 999), { preference: 'unknown', by: null });
  assert.equal(verdictOn(statements, 'search', 1_000).by?.said, 'early');
  assert.equal(verdictOn(statements, 'archive', 0).preference, 'unknown');
  assert.deepEqual(
    inOrder(statements).map(({ said }) => said),
    ['early', 'late', 'b', 'a'],
  );
  assert.equal(barredFrom(statements, 'search'), 1_000);
  assert.equal(barredFrom(statements, 'ai-train'), 0);
  assert.equal(barredFrom(statements, 'archive'), -1);
  for (const times of [
    [0, 2_000],
    [2_000, 0],
    [1, 0],
  ]) {
    const denied = times.map((fromMs) => statement('archive', 'deny', 'x', '', fromMs));
    assert.equal(barredFrom(denied, 'archive'), 0, times.join());
  }
  const terms = [statement('licence', 'terms', 'robots.txt', 'https://a.test/l')];
  assert.deepEqual(verdictOn(terms, 'licence', 0), { preference: 'unknown', by: null }, 'terms neither allow nor bar');
});

test('hostile values are read in one pass', () => {
  const long = 1_000_000;
  for (const value of [
    `noai, ${'a:'.repeat(long)}`,
    `noai, unavailable_after: ${'x,'.repeat(long)}`,
    `noai, ${' '.repeat(long)}x`,
    `noai, ${'unavailable_after: 1 '.repeat(long / 20)}`,
  ])
    assert.equal(tag(value), 'ai-input- ai-train-');
  for (const value of [`a=${'('.repeat(long)}`, `a=(${'b '.repeat(long)}`, `a${' '.repeat(long)}b`, 'a,'.repeat(long)])
    assert.equal(usage(value), '');
  assert.equal(signal(`${'ai-train=yes,'.repeat(long / 10)}ai-train=no`), 'ai-train-');
});
