import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Access, type Call, refusalOf } from '../../../../services/runtime/http/access.ts';

const token = 'a-token-of-some-length';

function call(access: Access, more: Partial<Call> = {}): Call {
  const browser = { site: undefined, dest: undefined, marked: false };
  return {
    access,
    host: 'localhost:9464',
    origin: undefined,
    authorization: undefined,
    method: 'POST',
    ...browser,
    ...more,
  };
}

test('on loopback, only a Host that names this machine is answered', () => {
  const rules = { loopback: true, token: undefined };
  for (const host of ['localhost', 'LOCALHOST:9464', '127.0.0.1:1', '127.9.9.9', '[::1]:9464']) {
    assert.equal(refusalOf(rules, call('read', { host })), null, host);
  }
  for (const host of ['evil.example', '127.0.0.1.evil.example', 'localhost.evil.example:80', '', undefined, '::1']) {
    assert.equal(refusalOf(rules, call('read', { host }))?.status, 403, host);
  }
});

test('beyond loopback, any Host may read, and nobody controls without a token', () => {
  const rules = { loopback: false, token: undefined };
  assert.equal(refusalOf(rules, call('read', { host: 'frontier-0:9464' })), null);
  assert.match(refusalOf(rules, call('control', { host: 'frontier-0' }))!.message, /CRAWLSTREAM_HTTP_TOKEN/);
});

test('with a token, control needs it, on loopback too, and nothing else does', () => {
  for (const loopback of [true, false]) {
    const rules = { loopback, token };
    const authorized = (text: string | undefined) => refusalOf(rules, call('control', { authorization: text }));
    assert.equal(authorized(`Bearer ${token}`), null);
    assert.equal(authorized(`bearer  ${token}`), null);
    for (const wrong of [
      undefined,
      '',
      token,
      'Bearer',
      `Bearer ${token}x`,
      `Bearer ${token.slice(0, -1)}`,
      'Bearer a',
      `Basic ${token}`,
      'Bearer ü',
    ]) {
      assert.equal(authorized(wrong)?.status, 401, wrong);
    }
    assert.equal(refusalOf(rules, call('read')), null);
    assert.equal(refusalOf(rules, call('open')), null);
  }
});

test('a web page of elsewhere controls nothing on loopback; a page of the service itself does', () => {
  const rules = { loopback: true, token: undefined };
  assert.equal(refusalOf(rules, call('control')), null);
  assert.equal(refusalOf(rules, call('control', { origin: 'http://localhost:9464' })), null);
  for (const origin of ['https://evil.example', 'http://localhost:1', 'null']) {
    assert.equal(refusalOf(rules, call('control', { origin }))?.status, 403, origin);
  }
});
