import assert from 'node:assert/strict';
import { it } from 'node:test';
import { isPush } from '../../../../../topology/frontier/decide/links/refresh.ts';

it('a link is a push if it asks for a refresh and has no date, priority or other field', () => {
  const link = { url: 'https://a.test/', lastModifiedMs: 0, priority: 0, spelling: '' };
  assert.equal(isPush('refresh', link), true);
  assert.deepEqual(
    [
      isPush('discover', link),
      isPush('force', link),
      isPush('refresh', { ...link, lastModifiedMs: 1 }),
      isPush('refresh', { ...link, priority: -1 }),
      isPush('refresh', { ...link, priority: 1 }),
    ],
    [false, false, false, false, false],
  );
});
