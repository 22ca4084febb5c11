/** Fields of extras that the owner of a crawl may set. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { z } from 'zod';
import { checkOwnersExtras } from '../../../../services/extras/fleet/owner-policy.ts';

const field = { schema: z.int(), about: 'Pixels.' };
const fields = {
  pictures: { widest: { ...field, setter: 'owner' }, perHost: { ...field, setter: 'operator' } },
} as const;

it('owners set fields that are theirs, of extras that are here', () => {
  for (const extras of [undefined, {}, { pictures: {} }, { pictures: { widest: 1 } }])
    checkOwnersExtras({ extras }, fields);
  const rows: [unknown, string][] = [
    [{ pictures: { perHost: 1 } }, 'pictures.perHost'],
    [{ pictures: { unknown: 1 } }, 'pictures.unknown'],
    [{ others: { a: 1 } }, 'others'],
    [{ pictures: { widest: 1 }, others: {} }, 'others'],
  ];
  for (const [extras, name] of rows)
    assert.throws(() => checkOwnersExtras({ extras }, fields), {
      code: 'INVALID_ARGUMENT',
      message: `policy.extras.${name}: only the operator of the fleet may set this field; remove it`,
    });
});
