import assert from 'node:assert/strict';
import { it } from 'node:test';
import { compileAddressGuard, isBlockedAddress, urlHasBlockedAddress } from '../../../topology/fetch/address.ts';

it('IPv4 ranges are blocked from their first address to their last, and not beyond', () => {
  const ranges = [
    ['0.0.0.0', '0.255.255.255', '1.0.0.0'],
    ['10.0.0.0', '10.255.255.255', '11.0.0.0'],
    ['100.64.0.0', '100.127.255.255', '100.128.0.0'],
    ['127.0.0.0', '127.255.255.255', '128.0.0.0'],
    ['169.254.0.0', '169.254.255.255', '169.255.0.0'],
    ['172.16.0.0', '172.31.255.255', '172.32.0.0'],
    ['192.0.0.0', '192.0.0.255', '192.0.1.0'],
    ['192.0.2.0', '192.0.2.255', '192.0.3.0'],
    ['192.88.99.0', '192.88.99.255', '192.88.100.0'],
    ['192.168.0.0', '192.168.255.255', '192.169.0.0'],
    ['198.18.0.0', '198.19.255.255', '198.20.0.0'],
    ['198.51.100.0', '198.51.100.255', '198.51.101.0'],
    ['203.0.113.0', '203.0.113.255', '203.0.114.0'],
  ] as const;
  for (const [first, last, next] of ranges) {
    assert.deepEqual([first, last, next].map(isBlockedAddress), [true, true, false], first);
  }
  assert.deepEqual(['223.255.255.255', '224.0.0.0', '255.255.255.255'].map(isBlockedAddress), [false, true, true]);
});

it('IPv6 that is not global unicast, or carries an IPv4 address, is blocked', () => {
  const blocked = ['::', '::1', '::ffff:8.8.8.8', '::ffff:7f00:1', '64:ff9b::808:808', '64:ff9b:1::1', '100::1'];
  blocked.push('2001::1', '2001:0:4136:e378::', '2001:2::1', '2001:db8::1', '2002:7f00:1::', '3fff::1', 'fc00::1');
  blocked.push('fd00:ec2::254', 'fe80::1', 'fe80::1%eth0', 'fec0::1', 'ff02::1', '4000::1', '[::1]', '::8.8.8.8');
  for (const address of blocked) assert.equal(isBlockedAddress(address), true, address);
  for (const address of ['2606:4700:4700::1111', '2001:4860:4860::8888', '2a00:1450::1', '[2600::]']) {
    assert.equal(isBlockedAddress(address), false, address);
  }
});

it('what is no address is blocked', () => {
  for (const text of ['', 'example.com', '1.2.3', '1.2.3.4.5', '01.2.3.4', '256.1.1.1', '8.8.8.8 ', '8.8..8']) {
    assert.equal(isBlockedAddress(text), true, text);
  }
});

it('a URL is judged by the address its host spells, however odd', () => {
  const blocked = ['http://127.1/', 'http://2130706433/', 'http://0177.1/', 'http://0x7f.0.0.1./', 'http://①②⑦.⓪.⓪.①/'];
  blocked.push('http://a@10.0.0.1/', 'http://[::ffff:10.0.0.1]/', 'http://localhost/', 'http://x.LOCALHOST./', 'junk');
  for (const url of blocked) assert.equal(urlHasBlockedAddress(url), true, url);
  for (const url of ['http://8.8.8.8/', 'http://10.0.0.1@8.8.8.8/', 'http://example.com/', 'http://[2600::]/']) {
    assert.equal(urlHasBlockedAddress(url), false, url);
  }
});

it('networks that are allowed are reached, and no others', () => {
  const blocked = compileAddressGuard(['10.1.0.0/16', '127.0.0.1', 'fd00::/8']);
  for (const address of ['10.1.2.3', '127.0.0.1', 'fd00::1', '93.184.215.14'])
    assert.equal(blocked(address), false, address);
  for (const address of ['10.2.0.1', '127.0.0.2', '::ffff:10.1.2.3', 'fe80::1', 'name']) {
    assert.equal(blocked(address), true, address);
  }
  for (const none of ['10.1.0.0/33', '10.1', 'all', '']) {
    assert.throws(() => compileAddressGuard([none]), { code: 'INVALID_ARGUMENT' }, none);
  }
});
