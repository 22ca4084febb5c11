import assert from 'node:assert/strict';
import { test } from 'node:test';
import { edgeKey, edgeValue, readEdges } from '../../../../topology/extras/graph/edge-row.ts';

test('an edge row returns its page and its links, sorted, each once', () => {
  const targets = [
    'http://b.test/x',
    'http://a.test/ünïcode',
    'http://b.test/x',
    'http://b.test/',
    'http://b.test/xyz/😀',
  ];
  const row = readEdges(edgeKey('a.test:8080', 'http://a.test:8080/p?q'), edgeValue(1_795_257_327_274, targets));
  assert.deepEqual(row, {
    host: 'a.test:8080',
    url: 'http://a.test:8080/p?q',
    fetchedAtMs: 1_795_257_327_274,
    targets: ['http://a.test/ünïcode', 'http://b.test/', 'http://b.test/x', 'http://b.test/xyz/😀'],
  });
  assert.deepEqual(readEdges(edgeKey('a', 'u'), edgeValue(0, [])).targets, []);
});

test('links to one host cost little more than their differences', () => {
  const targets = Array.from(
    { length: 42 },
    (_, i) => `https://www.example.org/articles/2026/11/story-${1000 + i * 7}`,
  );
  assert.ok(edgeValue(0, targets).length < 42 * 6);
});

test('a cut or invalid edge row is refused rather than misread', () => {
  const key = edgeKey('a', 'http://a/');
  const value = edgeValue(5, ['http://a/1', `http://a/${'2'.repeat(300)}`]);
  for (let end = 0; end < value.length; end++) assert.throws(() => readEdges(key, value.subarray(0, end)), RangeError);
  assert.throws(() => readEdges(Uint8Array.of(0x44, 0), value), RangeError);
});

test('keys put the pages of a host together', () => {
  const keys = [
    edgeKey('b', 'http://b/1'),
    edgeKey('a', 'http://a/2'),
    edgeKey('ab', 'http://ab/'),
    edgeKey('a', 'http://a/1'),
  ];
  const sorted = keys.map((key) => Buffer.from(key)).sort(Buffer.compare);
  assert.deepEqual(
    sorted.map((key) => key.toString().slice(1).split('\0')[0]),
    ['a', 'a', 'ab', 'b'],
  );
});
