import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fingerprint } from '../../../topology/url/fingerprint.ts';

/** HalfSipHash-c-d, 64-bit output, as its reference code has it: slow and plain, over bytes. */
function halfSipHash(
  bytes: Uint8Array,
  keyHi: number,
  keyLo: number,
  c: number,
  d: number,
  mark = 0,
): [number, number] {
  const v = new Int32Array([keyLo, keyHi ^ 0xee, 0x6c796765 ^ keyLo ^ mark, 0x74656462 ^ keyHi]);
  const rotate = (x: number, n: number) => (x << n) | (x >>> (32 - n));
  const rounds = (n: number) => {
    for (; n > 0; n--) {
      v[0]! += v[1]!;
      v[1] = rotate(v[1]!, 5) ^ v[0]!;
      v[0] = rotate(v[0]!, 16);
      v[2]! += v[3]!;
      v[3] = rotate(v[3]!, 8) ^ v[2]!;
      v[0]! += v[3]!;
      v[3] = rotate(v[3]!, 7) ^ v[0]!;
      v[2]! += v[1]!;
      v[1] = rotate(v[1]!, 13) ^ v[2]!;
      v[2] = rotate(v[2]!, 16);
    }
  };
  const padded = new Uint8Array((bytes.length & ~3) + 4);
  padded.set(bytes);
  padded[padded.length - 1] = bytes.length;
  const view = new DataView(padded.buffer);
  for (let at = 0; at < padded.length; at += 4) {
    const word = view.getInt32(at, true);
    v[3]! ^= word;
    rounds(c);
    v[0]! ^= word;
  }
  v[2]! ^= 0xee;
  rounds(d);
  const first = (v[1]! ^ v[3]!) >>> 0;
  v[1]! ^= 0xdd;
  rounds(d);
  return [first, (v[1]! ^ v[3]!) >>> 0];
}

const [keyHi, keyLo] = [0x07060504, 0x03020100];

function print(text: string, hi = keyHi, lo = keyLo): [number, number] {
  const out = new Uint32Array(2);
  fingerprint(text, hi, lo, out);
  return [out[0]!, out[1]!];
}

test('the reference in this test gives the published HalfSipHash-2-4 vectors', () => {
  const vectors = [
    [0x591f8d21, 0xc83cb8b9],
    [0x122455be, 0x157338f8],
  ];
  for (const [length, vector] of vectors.entries()) {
    const bytes = Uint8Array.from({ length }, (_, i) => i);
    assert.deepEqual(halfSipHash(bytes, keyHi, keyLo, 2, 4), vector);
  }
});

test('a Latin-1 string is hashed by HalfSipHash-1-3 as its bytes, any other as its UTF-16 code units', () => {
  for (let length = 0; length < 300; length++) {
    const text = Array.from({ length }, (_, i) => String.fromCharCode((i * 37 + length) & 0xff)).join('');
    assert.deepEqual(print(text), halfSipHash(Buffer.from(text, 'latin1'), keyHi, keyLo, 1, 3), `${length}`);
    const wide = `${text}€`;
    assert.deepEqual(
      print(wide),
      halfSipHash(Buffer.from(wide, 'utf16le'), keyHi, keyLo, 1, 3, 0x5a),
      `${length} wide`,
    );
  }
});

test('every character counts, whatever its code and place', () => {
  const text = 'https://example.org/a/b/c?d=1';
  const seen = new Set([print(text).join()]);
  let made = 1;
  for (let at = 0; at < text.length; at++) {
    for (const char of ['\0', 'é', 'ũ', '\u0161', '\u6161', '\uffff']) {
      seen.add(print(text.slice(0, at) + char + text.slice(at + 1)).join());
      made++;
    }
  }
  assert.equal(seen.size, made);
});

test('a million structured URLs give a million fingerprints, under any key', () => {
  const out = new Uint32Array(2);
  const prints = new Float64Array(1_000_000);
  for (const [hi, lo] of [
    [0, 0],
    [keyHi, keyLo],
  ] as const) {
    for (let i = 0; i < prints.length; i++) {
      fingerprint(`https://host${i % 1000}.example.com/section/${i >> 10}/article-${i}.html`, hi, lo, out);
      // 53 of the 64 bits: a collision there has odds of 6 in 100,000.
      prints[i] = out[0]! * 2 ** 21 + (out[1]! >>> 11);
    }
    prints.sort();
    let collisions = 0;
    for (let i = 1; i < prints.length; i++) if (prints[i] === prints[i - 1]) collisions++;
    assert.equal(collisions, 0);
  }
});

test('each bit of the input and of the key flips each bit of the output half of the time', () => {
  const turned = new Uint32Array(64);
  const note = (a: [number, number], b: [number, number]) => {
    for (let bit = 0; bit < 64; bit++) if ((((a[bit >> 5]! ^ b[bit >> 5]!) >>> (bit & 31)) & 1) === 1) turned[bit]!++;
  };
  let trials = 0;
  for (let i = 0; i < 400; i++) {
    const text = `https://example.org/article-${i}`;
    const before = print(text);
    for (let bit = 0; bit < 8; bit++, trials += 3) {
      const at = (i + bit * 5) % text.length;
      note(
        before,
        print(text.slice(0, at) + String.fromCharCode(text.charCodeAt(at) ^ (1 << bit)) + text.slice(at + 1)),
      );
      note(before, print(text, keyHi ^ (1 << ((i + bit * 4) & 31)), keyLo));
      note(before, print(text, keyHi, keyLo ^ (1 << ((i + bit * 4) & 31))));
    }
  }
  for (const count of turned) assert.ok(Math.abs(count / trials - 0.5) < 0.03, `${count} of ${trials}`);
});
