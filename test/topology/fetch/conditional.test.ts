/** What is sent back of validators. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { conditionOf } from '../../../topology/fetch/conditional.ts';

const sent = (etag: string, lastModified = '') => conditionOf({ etag, lastModified }).join(': ');
const date = 'Sun, 06 Nov 1994 08:49:37 GMT';

it('an entity-tag is sent back as it came, strong or weak', () => {
  for (const etag of ['"a"', 'W/"a"', '""', '"é"', '"a\'b\\c"']) assert.equal(sent(etag), `if-none-match: ${etag}`);
});

it('an invalid entity-tag is not sent back', () => {
  for (const etag of ['', '*', 'a', '"a', 'a"', 'w/"a"', '"a" "b"', '"a", "b"', '"a b"', '"a"b"', '"\t"'])
    assert.equal(sent(etag), '', etag);
});

it('a date is sent back as an IMF-fixdate, whatever its form', () => {
  for (const form of [date, 'Sunday, 06-Nov-94 08:49:37 GMT', 'Sun Nov  6 08:49:37 1994', ` ${date} `])
    assert.equal(sent('', form), `if-modified-since: ${date}`);
});

it('an invalid date is not sent back', () => {
  for (const form of [
    '0',
    '-1',
    'yesterday',
    '1994-11-06',
    'Sun, 06 Nov 1994 08:49:37',
    'Sun, 31 Feb 1994 08:49:37 GMT',
  ])
    assert.equal(sent('', form), '', form);
});
