/** What each link brings of cash. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { blankLinkGroup } from '../../../../../schemas/blank.ts';
import { cashPerLink } from '../../../../../topology/frontier/decide/links/cash.ts';

const page = 'https://a.test/';

it('a link brings its page’s share of cash, a seed one, and other senders’ nothing', () => {
  const of = (share: number, sourceUrl: string) => cashPerLink({ ...blankLinkGroup, share, sourceUrl });
  assert.deepEqual([of(0.25, page), of(0.25, ''), of(3, '')], [0.25, 0.25, 3]);
  assert.deepEqual([of(0, ''), of(0, page)], [1, 0]);
  for (const none of [-1, Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY])
    assert.deepEqual([of(none, ''), of(none, page)], [1, 0], `${none}`);
});
