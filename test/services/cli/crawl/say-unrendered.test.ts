import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sayUnrendered } from '../../../../services/cli/crawl/say-unrendered.ts';

test('options of a browser draw a warning if no browser runs', () => {
  const said = (flags: Readonly<Record<string, unknown>>) => {
    const lines: string[] = [];
    sayUnrendered(flags, (text) => lines.push(text));
    return lines.map((line) => line.split(' add --with render')[0]);
  };
  assert.deepEqual(said({ screenshots: 640, browser: '/chromium', with: ['index'] }), [
    '--screenshots has no effect, since no browser runs:',
    '--browser has no effect, since no browser runs:',
  ]);
  assert.deepEqual(said({ screenshots: 640, browser: '/chromium', with: ['render'] }), []);
  assert.deepEqual(said({}), []);
});
