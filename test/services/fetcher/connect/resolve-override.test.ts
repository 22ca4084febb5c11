/** Names that are not looked up, by the most specific of what was said. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compileOverrides, parseResolveOverride } from '../../../../services/fetcher/connect/resolve-override.ts';

test('an override has a name, an optional port and an address', () => {
  for (const [text, host, port, address] of [
    ['A.Test:127.0.0.1', 'a.test', null, '127.0.0.1'],
    ['*:127.0.0.1', '*', null, '127.0.0.1'],
    ['*.a.test:8080:127.0.0.1', '*.a.test', 8_080, '127.0.0.1'],
    ['a.test:[::1]', 'a.test', null, '::1'],
    ['a.test:0:[FE80::1]', 'a.test', 0, 'FE80::1'],
    ['a.test:65535:1.2.3.4', 'a.test', 65_535, '1.2.3.4'],
  ] as const)
    assert.deepEqual(parseResolveOverride(text), { host, port, address }, text);
  for (const text of [
    ...['', 'a.test', 'a.test:', ':127.0.0.1', 'a.test:80', 'a.test:65536:127.0.0.1', 'a.test:123456:127.0.0.1'],
    ...[
      'a.test:256.0.0.1',
      'a.test:1.2.3',
      'a.test:::1',
      'a.test:[127.0.0.1',
      'a.test:[::g]',
      'a*:127.0.0.1',
      '*a:127.0.0.1',
    ],
    ...['a.test:x:127.0.0.1', 'a b:127.0.0.1', '[::1]:80:127.0.0.1', 'a.test:80:', 'a.test:127.0.0.1 '],
  ])
    assert.throws(() => parseResolveOverride(text), { code: 'INVALID_ARGUMENT' }, text);
});

test('an exact name wins over a suffix, a longer name over a shorter, a name with a port over one without', () => {
  const inOrder = [
    'x.a.test:80:10.0.0.1',
    'x.a.test:10.0.0.2',
    '*.a.test:80:10.0.0.3',
    '*.a.test:10.0.0.4',
    '*.test:80:10.0.0.5',
    '*.test:10.0.0.6',
    '*:80:10.0.0.7',
    '*:10.0.0.8',
  ];
  for (const all of [inOrder, [...inOrder].reverse()])
    for (let from = 0; from < inOrder.length; from++) {
      const kept = all.filter((text) => inOrder.indexOf(text) >= from);
      const find = compileOverrides(kept.map(parseResolveOverride));
      assert.equal(find('x.a.test', 80), inOrder[from]!.slice(-8), `${kept}`);
      const others = inOrder.filter((text, at) => at >= from && !text.includes(':80:'));
      assert.equal(find('x.a.test', 81), others[0]!.slice(-8));
    }
  assert.equal(compileOverrides([])('a.test', 80), undefined);
  const find = compileOverrides(['a.test:80:10.0.0.1', '*.b.test:10.0.0.2'].map(parseResolveOverride));
  assert.deepEqual(
    [find('a.test', 81), find('b.test', 80), find('xb.test', 80), find('x.b.test', 80)],
    [undefined, undefined, undefined, '10.0.0.2'],
  );
});
