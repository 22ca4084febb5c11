import assert from 'node:assert/strict';
import { test } from 'node:test';
import { canParse } from '../../../topology/url/can-parse.ts';

test('a URL’s validity is the same however often it is checked, whatever its characters', () => {
  const urls = [
    ...[
      ['http://bücher.example/é'],
      ['http://a.test/x'],
      ['http://a.test/ÿ#\u0080'],
      ['  http://a.test/é\n '],
      ['/é', 'http://a.test/'],
    ],
    ...[['/x', 'http://a.test/é'], ['', 'http://bücher.example/'], ['http://a.test/中'], ['mailto:é']],
  ] as const;
  const others = [
    ...[['/x'], ['/é'], [''], ['é'], ['http://'], ['http://a.test:99999/'], ['http://a.test:99999/é'], ['http://[/é']],
    ...[['http://a b/é'], ['http://é x/'], ['/x', 'mailto:a'], ['/é', 'mailto:a'], ['/x', 'mailto:é'], ['x', '/é']],
  ] as const;
  for (let n = 0; n < 20_000; n++) {
    for (const [url, base] of urls) if (!canParse(url, base)) assert.fail(`${url} is none at call ${n}`);
    for (const [url, base] of others) if (canParse(url, base)) assert.fail(`${url} is one at call ${n}`);
  }
});

test('surrounding blanks do not count, whatever the characters', () => {
  for (const text of ['http://a.test', 'http://é.test'])
    for (const blanks of [' ', '\t\n\r', '\0\x1f', '\x0c'])
      assert.deepEqual([canParse(blanks + text + blanks), canParse(text)], [true, true], JSON.stringify(blanks));
  // These are no blanks to the standard.
  for (const text of ['\u00a0http://a.test/', '\ufeffhttp://a.test/']) assert.equal(canParse(text), false);
});

test('a URL’s validity is that of `new URL`', () => {
  const parts = [
    'http:',
    '//',
    'a',
    'é',
    '/',
    '?',
    '#',
    ' ',
    '[',
    ']',
    ':',
    '80',
    '@',
    '\\',
    '%',
    '\u0100',
    '\t',
    'x:',
    '..',
    '\ud800',
  ];
  let asked = 0;
  const held = { true: 0, false: 0 };
  for (const a of parts)
    for (const b of parts)
      for (const c of parts)
        for (const base of [undefined, 'http://b.test/ü/', 'http://b.test/x']) {
          const url = asked % 2 === 0 ? a + b + c : `http://${a}${b}${c}`;
          let expected = true;
          try {
            new URL(url, base);
          } catch {
            expected = false;
          }
          assert.equal(canParse(url, base), expected, JSON.stringify([url, base]));
          held[`${expected}`] += 1;
          asked += 1;
        }
  assert.ok(held.true > 1_000 && held.false > 1_000, JSON.stringify(held));
});
