import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { surtOf } from '../../../../services/extras/archive/surt.ts';

// The old loop over the whole URL, once for each level, took minutes for it.
test('nested escapes are decoded completely, a hundred thousand deep', () => {
  assert.equal(surtOf(`http://www.a.test/%${'25'.repeat(100_000)}41`), 'test,a)/a');
});

test('the last of several session ids is removed, whatever the rest looks like', () => {
  const session = 'abcdefghijklmnopqrstuvwx';
  assert.equal(surtOf(`http://a.test/(${session})/x/(${session})/b.aspx?C=1`), `test,a)/(${session})/x/b.aspx?c=1`);
  assert.equal(surtOf(`http://a.test/(${session})/b.htm`), `test,a)/(${session})/b.htm`);
  assert.equal(surtOf('http://a.test/?xcfid=1&cftoken=2&z=3'), 'test,a)/?xz=3');
});

test('the arguments of a query are ordered by name and value, one without a value first', () => {
  assert.equal(surtOf('http://a.test/?b=2&a&a=1&B=1'), 'test,a)/?a&a=1&b=1&b=2');
  assert.equal(surtOf('http://a.test/?B'), 'test,a)/?b');
  assert.equal(surtOf('http://a.test/?'), 'test,a)/');
  assert.equal(surtOf('http://a.test/?a=1&a='), 'test,a)/?a=&a=1');
});

test('hosts are reversed without www, with a port that is not the usual one', () => {
  assert.equal(surtOf('http://www2.a.test/'), 'test,a)/');
  assert.equal(surtOf('https://a.test:8443/x/'), 'test,a:8443)/x');
  assert.equal(surtOf('http://a.test:443/'), 'test,a:443)/');
  assert.equal(surtOf('https://a.test:80/'), 'test,a:80)/');
});

test('dots and empty segments of a path are removed, also if they were escaped', () => {
  assert.equal(surtOf('http://a.test/a//b/%2e%2e/c/%2E/d'), 'test,a)/a/c/d');
  assert.equal(surtOf('http://a.test/a/%20b%C3%BC'), 'test,a)/a/%20b%c3%bc');
});

test('a session in a path is removed before an .aspx page, unless a query precedes it', () => {
  const session = '(S(abcdefghijklmnopqrstuvwx))';
  assert.equal(surtOf(`http://a.test/${session}/b.aspx`), 'test,a)/b.aspx');
  assert.equal(surtOf(`http://a.test/${session}/b%3Fc.aspx`), `test,a)/${session.toLowerCase()}/b?c.aspx`);
});

test('keys are those of the package surt 0.3.1, for hosts, segments, sessions and arguments of all kinds', () => {
  const text = readFileSync(new URL('surt-keys.json', import.meta.url), 'utf8');
  const known = JSON.parse(text) as readonly (readonly [url: string, key: string])[];
  assert.ok(known.length > 300);
  for (const [url, key] of known) assert.equal(surtOf(url), key, url);
});
