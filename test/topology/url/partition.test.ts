import assert from 'node:assert/strict';
import { test } from 'node:test';
import { murmur2, partitionOf } from '../../../topology/url/partition.ts';

const encoder = new TextEncoder();

test('murmur2 equals that of Kafka’s Java client', () => {
  // The vectors of org.apache.kafka.common.utils.UtilsTest.
  const vectors = {
    '21': -973932308,
    foobar: -790332482,
    'a-little-bit-long-string': -985981536,
    'a-little-bit-longer-string': -1486304829,
    lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8: -58897971,
    abc: 479470107,
  };
  for (const [text, hash] of Object.entries(vectors)) {
    assert.equal(murmur2(encoder.encode(text)), hash, text);
    assert.equal(partitionOf(text, 1_000), (hash & 0x7fffffff) % 1_000, text);
  }
});

test('the key is hashed as UTF-8 whatever its characters and length', () => {
  for (const key of ['', 'é', 'a€b', '😀.example', 'x'.repeat(512), 'x'.repeat(513), `${'x'.repeat(600)}é`]) {
    assert.equal(partitionOf(key, 97), (murmur2(encoder.encode(key)) & 0x7fffffff) % 97, key.slice(0, 20));
  }
});

test('keys spread evenly over partitions', () => {
  const counts = new Uint32Array(16);
  for (let i = 0; i < 16_000; i++) counts[partitionOf(`host${i}.example.org`, 16)]!++;
  for (const count of counts) assert.ok(count > 850 && count < 1150, `${[...counts]}`);
});
