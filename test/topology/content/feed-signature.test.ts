import assert from 'node:assert/strict';
import { it } from 'node:test';
import {
  feedSignature,
  hasNewEntries,
  isFeedSignature,
  pollSecondsOf,
} from '../../../topology/content/feed-signature.ts';
import { textSignature } from '../../../topology/content/text-signature.ts';

const urls = (from: number, to: number) => Array.from({ length: to - from }, (_, n) => `https://a.test/${from + n}`);

it('a new entry changes a feed’s signature; a dropped or moved one does not', () => {
  const before = feedSignature(urls(0, 10), 0);
  assert.equal(hasNewEntries(before, feedSignature(urls(0, 10).reverse(), 0)), false);
  assert.equal(hasNewEntries(before, feedSignature(urls(3, 10), 0)), false);
  assert.equal(hasNewEntries(before, feedSignature([], 0)), false);
  assert.equal(hasNewEntries(before, feedSignature(urls(1, 11), 0)), true);
  assert.equal(hasNewEntries(feedSignature([], 0), feedSignature(urls(0, 1), 0)), true);
});

it('a long list is recognised as a whole, in any order, in the space of a short one', () => {
  const before = feedSignature(urls(0, 5_000), 0);
  assert.ok(before.length < 30);
  assert.equal(hasNewEntries(before, feedSignature(urls(0, 5_000).reverse(), 0)), false);
  assert.equal(hasNewEntries(before, feedSignature(urls(0, 5_001), 0)), true);
});

it('a feed’s requested interval is kept in whole seconds', () => {
  assert.equal(pollSecondsOf(feedSignature(urls(0, 3), 3_599_001)), 3_600);
  assert.equal(pollSecondsOf(feedSignature([], 0)), 0);
});

it('a feed’s signature is distinguished from that of a text', () => {
  assert.equal(isFeedSignature(feedSignature([], 0)), true);
  assert.equal(isFeedSignature(textSignature('one two three four five six seven eight nine ten eleven twelve')), false);
  assert.equal(isFeedSignature(''), false);
});
