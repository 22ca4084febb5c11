import assert from 'node:assert/strict';
import { test } from 'node:test';
import { extractedType } from '../../../topology/fetch/content-type.ts';

test('the last media type of all fields counts, with the charset of an earlier one of the same type', () => {
  const cases: readonly (readonly [values: readonly string[], type: string])[] = [
    // Examples of the Fetch standard, "extract a MIME type".
    [['text/plain;charset=gbk, text/html'], 'text/html'],
    [['text/html;charset=gbk;a=b, text/html;x=y'], 'text/html;charset=gbk'],
    [['text/html;charset=gbk;a=b', 'text/html;x=y'], 'text/html;charset=gbk'],
    [['text/html;charset=gbk', 'x/x', 'text/html;x=y'], 'text/html;x=y'],
    [['text/html', 'cannot-parse'], 'text/html'],
    [['text/html', '*/*'], 'text/html'],
    [['text/html', ''], 'text/html'],
    [['*/*, text/html'], 'text/html'],
    [['text/html, text/html; charset=utf-8'], 'text/html; charset=utf-8'],
    [['text/html;charset="a,b"', 'text/html'], 'text/html;charset="a,b"'],
    [['text/html;a="\\",x/y;charset=z'], 'text/html;a="\\",x/y;charset=z'],
    [['text/html;charset=a, TEXT/HTML;charset=b, text/html'], 'text/html;charset=b'],
    [['text/html;;charset=UTF-8'], 'text/html;;charset=UTF-8'],
    [[' Text/HTML ;charset=x'], 'Text/HTML ;charset=x'],
    [['text/html;'], 'text/html;'],
    [[',text/html,'], 'text/html'],
  ];
  for (const [values, type] of cases) assert.equal(extractedType(values), type, values.join(' | '));
});

test('an invalid or unknown media type is ignored', () => {
  const none = [
    '',
    'html',
    'text/html charset=utf-8',
    'text/html/',
    '/html',
    'text/',
    'text',
    'text /html',
    'unknown/unknown',
  ];
  for (const value of [
    ...none,
    'application/unknown; charset=x',
    '*/*',
    'UNKNOWN/unknown',
    '*/*;q=1',
    'text/html:x',
    '"text/html"',
  ])
    assert.equal(extractedType([value]), '', value);
  assert.equal(extractedType([]), '');
  assert.equal(extractedType(['text/html', 'unknown/unknown']), '');
});

test('a hostile list of media types takes no time', () => {
  const started = performance.now();
  for (const piece of [',', ' ', ';', '"', '\\', ';charset=', 'a/b,', 'a', '\t;'])
    extractedType([piece.repeat(60_000 / piece.length), 'text/html'.padEnd(60_000)]);
  assert.ok(performance.now() - started < 3_000);
});
