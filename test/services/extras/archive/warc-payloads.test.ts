import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createPayloads } from '../../../../services/extras/archive/warc-payloads.ts';

const body = (bytes: number) => Buffer.alloc(bytes, 'x');

test('payloads are kept up to the bound, to the byte, and the oldest go first', () => {
  const payloads = createPayloads(100);
  const kept = () => ['a', 'b', 'c', 'd', 'e'].filter((digest) => payloads.get(digest) !== undefined).join('');
  payloads.keep('a', body(40));
  payloads.keep('b', body(60));
  assert.equal(kept(), 'ab');
  payloads.keep('c', body(1));
  assert.equal(kept(), 'bc');
  payloads.keep('d', body(39));
  assert.equal(kept(), 'bcd');
  payloads.keep('e', body(99));
  assert.equal(kept(), 'e', 'room for one is made of several');
});

test('a payload that is known stays as old as it is, and an empty one is not kept', () => {
  const payloads = createPayloads(100);
  payloads.keep('a', body(50));
  payloads.keep('b', body(50));
  payloads.keep('a', body(99));
  assert.equal(payloads.get('a')?.length, 50);
  payloads.keep('c', body(0));
  assert.equal(payloads.get('c'), undefined);
  payloads.keep('d', body(1));
  assert.equal(payloads.get('a'), undefined);
  assert.equal(payloads.get('b')?.length, 50);
  payloads.keep('f', body(101));
  assert.equal(payloads.get('f'), undefined, 'a payload beyond the bound is not kept');
});
