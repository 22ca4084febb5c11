import assert from 'node:assert/strict';
import { test } from 'node:test';
import { countFields } from '../../../../services/extras/urlfrontier/count-fields.ts';

const hex = (text: string) => Buffer.from(text.replaceAll(' ', ''), 'hex');
const many = 1_000;

test('fields are counted whatever their wire type', () => {
  for (const [name, bytes, count] of [
    ['nothing', '', 0],
    ['varints of one and two bytes', '0801 1096 01'.replaceAll(' ', ''), 2],
    ['64 bits, and one behind it', '09 0102030405060708 0801', 2],
    ['32 bits, and one behind it', '0d 01020304 0801', 2],
    ['text, and one behind it', '0a 03 616263 0801', 2],
    ['text of more than 127 bytes', `0a 8101 ${'61'.repeat(129)} 0801`, 2],
    ['a field number of two bytes', '8201 01 61 0801', 2],
    ['a group’s fields, with its begin and end', '0b 0801 0c', 3],
    ['text that is longer than the message', '0a 7f 61', 1],
    ['a tag that does not end', '80', 1],
  ] as const)
    assert.equal(countFields(hex(bytes), many), count, name);
});

test('fields inside those of one number count, too, but no deeper', () => {
  const item = '0a 04 0801 0802'; // two fields in field 1
  assert.equal(countFields(hex(`12 06 ${item}`), many), 1);
  assert.equal(countFields(hex(`12 06 ${item}`), many, 2), 2);
  assert.equal(countFields(hex(`12 06 ${item} 12 02 0801`), many, 2), 4);
  assert.equal(countFields(hex(`1a 06 ${item}`), many, 2), 1, 'another number');
  assert.equal(countFields(hex('12 04 12 02 0801'), many, 2), 2, 'one inside one inside');
  assert.equal(countFields(hex('920f 02 0801'), many, 242), 2, 'a number of two bytes');
});

test('the count stops one beyond the maximum', () => {
  const fields = hex('0801'.repeat(50));
  assert.equal(countFields(fields, 50), 50);
  assert.equal(countFields(fields, 49), 50);
  assert.equal(countFields(fields, 9), 10);
  const inside = Buffer.concat([hex('12 64'), fields]);
  assert.equal(countFields(inside, 51, 2), 51);
  assert.equal(countFields(inside, 20, 2), 21, 'inside as well');
});
