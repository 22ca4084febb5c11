import assert from 'node:assert/strict';
import { it } from 'node:test';
import { decodeZstd as decode } from '../../../services/runtime/zstd.ts';

/** By the reference program, zstd 1.5: 150 times 'the quick brown fox '. */
const small = Buffer.from('KLUv/QRo5QAAoHRoZSBxdWljayBicm93biBmb3ggAQBCd/5kArgiKXY=', 'base64');
/** 20 MB of zeros, window 128 KiB to 2 MiB. */
const bomb = Buffer.from(
  'KLUv/QBYVAAAEAAAAQD7/znAAgIAEAACABAAAgAQAAIAEAACABAAAgAQAAIAEAACABAAAgAQAAIAEAACABAAAgAQAAIAEAACABAAAgAQAAIAEAACABAAAgAQAAIAEAACABAAAgAQAAIAEAACABAAAgAQAAIAEAACABAAAgAQAAIAEAACABAAAgAQAAIAEAACABAAAgAQAAIAEAACABAAAgAQAAIAEAACABAAAgAQAAIAEAACABAAAgAQAAIAEAACABAAAgAQAAIAEAACABAAAgAQAAIAEAACABAAAgAQAAIAEAACABAAAgAQAAIAEAACABAAAgAQAAIAEAACABAAAgAQAAIAEAACABAAAgAQAEQAAAABAP3/zAsQAgAQAAIAEAACABAAAgAQAAIAEAACABAAAgAQAAIAEAACABAAAgAQAAIAEAACABAAAgAQAAIAEAACABAAAgAQAAIAEAACABAAAgAQAAIAEAACABAAAgAQAAIAEAACABAAAgAQAAIAEAACABAAAgAQAAIAEAACABAAAgAQAAIAEAACABAAAgAQAAIAEAACABAAAgAQAAIAEAACABAAAgAQAAIAEAACABAAAgAQAAIAEAACABAAAgAQAAIAEAACABAAAgAQAAIAEAACABAAAgAQAAIAEAACABAAAgAQAAIAEAACABAAAgAQAAIAEAACABAAAgAQAAIAEAACABAARAAAAAEA/f/MCxACABAAAgAQAAIAEAACABAAAgAQAAIAEAACABAAAgAQAAIAEAACABAAAgAQAAIAEAACABAAAgAQAAIAEAACABAAAgAQAAIAEAACABAAAgAQAAIAEAACABAAAgAQAANoCQA=',
  'base64',
);
const windowBytesMax = 8 << 20;
const decodeZstd = (body: Buffer, bytesMax: number) => decode(body, bytesMax, windowBytesMax);
const text = 'the quick brown fox '.repeat(150);

it('zstd is undone, several frames and skippable ones too', () => {
  assert.deepEqual(decodeZstd(small, 1_000_000), { body: Buffer.from(text), truncated: false });
  const skippable = Buffer.concat([Buffer.from('502a4d1803000000', 'hex'), Buffer.from('abc')]);
  const twice = decodeZstd(Buffer.concat([small, skippable, small]), 1_000_000);
  assert.equal(twice?.body.toString(), text + text);
  assert.equal(twice?.truncated, false);
});

it('zstd gives no more than asked for', () => {
  assert.equal(decodeZstd(small, 100)?.body.toString(), text.slice(0, 100));
  assert.equal(decodeZstd(small, 100)?.truncated, true);
  const before = process.cpuUsage();
  assert.equal(decodeZstd(bomb, 1_000_000)?.body.length, 1_000_000);
  assert.ok(process.cpuUsage(before).user < 1_000_000);
});

it('zstd that was cut gives what came before', () => {
  const cut = decodeZstd(bomb.subarray(0, bomb.length - 40), 50_000_000);
  assert.equal(cut?.truncated, true);
  assert.ok(cut.body.length > 0 && cut.body.length < 20_000_000);
});

it('zstd that asks for a large window, or is none, is refused', () => {
  // Window descriptor 0x70: 16 MiB; and a second frame that asks for it.
  const greedy = Buffer.from('28b52ffd00700100000000', 'hex');
  assert.equal(decodeZstd(greedy, 1_000), null);
  assert.equal(decodeZstd(Buffer.concat([small, greedy]), 1_000_000), null);
  assert.equal(decodeZstd(Buffer.from('<html>not zstd</html>'), 1_000), null);
  assert.equal(decodeZstd(Buffer.from('28b52ffd', 'hex'), 1_000), null);
});
