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

/** The Fetch standard's table, https://fetch.spec.whatwg.org/#bad-port. */
const bad =
  '0-1 7 9 11 13 15 17 19-23 25 37 42-43 53 69 77 79 87 95 101-104 109-111 113 115 117 119 123 135 137 139 143 161 179 389 ' +
  '427 465 512-515 526 530-532 540 548 554 556 563 587 601 636 989-990 993 995 1719-1720 1723 2049 3659 4045 4190 ' +
  '5060-5061 6000 6566 6665-6669 6679 6697 10080';

it('ports of other protocols are blocked, and no others', () => {
  const ranges = bad.split(' ').map((range) => range.split('-').map(Number));
  for (let port = 0; port < 65_536; port++) {
    const isBad = ranges.some(([from, to]) => port >= from! && port <= (to ?? from!));
    assert.equal(isBlockedPort(port), isBad, `${port}`);
  }
});

it('a name is in a set by itself, or by its beginning', () => {
  const names = compileNames(['UTM_*', 'gclid', 'u']);
  for (const name of ['utm_', 'utm_source', 'gclid', 'u']) assert.equal(names.has(name), true, name);
  for (const name of ['utm', 'gclids', 'gcli', 'ut', 'x', '']) assert.equal(names.has(name), false, name);
  assert.equal(compileNames(['*']).has('anything'), true);
  assert.equal(compileNames([]).has('anything'), false);
});

it('a domain includes its subdomains, and no other name with its ending', () => {
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
