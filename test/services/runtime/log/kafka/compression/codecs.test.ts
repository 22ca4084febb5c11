import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import * as zlib from 'node:zlib';
import { TooMuchInside } from '../../../../../../services/runtime/log/kafka/compression/batch-codec.ts';
import {
  type Compressor,
  compressorOf,
  decompressorOf,
  loadCodecs,
} from '../../../../../../services/runtime/log/kafka/compression/codecs.ts';
import {
  type CompressionName,
  compressionNames,
} from '../../../../../../services/runtime/log/kafka/compression/names.ts';
import { CrawlstreamError } from '../../../../../../topology/errors.ts';

const phrase = 'the quick brown fox ';
const text = Buffer.from(phrase.repeat(150));
/** Compressed once, they hardly compress again. */
const lines = Buffer.from(Array.from({ length: 40_000 }, (_, i) => `${(i * 7_919) % 104_729}\n`).join(''));
const mega = 1 << 20;
const writesZstd = 'zstdCompressSync' in zlib;

const undo = (name: CompressionName, bytes: Buffer, bytesMax = mega) =>
  decompressorOf(compressionNames.indexOf(name), 't')(bytes, bytesMax);
const madeBy = (base64: string) => Buffer.from(base64, 'base64');

/** Of `text`, by the programs lz4 1.9 (independent blocks, all checksums, the length) and zstd 1.5. */
const reference = {
  lz4: madeBy('BCJNGHxAuAsAAAAAAAAPKgAAAP8FdGhlIHF1aWNrIGJyb3duIGZveCAUAP//////////////l1AgZm94ILp72/UAAAAAtQKrUw=='),
  zstd: madeBy('KLUv/WS4CuUAAKB0aGUgcXVpY2sgYnJvd24gZm94IAEAQnf+ZAK4Iil2'),
};

/** 20 MB of zeros, by zstd 1.5. */
const zstdZeros = madeBy(
  'KLUv/YRYAC0xAUwAAAgAAQD8/zkQAgIAEAACABAAAgAQAAIAEAACABAAAgAQAAIAEAACABAAAgAQAAIAEAACABAAAgAQAAIAEAACABAAAgAQAAIAEAACABAAAgAQAAIAEAACABAAAgAQAAIAEAACABAAAgAQAAIAEAACABAAAgAQAAIAEAACABAAAgAQAAIAEAACABAAAgAQAAIAEAACABAAAgAQAAIAEAACABAAAgAQAAIAEAACABAAAgAQAAIAEAACABAAAgAQAAIAEAACABAAAgAQAAIAEAACABAAAgAQAAIAEAACABAAAgAQAAIAEAACABAAAgAQAAIAEAACABAAAgAQAAIAEAACABAAAgAQAAIAEAACABAAAgAQAAIAEAACABAAAgAQAAIAEAACABAAAgAQAAIAEAACABAAAgAQAAIAEAACABAAAgAQAAIAEAACABAAAgAQAAIAEAACABAAAgAQAAIAEAACABAAAgAQAAIAEAACABAAAgAQAAIAEAACABAAAgAQAAIAEAACABAAAgAQAAIAEAACABAAAgAQAAIAEAACABAAAgAQAAIAEAACABAAAgAQAAIAEAACABAAAgAQAAIAEAACABAAAgAQAAIAEAACABAAAgAQAAIAEAACABAAAgAQAAIAEAACABAAAgAQAAIAEAACABAAAgAQAAIAEAACABAAAgAQAAIAEABEAAAAAQD9/8wLEAIAEAACABAAAgAQAAIAEAACABAAAgAQAAIAEAACABAAAgAQAAIAEAACABAAAgAQAAIAEAACABAAAgAQAAIAEAACABAAAgAQAAIAEAACABAAAgAQAAIAEAACABAAA2gJACH3UNk=',
);

/** snappy's format description: the length, then `length - 1 << 2` and so many bytes as they are. */
const snappyBlock = (bytes: Buffer) => Buffer.concat([Buffer.from([bytes.length, (bytes.length - 1) << 2]), bytes]);
/** As snappy-java's streams write blocks. */
const framed = (...blocks: readonly Buffer[]) =>
  Buffer.concat([
    Buffer.from('\x82SNAPPY\0\0\0\0\x01\0\0\0\x01', 'latin1'),
    ...blocks.flatMap((block) => [Buffer.from([0, 0, 0, block.length]), block]),
  ]);
const compressed = {
  gzip: zlib.gzipSync(text),
  snappy: framed(snappyBlock(text.subarray(0, 50)), snappyBlock(text.subarray(50, 60))),
  lz4: reference.lz4,
  zstd: reference.zstd,
} as const;
const names = ['gzip', 'snappy', 'lz4', 'zstd'] as const;

describe('codecs of record batches', () => {
  before(loadCodecs);

  for (const name of names) {
    it(`${name} decompresses what it compressed, of any size`, () => {
      if (name === 'zstd' && !writesZstd) {
        assert.throws(() => compressorOf(name), { code: 'UNSUPPORTED', message: /zstd needs Node 22\.15/ });
        return;
      }
      const { compress } = compressorOf(name) as Compressor;
      const long = Buffer.alloc(900_000, phrase);
      for (const bytes of [Buffer.alloc(0), Buffer.from('a'), text, long, zlib.deflateRawSync(lines), lines]) {
        assert.ok(undo(name, Buffer.from(compress(bytes))).equals(bytes));
      }
      assert.ok(compress(long).length < long.length / 10);
    });
  }

  it('a codec reads what other programs write', () => {
    assert.ok(undo('lz4', reference.lz4).equals(text));
    assert.ok(undo('zstd', reference.zstd).equals(text));
    assert.ok(undo('snappy', snappyBlock(text.subarray(0, 60))).equals(text.subarray(0, 60)));
    assert.ok(undo('snappy', compressed.snappy).equals(text.subarray(0, 60)));
  });

  it('a codec yields no more than its limit, and says so', () => {
    const zeros = Buffer.alloc(2 * mega);
    const lz4 = compressorOf('lz4') as Compressor;
    const claims = Buffer.from([0x80, 0x80, 0x80, 0x80, 0x0f, 0]);
    for (const [name, bytes] of [
      ['gzip', zlib.gzipSync(zeros)],
      ['lz4', Buffer.from(lz4.compress(zeros))],
      ['zstd', zstdZeros],
      ['snappy', claims],
      ['snappy', framed(compressed.snappy.subarray(20, 72), claims)],
    ] as const) {
      assert.throws(() => undo(name, bytes), TooMuchInside, name);
    }
    // To the byte, where a codec says how much is in it.
    assert.equal(undo('gzip', compressed.gzip, text.length).length, text.length);
    assert.equal(undo('snappy', compressed.snappy, 60).length, 60);
    assert.throws(() => undo('snappy', compressed.snappy, 59), TooMuchInside);
  });

  it('a codec refuses cut data, wherever the cut is', () => {
    for (const name of names) {
      // Between two of its blocks, snappy of Java has no end to miss: the records in it do.
      const bytes = name === 'snappy' ? snappyBlock(text.subarray(0, 60)) : compressed[name];
      for (let length = 1; length < bytes.length; length++) {
        assert.throws(() => undo(name, bytes.subarray(0, length)), isOfTheBytes, `${name} cut at ${length}`);
      }
    }
  });

  it('a codec survives changed bytes: it throws, or yields data within the bound', () => {
    let state = 7;
    const random = (below: number) => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      return Math.floor((state / 2 ** 32) * below);
    };
    for (const name of names) {
      for (let i = 0; i < 500; i++) {
        const bytes = Buffer.from(compressed[name]);
        for (let flips = 1 + random(4); flips > 0; flips--) bytes[random(bytes.length)] = random(256);
        try {
          assert.ok(undo(name, bytes).length <= mega);
        } catch (error) {
          assert.ok(isOfTheBytes(error), `${name}: ${error}`);
        }
      }
    }
  });
});

function isOfTheBytes(error: unknown): boolean {
  return error instanceof Error && !(error instanceof CrawlstreamError) && !(error instanceof assert.AssertionError);
}

describe('lz4 frames by hand, from the format’s own description', () => {
  /** A frame of one block. `size`: its length as written; `blockMax`: 4 for 64 KiB, 5 for 256 KiB. */
  const frameOf = (block: Buffer, size: number, blockMax: number) => {
    const head = Buffer.from([0x04, 0x22, 0x4d, 0x18, 0x60, blockMax << 4, 0, 0, 0, 0, 0]);
    head.writeUInt32LE(size, 7);
    return Buffer.concat([head, block, Buffer.alloc(4)]);
  };
  const plainBit = 2 ** 31;
  /** One literal `a`, then the same byte again, and five literals, as each block ends. */
  const repeated = (times: number) => {
    const extra = times - 4 - 15;
    const lengths = [...Array<number>(Math.floor(extra / 255)).fill(255), extra % 255];
    return Buffer.from([0x1f, 0x61, 1, 0, ...lengths, 0x50, ...Buffer.from('aaaaa')]);
  };

  it('a block that is not compressed is returned as it is, and written so if it does not compress', () => {
    const bytes = Buffer.from('abcde');
    assert.equal(undo('lz4', frameOf(bytes, plainBit + bytes.length, 4)).toString(), 'abcde');
    const written = Buffer.from((compressorOf('lz4') as Compressor).compress(bytes));
    assert.equal(written.readUInt32LE(7), plainBit + bytes.length);
  });

  it('a block expands to the size that its frame allows, and not beyond', () => {
    const [fits, tooLarge] = [repeated(65_536 - 6), repeated(65_536 - 5)];
    assert.equal(undo('lz4', frameOf(fits, fits.length, 4)).length, 65_536);
    assert.throws(() => undo('lz4', frameOf(tooLarge, tooLarge.length, 4)));
    assert.equal(undo('lz4', frameOf(tooLarge, tooLarge.length, 5)).length, 65_537);
  });
});
