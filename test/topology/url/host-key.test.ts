import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hostKeyOf, hostnameOf, partitionKeyOf } from '../../../topology/url/host-key.ts';
import { compileNormalizer } from '../../../topology/url/normalize.ts';
import { registrableDomain } from '../../../topology/url/registrable-domain.ts';
import { urlGenerator } from './url-generator.ts';

test('a host key is the host name, with its port if the URL has one', () => {
  assert.equal(hostKeyOf('http://a.org/x:80/'), 'a.org');
  assert.equal(hostKeyOf('https://a.org:8443/'), 'a.org:8443');
  assert.equal(hostKeyOf('http://127.0.0.1:8080/x'), '127.0.0.1:8080');
  assert.equal(hostKeyOf('http://[::1]/'), '[::1]');
  assert.equal(hostKeyOf('https://[2001:db8::1]:8443/'), '[2001:db8::1]:8443');
});

test('host keys with ports share the partition of their host name', () => {
  assert.equal(partitionKeyOf('a.org:8443', 'host'), 'a.org');
  assert.equal(partitionKeyOf('[::1]:8443', 'host'), '[::1]');
  assert.equal(partitionKeyOf('[::1]', 'host'), '[::1]');
});

test('by domain, subdomains share a partition; addresses and single labels have their own', () => {
  assert.equal(partitionKeyOf('www.a.co.uk:81', 'domain'), 'a.co.uk');
  assert.equal(partitionKeyOf('me.github.io', 'domain'), 'me.github.io');
  assert.equal(partitionKeyOf('127.0.0.1:8080', 'domain'), '127.0.0.1');
  assert.equal(partitionKeyOf('[::1]:8080', 'domain'), '[::1]');
  assert.equal(partitionKeyOf('localhost', 'domain'), 'localhost');
  assert.equal(partitionKeyOf('co.uk', 'domain'), 'co.uk');
});

test('a registrable domain needs a label below a public suffix', () => {
  assert.equal(registrableDomain('WWW.Example.COM'), 'example.com');
  assert.equal(registrableDomain('com'), null);
  assert.equal(registrableDomain('uk.com'), null);
  assert.equal(registrableDomain('b.c.kobe.jp'), 'b.c.kobe.jp');
  assert.equal(registrableDomain('1.2.3.4'), null);
});

test('keys cut out of normal URLs equal the parser’s', () => {
  const normalize = compileNormalizer();
  const { absolute } = urlGenerator(6);
  for (let i = 0; i < 30_000; i++) {
    const url = normalize(absolute());
    if (url === null) continue;
    const parsed = new URL(url);
    assert.equal(hostKeyOf(url), parsed.host, url);
    assert.equal(hostnameOf(url), parsed.hostname, url);
  }
});
