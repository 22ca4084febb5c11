import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import {
  keyValues,
  nanoseconds,
  openOtlpPost,
  resourceOf,
  signalEndpoint,
} from '../../../../services/runtime/otlp/otlp-post.ts';

test('a signal goes to the URL of its own variable, or below the collector’s', () => {
  const metrics = (endpoint: string | undefined, env: Record<string, string> = {}) =>
    signalEndpoint('metrics', endpoint, env);
  assert.equal(metrics(undefined), undefined);
  assert.equal(metrics('http://c:4318'), 'http://c:4318/v1/metrics');
  assert.equal(metrics('http://c:4318/'), 'http://c:4318/v1/metrics');
  assert.equal(metrics('http://c:4318/base/'), 'http://c:4318/base/v1/metrics');
  assert.equal(metrics('http://c:4318/v1/traces'), 'http://c:4318/v1/metrics');
  assert.equal(metrics('http://c:4318/v1/traces/'), 'http://c:4318/v1/metrics');
  const all = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://all' };
  const own = { ...all, OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: 'http://own/as/is' };
  assert.equal(metrics(undefined, all), 'http://all/v1/metrics');
  assert.equal(metrics(undefined, own), 'http://own/as/is');
  assert.equal(signalEndpoint('logs', undefined, own), 'http://all/v1/logs');
  assert.equal(metrics('http://c', own), 'http://c/v1/metrics', 'an option goes before all variables');
  assert.equal(metrics(undefined, { OTEL_EXPORTER_OTLP_ENDPOINT: '' }), undefined);
});

test('a signal that is switched off is sent nowhere', () => {
  assert.equal(signalEndpoint('logs', 'http://c', { OTEL_SDK_DISABLED: 'true' }), undefined);
  assert.equal(signalEndpoint('logs', 'http://c', { OTEL_LOGS_EXPORTER: 'none' }), undefined);
  assert.equal(signalEndpoint('logs', 'http://c', { OTEL_METRICS_EXPORTER: 'none' }), 'http://c/v1/logs');
  assert.equal(signalEndpoint('logs', 'http://c', { OTEL_SDK_DISABLED: 'false' }), 'http://c/v1/logs');
});

async function collector(t: TestContext, statuses: number[]) {
  const got: {
    readonly method: string | undefined;
    readonly headers: Record<string, unknown>;
    readonly body: string;
  }[] = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    got.push({ method: request.method, headers: request.headers, body });
    response.writeHead(statuses.shift() ?? 200).end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  return { got, endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/logs` };
}

test('exports have the headers of all signals, after their own', async (t) => {
  const { got, endpoint } = await collector(t, []);
  const env = {
    OTEL_EXPORTER_OTLP_HEADERS: 'X-One=all, x-two = a%20b ,=none,broken,x-three=%zz',
    OTEL_EXPORTER_OTLP_LOGS_HEADERS: 'x-one=logs',
    OTEL_EXPORTER_OTLP_METRICS_HEADERS: 'x-one=metrics',
  };
  const post = openOtlpPost({ signal: 'logs', endpoint, env, onTrouble: (text) => assert.fail(text) });
  assert.equal(await post.send({ a: 'ü' }), true);
  const [{ method, headers, body } = assert.fail('nothing came')] = got;
  assert.deepEqual(
    [method, headers['content-type'], headers['x-one'], headers['x-two'], headers['x-three'], body],
    ['POST', 'application/json', 'logs', 'a b', '%zz', '{"a":"ü"}'],
  );
});

test('an export that does not arrive is logged once and is no error', async (t) => {
  const { endpoint } = await collector(t, [199 + 1, 299, 300, 503]);
  const reported: string[] = [];
  const post = openOtlpPost({ signal: 'metrics', endpoint, env: {}, onTrouble: (text) => reported.push(text) });
  const arrived = [];
  for (let n = 0; n < 4; n++) arrived.push(await post.send({}));
  assert.deepEqual(arrived, [true, true, false, false]);
  assert.deepEqual(reported, [`${endpoint} accepts no metrics (status 300); continuing without`]);
  const nobody = openOtlpPost({
    signal: 'logs',
    endpoint: 'http://127.0.0.1:1',
    env: {},
    onTrouble: (text) => reported.push(text),
  });
  assert.equal(await nobody.send({}), false);
  assert.match(reported[1]!, /^http:\/\/127\.0\.0\.1:1 accepts no logs \(.*ECONNREFUSED.*\); continuing without$/);
});

test('values have the types of the protocol; null values are left out', () => {
  assert.deepEqual(keyValues({ text: 'a', yes: true, whole: 7, part: 1.5, vast: 2 ** 60, none: null }), [
    { key: 'text', value: { stringValue: 'a' } },
    { key: 'yes', value: { boolValue: true } },
    { key: 'whole', value: { intValue: '7' } },
    { key: 'part', value: { doubleValue: 1.5 } },
    { key: 'vast', value: { doubleValue: 2 ** 60 } },
  ]);
});

test('a process is described by its own facts, by the variables, and by its name', () => {
  const reported = (env: Record<string, string>) =>
    Object.fromEntries(
      resourceOf({ 'service.name': 'crawlstream', crawl: 'c' }, env).attributes.map(({ key, value }) => [
        key,
        (value as { stringValue: string }).stringValue,
      ]),
    );
  assert.deepEqual(reported({}), { 'service.name': 'crawlstream', crawl: 'c' });
  assert.deepEqual(reported({ OTEL_RESOURCE_ATTRIBUTES: 'crawl=mine,team=a%2Cb,service.name=b' }), {
    ...{ 'service.name': 'b', crawl: 'mine', team: 'a,b' },
  });
  assert.deepEqual(
    reported({ OTEL_RESOURCE_ATTRIBUTES: 'service.name=b', OTEL_SERVICE_NAME: 'c' })['service.name'],
    'c',
  );
});

test('times are nanoseconds in whole microseconds', () => {
  assert.equal(nanoseconds(0), '0');
  assert.equal(nanoseconds(1_700_000_000_123.5), '1700000000123500000');
});
