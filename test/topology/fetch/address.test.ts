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

it('text that is no address is blocked', () => {
  for (const text of ['', 'example.com', '1.2.3', '1.2.3.4.5', '01.2.3.4', '256.1.1.1', '8.8.8.8 ', '8.8..8']) {
    assert.equal(isBlockedAddress(text), true, text);
  }
});

it('a URL is judged by its host’s address, however oddly it is spelt', () => {
  const blocked = ['http://127.1/', 'http://2130706433/', 'http://0177.1/', 'http://0x7f.0.0.1./', 'http://①②⑦.⓪.⓪.①/'];
  blocked.push('http://a@10.0.0.1/', 'http://[::ffff:10.0.0.1]/', 'http://localhost/', 'http://x.LOCALHOST./', 'junk');
  for (const url of blocked) assert.equal(urlHasBlockedAddress(url), true, url);
  for (const url of ['http://8.8.8.8/', 'http://10.0.0.1@8.8.8.8/', 'http://example.com/', 'http://[2600::]/']) {
    assert.equal(urlHasBlockedAddress(url), false, url);
  }
});

it('allowed networks are reached, and no others', () => {
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

it('neighbours of every blocked range are public', () => {
  const ranges: readonly (readonly [blocked: readonly string[], open: readonly string[]])[] = [
    [['10.0.0.0'], ['9.255.255.255', '11.0.0.0']],
    [['100.64.0.0'], ['100.63.255.255', '99.64.0.0', '101.64.0.0']],
    [['127.0.0.1'], ['126.255.255.255', '128.0.0.1']],
    [['168.63.129.16'], ['168.63.129.15', '168.63.129.17', '168.63.128.16', '167.63.129.16']],
    [['169.254.0.0'], ['169.253.255.255', '168.254.0.0', '170.254.0.0']],
    [['172.16.0.0'], ['172.15.255.255', '171.16.0.0', '173.16.0.0']],
    [
      ['192.168.0.0', '192.0.0.1', '192.0.2.1', '192.88.99.1', '192.31.196.1', '192.52.193.1', '192.175.48.1'],
      [
        ...[
          '192.167.255.255',
          '191.168.0.0',
          '193.168.0.0',
          '192.1.0.1',
          '192.1.2.1',
          '192.0.1.1',
          '192.0.3.1',
          '192.88.98.1',
        ],
        ...[
          '192.87.99.1',
          '192.89.99.1',
          '192.31.195.1',
          '192.31.197.1',
          '192.30.196.1',
          '192.52.192.1',
          '192.52.194.1',
        ],
        ...[
          '192.53.193.1',
          '192.175.47.1',
          '192.175.49.1',
          '192.176.48.1',
          '192.169.0.1',
          '192.32.196.1',
          '192.51.193.1',
        ],
      ],
    ],
    [
      ['198.18.0.0', '198.19.0.0', '198.51.100.1'],
      [
        '198.17.255.255',
        '198.20.0.0',
        '198.50.100.1',
        '198.52.100.1',
        '198.51.99.1',
        '198.51.101.1',
        '197.18.0.0',
        '199.18.0.0',
      ],
    ],
    [['203.0.113.1'], ['203.0.112.255', '203.0.114.0', '203.1.113.1', '202.0.113.1', '204.0.113.1']],
    [['1fff:ffff::1'], ['2000::']],
    [
      ['2001::', '2001:1ff::1'],
      ['2000:1::', '2001:200::'],
    ],
    [['2001:db8::'], ['2001:db7::', '2001:db9::', '2003:db8::']],
    [['2002::'], ['2003::']],
    [
      ['3fff::', '3fff:fff::'],
      ['3fff:1000::', '3ffe::', '3ffe:fff::'],
    ],
    [['2620:4f:8000::1'], ['2620:4f:7fff::1', '2620:4f:8001::1', '2620:4e:8000::1', '2621:4f:8000::1']],
    [['4000::'], ['3fff:ffff::']],
  ];
  for (const [blocked, open] of ranges) {
    for (const address of blocked) assert.equal(isBlockedAddress(address), true, address);
    for (const address of open) assert.equal(isBlockedAddress(address), false, address);
  }
});

it('an address is four decimal numbers up to 255, written in one way', () => {
  for (const address of [
    '1.1.1.1',
    '100.200.100.200',
    '1.0.0.1',
    '8.8.8.0',
    '9.9.9.9',
    '199.199.199.255',
    '1.10.100.10',
  ])
    assert.equal(isBlockedAddress(address), false, address);
  for (const text of [
    ...[
      '1.1.1.01',
      '1.1.1.00',
      '1.1.01.1',
      '1.1.1.256',
      '1.256.1.1',
      '1.1.1.1.',
      '.1.1.1.1',
      '1.1.1.',
      '1..1.1',
      '1.1.1.1111',
    ],
    ...['1.1.1.1/', '1.1.1./', '1.1.1.:', '1.1.1', '1.1.1.1.1', '100.200.100.2000', '1111111', '1.1.1.a'],
  ])
    assert.equal(isBlockedAddress(text), true, text);
});

it('a URL with a host name is judged by its name’s address', () => {
  for (const url of [
    'http://localhost.example/',
    'http://alocalhost/',
    'http://localhosts/',
    'http://[2600::]:81/',
    'http://1.1.1.1:81/',
  ])
    assert.equal(urlHasBlockedAddress(url), false, url);
  for (const url of [
    'http://localhost:81/',
    'http://a.b.localhost/',
    'http://[fe80::1]/',
    'http://192.168.0.1:81/',
    'http://0.0.0.0/',
    'http://0/',
    '',
  ])
    assert.equal(urlHasBlockedAddress(url), true, url);
});

it('a guard may be open or closed, and a lone address is a network of one', () => {
  assert.deepEqual(['127.0.0.1', '8.8.8.8'].map(compileAddressGuard(true)), [false, false]);
  assert.deepEqual(['127.0.0.1', '8.8.8.8'].map(compileAddressGuard(false)), [true, false]);
  assert.deepEqual(['127.0.0.1', '8.8.8.8'].map(compileAddressGuard([])), [true, false]);
  const lone = compileAddressGuard(['127.0.0.2', '::1']);
  assert.deepEqual(['127.0.0.2', '127.0.0.3', '127.0.0.1', '::1', '::2', '::'].map(lone), [
    false,
    true,
    true,
    false,
    true,
    true,
  ]);
});
