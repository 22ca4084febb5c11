import assert from 'node:assert/strict';
import { it } from 'node:test';
import { compileNames } from '../../../topology/url/name-set.ts';
import { isBlockedPort, portOf } from '../../../topology/url/ports.ts';
import { compileSuffixSet } from '../../../topology/url/suffix-set.ts';

it('the port of a URL is the one it names, or its scheme’s', () => {
  for (const [url, port] of [
    ['http://a.test/', 80],
    ['https://a.test/', 443],
    ['http://a.test', 80],
    ['https://a.test', 443],
    ['http://a:1/', 1],
    ['http://a.test:8080/x:99', 8080],
    ['https://a.test:65535', 65535],
    ['https://a.test:10/?:9/', 10],
    ['http://[::1]/', 80],
    ['http://[::1]:81/', 81],
    ['https://[2001:db8::25]/', 443],
    ['http://10.0.0.1/', 80],
    ['http://10.0.0.1:90/', 90],
    ['http://a9/', 80],
  ] as const)
    assert.equal(portOf(url), port, url);
});

it('ports of other protocols are blocked, and those beside them are not', () => {
  for (const port of [0, 1, 7, 22, 25, 110, 6000, 6665, 6669, 10080])
    assert.equal(isBlockedPort(port), true, `${port}`);
  for (const port of [2, 8, 80, 443, 6001, 6664, 6670, 8080, 10081, 65535])
    assert.equal(isBlockedPort(port), false, `${port}`);
});

it('a name is in a set by itself, or by how it begins', () => {
  const names = compileNames(['UTM_*', 'gclid', 'u']);
  for (const name of ['utm_', 'utm_source', 'gclid', 'u']) assert.equal(names.has(name), true, name);
  for (const name of ['utm', 'gclids', 'gcli', 'ut', 'x', '']) assert.equal(names.has(name), false, name);
  assert.equal(compileNames(['*']).has('anything'), true);
  assert.equal(compileNames([]).has('anything'), false);
});

it('a domain holds its subdomains, and no other name that ends like it', () => {
  const set = compileSuffixSet(['Example.org', '.net.', 'www.a.b']);
  for (const [host, by] of [
    ['example.org', 'example.org'],
    ['x.y.example.org', 'example.org'],
    ['anexample.org', null],
    ['org', null],
    ['a.net', 'net'],
    ['net', 'net'],
    ['a.b', null],
    ['x.www.a.b', 'www.a.b'],
    ['', null],
  ] as const)
    assert.equal(set.match(host), by, host);
  assert.equal(compileSuffixSet([]).match('a.b'), null);
});
