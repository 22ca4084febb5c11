/** Spans on their way to a collector, which the test plays: what arrives, and what becomes of spans that it refuses. */
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { openOtlpSink } from '../../../../services/runtime/tracing/otlp-sink.ts';
import type { Span } from '../../../../services/runtime/tracing/spans.ts';

async function collector(t: TestContext, status: number) {
  const got: { readonly path: string | undefined; readonly body: Buffer }[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    got.push({ path: request.url, body: Buffer.concat(chunks) });
    response.writeHead(status).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return { got, endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

const context = (digit: string) => ({ traceId: digit.repeat(32), spanId: digit.repeat(16) });
const span = (more: Partial<Span> = {}): Span => ({
  ...{ name: 'fetch', span: context('a'), parent: context('b'), links: [context('c')], kind: 'client' },
  ...{ startMs: 1_700_000_000_250, endMs: 1_700_000_001_500, attributes: { 'url.full': 'http://a.test/' }, error: '' },
  ...more,
});
/** A fixed field of 64 bits, as protobuf writes it: nanoseconds. */
const nanoseconds = (ms: number) => {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(BigInt(ms) * 1_000_000n);
  return bytes;
};
const hex = (digit: string, digits: number) => Buffer.from(digit.repeat(digits), 'hex');

async function sent(t: TestContext, endpoint: string, spans: readonly Span[]) {
  const trouble: string[] = [];
  const resource = { 'service.name': 'crawlstream-test', 'service.version': '1.2.3' };
  const sink = openOtlpSink({ endpoint, resource, onTrouble: (text) => trouble.push(text) });
  t.after(() => sink.close());
  for (const one of spans) sink.sink(one);
  await sink.close();
  return { counts: { ...sink.counts }, trouble };
}

test('a span reaches the collector with its ids, times, attributes and the process that made it', async (t) => {
  const { got, endpoint } = await collector(t, 200);
  const failed = span({ name: 'decide', kind: 'consumer', parent: null, links: [], error: 'no answer' });
  const { counts, trouble } = await sent(t, `${endpoint}/`, [span(), failed]);
  assert.deepEqual([counts, trouble], [{ exported: 2, failed: 0 }, []]);
  assert.deepEqual(
    got.map(({ path }) => path),
    ['/v1/traces'],
  );
  const { body } = got[0]!;
  for (const text of ['fetch', 'decide', 'no answer', 'url.full', 'http://a.test/', 'crawlstream-test', '1.2.3'])
    assert.ok(body.includes(text), text);
  for (const [digit, digits] of [
    ['a', 32],
    ['a', 16],
    ['b', 16],
    ['c', 32],
  ] as const)
    assert.ok(body.includes(hex(digit, digits)), digit.repeat(digits));
  assert.ok(body.includes(nanoseconds(1_700_000_000_250)) && body.includes(nanoseconds(1_700_000_001_500)));
});

test('a span that ends before its start lasts no time', async (t) => {
  const { got, endpoint } = await collector(t, 200);
  await sent(t, `${endpoint}/v1/traces`, [span({ endMs: 1 })]);
  const [{ path, body } = { path: '', body: Buffer.alloc(0) }] = got;
  assert.equal(path, '/v1/traces');
  const start = nanoseconds(1_700_000_000_250);
  const first = body.indexOf(start);
  assert.ok(first >= 0 && body.indexOf(start, first + 8) > first, 'both its times');
  assert.equal(body.includes(nanoseconds(1)), false);
});

test('spans that the collector refuses are counted, and reported once', async (t) => {
  const { got, endpoint } = await collector(t, 400);
  const spans = Array.from({ length: 600 }, () => span());
  const { counts, trouble } = await sent(t, endpoint, spans);
  assert.deepEqual(counts, { exported: 0, failed: 600 });
  assert.ok(got.length > 1, 'in several exports');
  assert.equal(trouble.length, 1);
  assert.match(trouble[0]!, /^traces: http:.*\/v1\/traces accepts no spans \(.*\); continuing without$/);
});
