import assert from 'node:assert/strict';
import { test } from 'node:test';
import { itemId } from '../../../../services/extras/urlfrontier/item-id.ts';
import { codecOf } from '../../../../services/extras/urlfrontier/wire.ts';

const bytesOf = (item: object) => codecOf<object>('URLItem').encode(item);
const info = { url: 'http://a.com/ü', key: 'k', metadata: [Buffer.from('0a016b', 'hex')], crawlID: 'c' };

test('an item is named by its ID, or else by its URL', () => {
  for (const [name, item, id] of [
    ['an ID before a URL', { discovered: { info }, ID: 'the ID' }, 'the ID'],
    ['found', { discovered: { info } }, info.url],
    ['known', { known: { info, refetchable_from_date: 2 ** 40 } }, info.url],
    ['an empty ID', { discovered: { info }, ID: '' }, info.url],
    ['a long URL', { known: { info: { url: `http://a.com/${'x'.repeat(300)}` } } }, `http://a.com/${'x'.repeat(300)}`],
    ['no URL', { discovered: { info: { key: 'k' } } }, ''],
    ['no info', { known: {} }, ''],
    ['nothing', {}, ''],
  ] as const)
    assert.equal(itemId(bytesOf(item)), id, name);
});

test('unknown fields are skipped, whatever their wire type, and the last of one number counts', () => {
  const before = Buffer.from('28 9601 31 0102030405060708 3d 01020304 42 01 78'.replaceAll(' ', ''), 'hex');
  const item = bytesOf({ discovered: { info }, ID: 'first' });
  assert.equal(itemId(Buffer.concat([before, item])), 'first');
  assert.equal(itemId(Buffer.concat([item, before])), 'first');
  assert.equal(itemId(Buffer.concat([item, bytesOf({ ID: 'second' })])), 'second');
});

test('bytes that are not fields are ignored', () => {
  for (const [hex, message] of [
    ['1a05616263', /a field is longer than its message/],
    ['1a', /a field does not end/],
    ['1a80', /a field does not end/],
    ['0880', /a field does not end/],
    ['1b1c', /wire type 3/],
  ] as const)
    assert.throws(() => itemId(Buffer.from(hex, 'hex')), { message }, hex);
});
