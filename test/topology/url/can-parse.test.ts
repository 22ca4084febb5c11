import assert from 'node:assert/strict';
import { test } from 'node:test';
import { canParse } from '../../../topology/url/can-parse.ts';

test('a URL is one however often it was asked, whatever its characters', () => {
  for (let n = 0; n < 50_000; n++) if (!canParse('http://bücher.example/é')) assert.fail(`not at call ${n}`);
  assert.equal(canParse('/é', 'http://a.test/'), true);
  for (const [url, base] of [['/x'], [''], ['http://'], ['http://a.test:99999/'], ['/x', 'mailto:a']] as const)
    assert.equal(canParse(url, base), false, url);
});
