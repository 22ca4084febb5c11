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

test('on loopback, only requests with a local Host header are answered', () => {
  const rules = { loopback: true, token: undefined };
  for (const host of ['localhost', 'LOCALHOST:9464', '127.0.0.1:1', '127.9.9.9', '[::1]:9464']) {
    assert.equal(refusalOf(rules, call('read', { host })), null, host);
  }
  for (const host of ['evil.example', '127.0.0.1.evil.example', 'localhost.evil.example:80', '', undefined, '::1']) {
    assert.equal(refusalOf(rules, call('read', { host }))?.status, 403, host);
  }
});

test('beyond loopback, without a token, only probes are answered, unless metrics or reads are opened by name', () => {
  const host = 'frontier-0:9464';
  for (const [opened, answered] of [
    [undefined, ['public']],
    ['metrics', ['public', 'metrics']],
    ['reads', ['public', 'metrics', 'read']],
  ] as const) {
    const rules = { loopback: false, token: undefined, opened };
    const all = ['public', 'metrics', 'read', 'control'] as const;
    assert.deepEqual(
      all.filter((access) => refusalOf(rules, call(access, { host })) === null),
      answered,
    );
  }
  const rules = { loopback: false, token: undefined };
  assert.match(
    refusalOf(rules, call('read', { host }))!.message,
    /CRAWLSTREAM_HTTP_TOKEN, or add --http-open reads, and restart$/,
  );
  assert.match(refusalOf(rules, call('metrics', { host }))!.message, /--http-open metrics, and restart$/);
  assert.match(refusalOf(rules, call('control', { host }))!.message, /CRAWLSTREAM_HTTP_TOKEN/);
});

test('open reads are refused to a page whose host name was rebound to this service', () => {
  const rules = { loopback: false, token: undefined, opened: 'reads' } as const;
  for (const host of [
    ...[
      '10.0.0.7:9400',
      '[fd00::7]:9400',
      'localhost:9465',
      'dashboard',
      'f-0.f.crawl.svc.cluster.local:9400',
      'nas.local',
      'nas.local.:80',
      ...['a.home.arpa', 'a.internal', 'a.svc', 'a.localhost'],
    ],
    undefined,
  ]) {
    assert.equal(refusalOf(rules, call('read', { host })), null, host);
  }
  for (const host of [
    'evil.example',
    'evil.example.:9400',
    'local.evil.example',
    ...[
      'x.local.evil.example',
      'x.internal.evil.example',
      'x.home.arpa.evil.example',
      'evillocal.example',
      'a.notlocal',
    ],
    '10.0.0.7.evil.example',
    '',
    'a:b:c',
  ]) {
    assert.equal(refusalOf(rules, call('read', { host }))?.status, 403, host);
  }
});

test('with a token, all private routes need it beyond loopback; on loopback, only control does', () => {
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
    const reading = (more = {}) => refusalOf(rules, call('read', more))?.status;
    assert.equal(reading(), loopback ? undefined : 401);
    assert.equal(reading({ authorization: `Bearer ${token}`, host: loopback ? 'localhost' : 'c.example' }), undefined);
    assert.equal(refusalOf(rules, call('metrics'))?.status, loopback ? undefined : 401);
    assert.equal(refusalOf({ ...rules, opened: 'metrics' }, call('metrics')), null);
    assert.equal(refusalOf(rules, call('public')), null);
    assert.equal(refusalOf(rules, call('open')), null);
  }
});

test('a foreign web page controls nothing on loopback; the service’s own page does', () => {
  const rules = { loopback: true, token: undefined };
  assert.equal(refusalOf(rules, call('control')), null);
  assert.equal(refusalOf(rules, call('control', { origin: 'http://localhost:9464' })), null);
  for (const origin of ['https://evil.example', 'http://localhost:1', 'null']) {
    assert.equal(refusalOf(rules, call('control', { origin }))?.status, 403, origin);
  }
});

test('a GET with an effect needs the service’s page or the header; a foreign link has neither', () => {
  const rules = { loopback: true, token: undefined };
  for (const method of ['GET', 'HEAD']) {
    const got = (more: Partial<Call>) => refusalOf(rules, call('control', { method, ...more }))?.status;
    assert.equal(got({ site: 'same-origin' }), undefined);
    assert.equal(got({ marked: true }), undefined);
    for (const site of ['none', 'same-site', 'cross-site', undefined]) assert.equal(got({ site }), 403, site);
  }
});
