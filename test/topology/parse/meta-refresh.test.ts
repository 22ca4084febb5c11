import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseRefresh } from '../../../topology/parse/meta-refresh.ts';

/** The HTML standard's shared declarative refresh steps, as browsers take them; fractions of a second are kept. */
const cases: readonly [content: string, href: string | null, delaySeconds?: number][] = [
  ['0; url=/x', '/x', 0],
  ['5;URL=/x', '/x', 5],
  ['5, /x', '/x', 5],
  ['5 ; url = /x', '/x', 5],
  ['5 url=/x', '/x', 5],
  ['5 /x', '/x', 5],
  ['\t\n\f\r 7;\t\n\f\r url\t=\r/x', '/x', 7],
  ['1.5;/x', '/x', 1.5],
  ['.5;/x', '/x', 0.5],
  ['1.2.3;/x', '/x', 1.2],
  ['.;/x', '/x', 0],
  ['0;url="/x" y', '/x', 0],
  ["0;url='/x' y", '/x', 0],
  ['0;url="/x', '/x', 0],
  ['0;"/x"y', '/x', 0],
  ['0;url=/x"y', '/x"y', 0],
  ['0;url=url=/x', 'url=/x', 0],
  ['0;urls=/x', 'urls=/x', 0],
  ['0;;/x', ';/x', 0],
  ['0;/a;b', '/a;b', 0],
  [`${'1'.repeat(32)};/x`, '/x', Number('1'.repeat(32))],
  [`${'1'.repeat(33)};/x`, null],
  ['5', null],
  ['5;', null],
  ['5;url=', null],
  ['5;url=""', null],
  ['5;  ', null],
  [';/x', null],
  ['x;/x', null],
  ['5x;/x', null],
  ['-1;/x', null],
  ['', null],
];

for (const [content, href, delaySeconds] of cases)
  test(`a refresh is read from ${JSON.stringify(content)}`, () => {
    assert.deepEqual(parseRefresh(content), href === null ? null : { href, delaySeconds });
  });
