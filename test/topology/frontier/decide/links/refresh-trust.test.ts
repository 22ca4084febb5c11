/** Whose dates are believed, and what is a push. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { blankLink } from '../../../../../schemas/blank.ts';
import { intents } from '../../../../../schemas/types.ts';
import { isPush, isTrusted } from '../../../../../topology/frontier/decide/links/refresh.ts';

it('dates are believed until four visits were made for them, then while half of those prove true', () => {
  assert.equal(isTrusted(undefined), true);
  for (let reported = 0; reported <= 9; reported++)
    for (let proved = 0; proved <= reported; proved++)
      assert.equal(
        isTrusted({ fromSitemap: reported, proved, lastDueS: 0 }),
        reported < 4 || proved >= reported / 2,
        `${proved} of ${reported}`,
      );
});

it('a push is revisited first of all, and has no date', () => {
  for (const intent of intents)
    for (const lastModifiedMs of [0, 1])
      for (const priority of [-1, 0, 1])
        assert.equal(
          isPush(intent, { ...blankLink, lastModifiedMs, priority }),
          intent === 'refresh' && lastModifiedMs === 0 && priority === 0,
        );
});
