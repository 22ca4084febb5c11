import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { decodeZstd as decode, decodeWholeZstd } from '../../../../services/runtime/zstd/decode.ts';
import { zstdFrames } from '../../../../services/runtime/zstd/frames.ts';
import { loadZstd } from '../../../../services/runtime/zstd/library.ts';
import { zstdLimits } from '../../../../services/runtime/zstd/zstd-limits.ts';

before(loadZstd);

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

it('zstd with several frames and skippable frames is decoded', () => {
  assert.deepEqual(decodeZstd(small, 1_000_000), { body: Buffer.from(text), truncated: false });
  const skippable = Buffer.concat([Buffer.from('502a4d1803000000', 'hex'), Buffer.from('abc')]);
  const twice = decodeZstd(Buffer.concat([small, skippable, small]), 1_000_000);
  assert.equal(twice?.body.toString(), text + text);
  assert.equal(twice?.truncated, false);
});

it('zstd yields no more than the caller asked for', () => {
  assert.equal(decodeZstd(small, 100)?.body.toString(), text.slice(0, 100));
  assert.equal(decodeZstd(small, 100)?.truncated, true);
  const before = process.cpuUsage();
  assert.equal(decodeZstd(bomb, 1_000_000)?.body.length, 1_000_000);
  assert.ok(process.cpuUsage(before).user < 1_000_000);
});

it('cut zstd yields its beginning', () => {
  const cut = decodeZstd(bomb.subarray(0, bomb.length - 40), 50_000_000);
  assert.equal(cut?.truncated, true);
  assert.ok(cut.body.length > 0 && cut.body.length < 20_000_000);
});

it('zstd with a large window, and other data, is refused', () => {
  // Window descriptor 0x70: 16 MiB; and a second frame that asks for it.
  const greedy = Buffer.from('28b52ffd00700100000000', 'hex');
  assert.equal(decodeZstd(greedy, 1_000), null);
  assert.equal(decodeZstd(Buffer.concat([small, greedy]), 1_000_000), null);
  assert.equal(decodeZstd(Buffer.from('<html>not zstd</html>'), 1_000), null);
  assert.equal(decodeZstd(Buffer.from('28b52ffd', 'hex'), 1_000), null);
});

it('zstd that does not match its checksum or header is damaged, and its output is kept', () => {
  const flipped = Buffer.from(small);
  flipped[flipped.indexOf('quick')]! ^= 1;
  const kept = decodeZstd(Buffer.concat([small, flipped, small]), 1_000_000);
  assert.equal(kept?.body.toString(), text + text.replaceAll('quick', 'puick'));
  assert.equal(kept?.truncated, true);
  assert.equal(decodeWholeZstd(flipped, 1_000_000, windowBytesMax), 'damaged');
  assert.equal(decodeWholeZstd(small, 1_000_000, windowBytesMax).toString(), text);
  // One segment of six bytes, and a block of five.
  const claims = Buffer.from('28b52ffd2006290000', 'hex');
  assert.equal(decodeWholeZstd(Buffer.concat([claims, Buffer.from('hello')]), 100, windowBytesMax), 'damaged');
  claims[5] = 5;
  assert.equal(decodeWholeZstd(Buffer.concat([claims, Buffer.from('hello')]), 100, windowBytesMax).toString(), 'hello');
});

it('zstd with many small frames or blocks is decoded up to a count, whatever windows they ask for', () => {
  // Nine bytes: a window of 8 MiB, and an empty last block.
  const frame = Buffer.from('28b52ffd0068010000', 'hex');
  const attack = Buffer.concat([small, ...Array<Buffer>(6_666).fill(frame)]);
  assert.equal(zstdFrames(attack, windowBytesMax)?.frames.length, zstdLimits.framesMax);
  assert.deepEqual(decodeZstd(attack, 1_000_000), { body: Buffer.from(text), truncated: true });
  assert.equal(decodeWholeZstd(attack, 1_000_000, windowBytesMax), 'damaged');
  const skippable = Buffer.from('502a4d1800000000', 'hex');
  assert.equal(zstdFrames(Buffer.concat(Array<Buffer>(10_000).fill(skippable)), windowBytesMax)?.isCut, true);
  // Blocks of one byte each, not the last.
  const blocks = Buffer.concat([frame.subarray(0, 6), ...Array<Buffer>(50_000).fill(Buffer.from('08000041', 'hex'))]);
  assert.equal(zstdFrames(blocks, windowBytesMax)?.frames[0]?.blocks.length, zstdLimits.blocksMax);
  const begun = decodeZstd(blocks, 1_000_000);
  assert.deepEqual([begun?.body.length, begun?.truncated], [zstdLimits.blocksMax, true]);
});

it('zstd that needs a dictionary is refused, and one that names none is decoded', () => {
  // A single segment with a byte for the dictionary, the size of the content, and one raw block.
  const frame = (dictionary: number) =>
    Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0x21, dictionary, 3, 25, 0, 0, 97, 98, 99]);
  assert.equal(decodeZstd(frame(0), 100)?.body.toString(), 'abc');
  assert.equal(decodeZstd(frame(5), 100), null);
});

it('zstd that ends within the head of a skippable frame is cut there', () => {
  const head = Buffer.from('502a4d1803000000', 'hex');
  for (let bytes = 4; bytes < head.length; bytes++) {
    const cut = decodeZstd(Buffer.concat([small, head.subarray(0, bytes)]), 1_000_000);
    assert.deepEqual([cut?.body.toString(), cut?.truncated], [text, true], `${bytes}`);
    assert.equal(decodeZstd(head.subarray(0, bytes), 1_000), null);
  }
});
