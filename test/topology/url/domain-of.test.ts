import assert from 'node:assert/strict';
import { test } from 'node:test';
import { domainOf } from '../../../topology/url/domain-of.ts';

test('the domain of a URL is registrable, without its port; of an address it is the address', () => {
  assert.equal(domainOf('https://www.news.example.co.uk:8443/a'), 'example.co.uk');
  assert.equal(domainOf('http://127.0.0.1:8080/a'), '127.0.0.1');
});
