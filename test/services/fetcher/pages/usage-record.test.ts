/** What was said of using a page, as its record has it. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it } from 'node:test';
import { usageRecord } from '../../../../services/fetcher/pages/usage-record.ts';
import { statement } from '../../../../topology/usage/statement.ts';

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
const robots = [
  { said: [statement('ai-train', 'allow', 'robots.txt', 'Content-Usage: train-ai=y')], hash: 'r'.repeat(32) },
];
const shown = (...given: Parameters<typeof usageRecord>) =>
  usageRecord(...given).map(({ use, preference, source, hash }) => [use, preference, source, hash]);

describe('a usage record', () => {
  it('a usage record names for each statement its file, header or page, by the first 16 bytes of its hash', () => {
    const headers = ['x-robots-tag', 'noai'];
    const contentHash = sha256('the page');
    assert.deepEqual(shown(robots, headers, 'bot', [{ name: 'robots', content: 'noindex' }], contentHash), [
      ['search', 'deny', 'meta robots', contentHash.slice(0, 32)],
      ['ai-input', 'deny', 'header x-robots-tag', sha256('noai').slice(0, 32)],
      ['ai-train', 'deny', 'header x-robots-tag', sha256('noai').slice(0, 32)],
      ['ai-train', 'allow', 'robots.txt', 'r'.repeat(32)],
    ]);
  });

  it('a usage record exists if one of the sources made a statement, and is empty if none did', () => {
    assert.deepEqual(shown(robots, [], 'bot').length, 1);
    assert.deepEqual(shown([], ['x-robots-tag', 'noindex'], 'bot').length, 1);
    assert.deepEqual(shown([], [], 'bot', [{ name: 'robots', content: 'noindex' }]).length, 1);
    assert.deepEqual(shown([{ said: [], hash: '' }, ...robots], [], 'bot').length, 1);
    assert.deepEqual(usageRecord([{ said: [], hash: 'r' }], ['content-type', 'text/html'], 'bot'), []);
  });
});
