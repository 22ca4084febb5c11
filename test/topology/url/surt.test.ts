import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isOfHosts, parseSurt } from '../../../topology/url/surt.ts';

test('a SURT prefix names a domain, a host, or a part of its paths', () => {
  const all = { scheme: '', port: '', path: '/' };
  for (const [text, wanted] of [
    ['(org,example,', { ...all, name: 'example.org', isOpen: true }],
    ['org,example,www,', { ...all, name: 'www.example.org', isOpen: true }],
    ['(ORG,Example,)', { ...all, name: 'example.org', isOpen: false }],
    ['(org,example)/', { ...all, name: 'example.org', isOpen: false }],
    ['(org,example,)/Docs/', { ...all, name: 'example.org', isOpen: false, path: '/Docs/' }],
    ['http://(org,example,', { ...all, name: 'example.org', isOpen: true, scheme: 'http://' }],
    [
      'https://(org,example,:8443)/a',
      { name: 'example.org', isOpen: false, scheme: 'https://', port: '8443', path: '/a' },
    ],
    ['(127.0.0.1:8080)/', { ...all, name: '127.0.0.1', isOpen: false, port: '8080' }],
  ] as const)
    assert.deepEqual(parseSurt(text), wanted, text);
});

test('a SURT in the wrong order, or without the end of its host, is refused, with the remedy', () => {
  for (const [text, says] of [
    ['(org,example', /write \(org,example, for subdomains too, or \(org,example,\)\//],
    ['www.example.org', /write \(org,example,www,/],
    ['http://www.example.org/', /it is not a SURT prefix/],
    ['(org,,example,', /it has no host/],
    ['(', /it has no host/],
    ['(org,example,:8080', /a port needs a complete host/],
  ] as const)
    assert.match(String(parseSurt(text)), says, text);
});

test('only a SURT without scheme and path covers whole hosts', () => {
  const whole = (text: string) => {
    const surt = parseSurt(text);
    assert.ok(typeof surt !== 'string', text);
    return isOfHosts(surt);
  };
  assert.deepEqual(['(org,a,', '(org,a,)/', '(org,a,:81)/'].map(whole), [true, true, true]);
  assert.deepEqual(['https://(org,a,', '(org,a,)/x'].map(whole), [false, false]);
});
