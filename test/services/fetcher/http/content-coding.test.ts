import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { brotliCompressSync, constants, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { numbers } from '../../../../lab/web/random.ts';
import { decodeBody } from '../../../../services/fetcher/http/content-coding.ts';

const most = 1 << 20;

describe('a body labelled gzip that is not gzip', () => {
  it('a body labelled gzip that is plain text, also in UTF-16 of either order, is read as it is', async () => {
    for (const body of [
      Buffer.from('<html>plain</html>\t\r\n'),
      Buffer.concat([Buffer.of(0xff, 0xfe), Buffer.from('<html>', 'utf16le')]),
      Buffer.concat([Buffer.of(0xfe, 0xff), Buffer.from('<html>', 'utf16le').swap16()]),
    ]) {
      assert.deepEqual(await decodeBody(body, 'gzip', most), { body, truncated: false });
    }
  });

  it('a body labelled gzip is damaged if its first 512 bytes hold a byte that no text has', async () => {
    const text = Buffer.alloc(600, 'a');
    for (const byte of [0, 8, 0x0b, 0x0e, 0x1a, 0x1c, 0x1f]) {
      for (const at of [0, 511]) {
        const body = Buffer.from(text);
        body[at] = byte;
        const done = await decodeBody(body, 'gzip', most);
        assert.ok('error' in done && /damaged/.test(done.error), `${byte} at ${at}`);
      }
    }
    for (const byte of [9, 0x0a, 0x0c, 0x0d, 0x1b, 0x20]) {
      const body = Buffer.from(text);
      body[1] = byte;
      assert.ok(!('error' in (await decodeBody(body, 'x-gzip', most))), `${byte}`);
    }
    text[512] = 0;
    assert.ok(!('error' in (await decodeBody(text, 'gzip', most))));
    // One byte alone is no byte order mark.
    for (const two of [Buffer.of(0xff, 0), Buffer.of(0xfe, 0), Buffer.of(0, 0xff), Buffer.of(0, 0xfe)])
      assert.ok('error' in (await decodeBody(two, 'gzip', most)), two.toString('hex'));
  });
});

describe('a body that is called deflate', () => {
  const text = Buffer.from('<html>'.repeat(50));

  it('a body labelled deflate is read with or without a zlib header', async () => {
    for (const level of [0, 1, 6, 9])
      for (const body of [deflateSync(text, { level }), deflateRawSync(text, { level })])
        assert.deepEqual(await decodeBody(body, 'deflate', most), { body: text, truncated: false }, `level ${level}`);
  });
});

it('brotli is read', async () => {
  const text = Buffer.from('<html>'.repeat(50));
  assert.deepEqual(await decodeBody(brotliCompressSync(text), 'br', most), { body: text, truncated: false });
});

describe('a body longer than the limit', () => {
  it('a body is whole at the limit and cut one byte beyond it, coded and plain', async () => {
    const bytes = Buffer.alloc(1_000, 'b');
    for (const [coding, body] of [
      ['', bytes],
      ['identity', bytes],
      ['gzip', gzipSync(bytes)],
      ['gzip, gzip', gzipSync(gzipSync(bytes))],
    ] as const) {
      for (const [limit, length, truncated] of [
        [999, 999, true],
        [1_000, 1_000, false],
        [1_001, 1_000, false],
      ] as const) {
        const done = await decodeBody(body, coding, limit);
        assert.ok(!('error' in done), coding);
        assert.deepEqual([done.body.length, done.truncated], [length, truncated], `${coding || 'plain'} ${limit}`);
      }
    }
  });
});

/** That no coding makes smaller. */
function noise(bytes: number): Buffer {
  const next = numbers(7);
  const body = Buffer.alloc(bytes);
  for (let at = 0; at + 4 <= bytes; at += 4) body.writeUInt32LE(next() >>> 0, at);
  return body;
}

const codings = [
  ['gzip', gzipSync],
  ['deflate', deflateSync],
  ['deflate', deflateRawSync],
  ['br', (body: Buffer) => brotliCompressSync(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } })],
] as const;

describe('a large body', () => {
  const large = noise(600_000);
  const bomb = Buffer.alloc(3 << 20, 'z');

  for (const [coding, code] of codings) {
    it(`a large body in ${coding} is whole up to the limit, and cut there: ${code.name}`, async () => {
      const coded = code(large);
      for (const [limit, length, truncated] of [
        [200_000, 200_000, true],
        [262_144, 262_144, true],
        [524_288, 524_288, true],
        [599_999, 599_999, true],
        [600_000, 600_000, false],
        [9_000_000, 600_000, false],
      ] as const) {
        const done = await decodeBody(coded, coding, limit);
        assert.ok(!('error' in done));
        assert.deepEqual([done.body.length, done.truncated], [length, truncated], `${limit}`);
        assert.ok(done.body.equals(large.subarray(0, length)), `${limit}`);
      }
    });

    it(`a body that is small on the wire has the same limit: ${code.name}`, async () => {
      const coded = code(bomb);
      assert.ok(coded.length < 65_536);
      for (const [limit, truncated] of [
        [2 << 20, true],
        [3 << 20, false],
      ] as const) {
        const done = await decodeBody(coded, coding, limit);
        assert.ok(!('error' in done));
        assert.deepEqual([done.body.length, done.truncated], [limit, truncated]);
      }
    });
  }
});

describe('a stream that is cut', () => {
  const small = Buffer.from(Array.from({ length: 400 }, (_, n) => `line ${n * 7919}`).join(' '));

  for (const [coding, code] of codings)
    it(`a truncated stream yields its decoded beginning and is marked truncated: ${code.name}`, async () => {
      const coded = code(small);
      const done = await decodeBody(coded.subarray(0, coded.length - 30), coding, most);
      assert.ok(!('error' in done));
      assert.equal(done.truncated, true);
      assert.ok(done.body.length > 0 && done.body.length <= small.length);
      assert.ok(done.body.equals(small.subarray(0, done.body.length)));
    });

  it('a long gzip stream without the end of its data is detected as truncated', async () => {
    const large = noise(200_000);
    const coded = gzipSync(large);
    for (const [behind, truncated] of [
      [0, false],
      [9, true],
      [100_000, true],
    ] as const) {
      const done = await decodeBody(coded.subarray(0, coded.length - behind), 'gzip', most);
      assert.ok(!('error' in done));
      assert.equal(done.truncated, truncated, `${behind} bytes are missing`);
    }
  });
});

describe('a stream that is damaged', () => {
  it('a damaged stream without any output is an error that names its coding', async () => {
    const garbage = Buffer.concat([Buffer.of(0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3), Buffer.alloc(50, 0xff)]);
    const done = await decodeBody(garbage, 'gzip', most);
    assert.ok('error' in done && /^gzip stream is damaged: /.test(done.error));
    const large = await decodeBody(Buffer.alloc(100_000, 0xff), 'br', most);
    assert.ok('error' in large && /^br stream is damaged: /.test(large.error));
  });

  it('a damaged stream yields what was decoded before the damage', async () => {
    const large = noise(600_000);
    const coded = Buffer.from(gzipSync(large));
    coded.fill(0xff, coded.length - 50_000);
    const done = await decodeBody(coded, 'gzip', most);
    assert.ok(!('error' in done));
    assert.equal(done.truncated, true);
    let same = 0;
    while (same < large.length && done.body[same] === large[same]) same++;
    // The damage itself may look like data.
    assert.ok(same > large.length / 2, `${same} of ${done.body.length}`);
  });

  it('a damaged stream is not text, even if only its first or second byte is that of gzip', async () => {
    const text = Buffer.concat([Buffer.of(0x61, 0x8b), Buffer.from(' latin')]);
    assert.deepEqual(await decodeBody(text, 'gzip', most), { body: text, truncated: false });
    assert.ok('error' in (await decodeBody(Buffer.concat([Buffer.of(0x1f), Buffer.from('text')]), 'gzip', most)));
  });
});

describe('raw deflate', () => {
  it('raw deflate is distinguished from zlib by both of its first bytes', async () => {
    const data = Buffer.from('stored as it is');
    const lengths = Buffer.alloc(4);
    lengths.writeUInt16LE(data.length, 0);
    lengths.writeUInt16LE(~data.length & 0xffff, 2);
    // A stored block may have anything in the five bits behind its kind (RFC 1951 §3.2.4): 8 is zlib's method.
    const stored = Buffer.concat([Buffer.of(0x08), lengths, data, Buffer.of(1, 0, 0, 0xff, 0xff)]);
    assert.notEqual(stored.readUInt16BE(0) % 31, 0);
    assert.deepEqual(await decodeBody(stored, 'deflate', most), { body: data, truncated: false });
    let other = 0;
    for (let n = 0; n < 20_000 && other < 3; n++) {
      const body = Buffer.of(n & 0xff, (n >> 8) & 0xff, 1, 2, 3);
      const coded = deflateRawSync(body);
      if (coded.readUInt16BE(0) % 31 !== 0 || (coded[0]! & 0x0f) === 8) continue;
      other += 1;
      assert.deepEqual(await decodeBody(coded, 'deflate', most), { body, truncated: false });
    }
    assert.equal(other, 3, 'there are such');
  });
});

describe('an unknown content coding', () => {
  const text = Buffer.from('<title>T</title>');
  const no = [
    'UTF-8',
    'text/html',
    'binary',
    'chunked',
    '8bit',
    'x'.repeat(99),
    'UTF-8, ISO-8859-1',
    'none, utf8',
    '*',
    'compress',
  ];

  it('an unknown content coding leaves the bytes as they are, text or not', async () => {
    const image = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 1, 2]);
    for (const name of no) {
      assert.deepEqual(await decodeBody(text, name, most), { body: text, truncated: false }, name);
      if (name !== 'compress')
        assert.deepEqual(await decodeBody(image, name, most), { body: image, truncated: false }, name);
    }
  });

  it('an unknown content coding is skipped beside known ones', async () => {
    for (const name of ['UTF-8, gzip', 'gzip, binary', 'chunked, gzip, utf-8'])
      assert.deepEqual(await decodeBody(gzipSync(text), name, most), { body: text, truncated: false }, name);
  });

  it('a known coding that cannot be decoded here is an error if the body is not text', async () => {
    const done = await decodeBody(Buffer.of(0x1f, 0x9d, 0x90, 1, 2), 'x-compress', most);
    assert.deepEqual(done, { error: 'content coding x-compress is not known' });
  });
});

describe('text that is called by a coding', () => {
  it('text labelled with a coding is read as it is', async () => {
    for (const text of ['<title>T</title>', 'User-agent: *\nDisallow: /no\n', 'é'.repeat(40), 'x'.repeat(100_000)])
      for (const name of ['gzip', 'x-gzip', 'deflate', 'br', 'zstd']) {
        const done = await decodeBody(Buffer.from(text), name, most);
        assert.deepEqual(done, { body: Buffer.from(text), truncated: false }, `${name}: ${text.slice(0, 20)}`);
      }
  });
});

describe('several codings', () => {
  const text = Buffer.from('<html>'.repeat(50));

  it('several codings are decoded in reverse order, the last first', async () => {
    assert.deepEqual(await decodeBody(brotliCompressSync(gzipSync(text)), ' GZIP , br,', most), {
      body: text,
      truncated: false,
    });
    assert.deepEqual(await decodeBody(gzipSync(text), 'none, gzip, identity', most), { body: text, truncated: false });
  });

  it('several codings are an error if one of them fails or if there are too many', async () => {
    const broken = Buffer.concat([Buffer.of(0x1f, 0x8b, 8), Buffer.alloc(50, 0xff)]);
    assert.ok('error' in (await decodeBody(gzipSync(broken), 'gzip, gzip', most)));
    const names = Array.from({ length: 6 }, () => 'gzip').join(', ');
    assert.deepEqual(await decodeBody(text, names, most), { error: '6 content codings' });
  });

  it('several codings are truncated if any of them was', async () => {
    const coded = gzipSync(noise(2_000));
    for (const inner of [coded.subarray(0, coded.length - 30), coded] as const) {
      const done = await decodeBody(gzipSync(inner), 'gzip, gzip', most);
      assert.ok(!('error' in done));
      assert.equal(done.truncated, inner !== coded);
    }
  });
});

it('zstd is decoded, and damage in it is reported', async () => {
  // `zstd` of "hello": RFC 8878's frame of one raw block.
  const frame = Buffer.from('28b52ffd2005290000' + '68656c6c6f', 'hex');
  assert.deepEqual(await decodeBody(frame, 'zstd', most), { body: Buffer.from('hello'), truncated: false });
  const damaged = await decodeBody(Buffer.from('hel\x01lo'), 'zstd', most);
  assert.deepEqual(damaged, { error: 'zstd stream is damaged or asks for too much' });
});

describe('a stream with damage', () => {
  const text = Buffer.from(Array.from({ length: 2_000 }, (_, n) => `line ${n * 7919}`).join('\n'));
  const coders = [
    ['gzip', gzipSync],
    ['deflate', deflateSync],
    ['deflate', deflateRawSync],
    ['br', brotliCompressSync],
  ] as const;

  it('a stream with damage behind its end is whole', async () => {
    const tails = ['trailing garbage', 'x', '\x1f\x8b\x09garbage', '\n', '<!-- -->', '\0\0junk'];
    for (const [name, encode] of coders)
      for (const tail of tails)
        for (const plain of [text, text.subarray(0, 30), Buffer.concat(Array.from({ length: 9 }, () => text))]) {
          const done = await decodeBody(Buffer.concat([encode(plain), Buffer.from(tail, 'latin1')]), name, most);
          assert.deepEqual(done, { body: plain, truncated: false }, `${name}, ${JSON.stringify(tail)}`);
        }
  });

  it('a damaged stream yields its decoded beginning, however short, marked as partial', async () => {
    for (const [name, encode] of coders)
      for (const share of [0.3, 0.6, 0.9]) {
        const coded = Buffer.from(encode(text));
        const at = Math.floor(coded.length * share);
        coded.fill(0xff, at, at + 40);
        const done = await decodeBody(coded, name, most);
        assert.ok(!('error' in done), name);
        let same = 0;
        while (same < done.body.length && done.body[same] === text[same]) same++;
        assert.ok(same > text.length * (share - 0.2), `${name}: ${same} of ${text.length} at ${share}`);
        // Damage may also look like other data, of which brotli has no checksum.
        if (name === 'gzip') assert.equal(done.broken, true);
      }
  });

  it('a stream whose checksum alone is wrong yields all of its bytes', async () => {
    const coded = Buffer.from(gzipSync(text));
    coded[coded.length - 6]! ^= 1;
    assert.deepEqual(await decodeBody(coded, 'gzip', most), { body: text, truncated: true, broken: true });
  });
});

describe('a stream of any coding and length', () => {
  const random = numbers(7);
  const lines = Array.from({ length: 40_000 }, () => `Disallow: /${random().toString(16)}${random().toString(16)}\n`);
  const long = Buffer.from(lines.join(''));
  const short = long.subarray(0, 600);
  const codings = [
    ['gzip', gzipSync],
    ['deflate', deflateSync],
    ['deflate', deflateRawSync],
    ['br', brotliCompressSync],
  ] as const;

  it('a stream of any coding and length whose data end early, even by one byte, is broken and yields its beginning', async () => {
    for (const text of [short, long])
      for (const [name, encode] of codings) {
        const whole = encode(text);
        const sum = encode === gzipSync ? 8 : encode === deflateSync ? 4 : 0;
        for (const left of [sum + 1, sum + 8, Math.floor(whole.length / 2)]) {
          const done = await decodeBody(whole.subarray(0, whole.length - left), name, 2 * most);
          assert.ok(!('error' in done));
          const { body, truncated, broken } = done;
          assert.deepEqual([truncated, broken], [true, true], `${name}, ${left} bytes of ${whole.length} missing`);
          assert.ok(text.subarray(0, body.length).equals(body), 'nothing is made up');
        }
      }
  });

  it('a stream that lacks only its check sum, or a part of it, is whole', async () => {
    // FEXTRA, FNAME and FCOMMENT (RFC 1952 §2.3).
    const fields = Buffer.from([3, 0, 1, 2, 3, ...Buffer.from('name\0comment\0')]);
    const withFields = (text: Buffer) => {
      const coded = gzipSync(text);
      return Buffer.concat([coded.subarray(0, 3), Buffer.of(0x1c), coded.subarray(4, 10), fields, coded.subarray(10)]);
    };
    for (const text of [short, long]) {
      const streams = [gzipSync(text), withFields(text)].map((whole) => ['gzip', whole, 8] as const);
      for (const [name, whole, sum] of [...streams, ['deflate', deflateSync(text), 4] as const])
        for (let left = 1; left <= sum; left++) {
          const done = await decodeBody(whole.subarray(0, whole.length - left), name, 2 * most);
          assert.deepEqual(done, { body: text, truncated: false }, `${name}, ${left} bytes of ${whole.length} missing`);
        }
      const members = Buffer.concat([gzipSync(text), gzipSync(text).subarray(0, 30)]);
      const { broken } = (await decodeBody(members, 'gzip', 4 * most)) as { broken?: boolean };
      assert.equal(broken, true, 'a second member is cut');
    }
  });

  it('a zlib stream under the name gzip is read, and a gzip stream under the name deflate', async () => {
    for (const text of [short, long]) {
      assert.deepEqual(await decodeBody(deflateSync(text), 'gzip', 2 * most), { body: text, truncated: false });
      assert.deepEqual(await decodeBody(gzipSync(text), 'deflate', 2 * most), { body: text, truncated: false });
    }
  });

  it('a stream followed by other bytes is whole', async () => {
    for (const text of [short, long])
      for (const [name, encode] of codings) {
        const padded = Buffer.concat([encode(text), Buffer.alloc(40)]);
        assert.deepEqual(await decodeBody(padded, name, 2 * most), { body: text, truncated: false }, name);
      }
  });

  it('a stream that exceeds the limit is cut, not broken', async () => {
    for (const [name, encode] of codings) {
      const done = await decodeBody(encode(long), name, 1_000);
      assert.deepEqual(done, { body: long.subarray(0, 1_000), truncated: true }, name);
    }
  });

  it('a gzip stream of several members is one stream, however long', async () => {
    for (const text of [short, long]) {
      const members = Buffer.concat([gzipSync(text), gzipSync(Buffer.alloc(0)), gzipSync(text)]);
      const done = await decodeBody(members, 'gzip', 4 * most);
      assert.deepEqual(done, { body: Buffer.concat([text, text]), truncated: false });
    }
  });
});
