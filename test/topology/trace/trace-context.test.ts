import assert from 'node:assert/strict';
import { test } from 'node:test';
import { admissionOf, admitSpan, leaseSpan, queueSpan } from '../../../topology/trace/journey.ts';
import { childOf, formatTraceparent, parseTraceparent } from '../../../topology/trace/trace-context.ts';
import { compileTracing } from '../../../topology/trace/tracing.ts';

const context = { traceId: '0af7651916cd43dd8448eb211c80319c', spanId: 'b7ad6b7169203331' };
const text = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

test('a trace context is read as it is written', () => {
  assert.equal(formatTraceparent(context), text);
  assert.deepEqual(parseTraceparent(text), context);
});

test('other flags and later versions are read as W3C Trace Context requires', () => {
  assert.deepEqual(parseTraceparent(text.replace(/01$/, '03')), context);
  assert.deepEqual(parseTraceparent(`${text.replace(/^00/, '01')}-more`), context);
  assert.deepEqual(parseTraceparent(text.replace(/^00/, 'cc')), context);
});

test('an unsampled or missing context is none', () => {
  const wrong = [
    '',
    text.replace(/01$/, '00'),
    text.replace(/^00/, 'ff'),
    `${text}-more`,
    text.toUpperCase(),
    text.replace(context.traceId, '0'.repeat(32)),
    text.replace(context.spanId, '0'.repeat(16)),
    text.slice(0, -1),
    `${text} `,
    'x'.repeat(55),
  ];
  for (const one of wrong) assert.equal(parseTraceparent(one), null, JSON.stringify(one));
});

test('the spans of a URL have the same ids wherever its fingerprint is known, and differ from all others', () => {
  const ids = new Set<string>();
  const note = ({ traceId, spanId }: typeof context) => {
    assert.match(traceId, /^[0-9a-f]{32}$/);
    assert.match(spanId, /^[0-9a-f]{16}$/);
    assert.ok(!ids.has(`${traceId} ${spanId}`), 'a span of its own');
    ids.add(`${traceId} ${spanId}`);
  };
  for (let url = 0; url < 500; url++) {
    const [hi, lo] = [Math.imul(url, 2_654_435_761) >>> 0, Math.imul(url + 7, 40_503) >>> 0];
    const admit = admitSpan(hi, lo);
    assert.deepEqual(admitSpan(hi, lo), admit);
    const [first, second] = [queueSpan(hi, lo, 1, false), queueSpan(hi, lo, 2, false)];
    for (const one of [admit, first, second, leaseSpan(first), leaseSpan(second)]) {
      assert.equal(one.traceId, admit.traceId, 'all attempts are one trace');
      note(one);
    }
    note(childOf(leaseSpan(first), 'fetch'));
    assert.deepEqual(admissionOf(second), { span: admit, isParent: true });
    const visit = queueSpan(hi, lo, 3, true);
    assert.notEqual(visit.traceId, admit.traceId, 'a later visit is a trace of its own');
    assert.equal(visit.traceId.slice(16), admit.traceId.slice(16), 'of the same URL');
    assert.deepEqual(admissionOf(visit), { span: admit, isParent: false });
  }
});

test('ids of zeros are never generated', () => {
  assert.notEqual(admitSpan(0, 0).traceId, '0'.repeat(32));
  assert.notEqual(admitSpan(0, 0).spanId, '0'.repeat(16));
});

test('a share of all URLs is traced, always the same ones, and all URLs of a named host', () => {
  const words = Array.from({ length: 20_000 }, (_, i) => Math.imul(i + 1, 2_654_435_761) >>> 0);
  const tenth = compileTracing({ ratio: 0.1, hosts: [] })!;
  const fifth = compileTracing({ ratio: 0.2, hosts: ['example.org'] })!;
  const some = words.filter((lo) => tenth.traces('a.test', lo));
  assert.ok(Math.abs(some.length - 2_000) < 100, `${some.length} of 20,000`);
  assert.ok(
    some.every((lo) => fifth.traces('a.test', lo)),
    'a larger share holds the smaller',
  );
  for (const host of ['example.org', 'www.example.org:8080']) assert.ok(words.every((lo) => fifth.traces(host, lo)));
  assert.ok(!words.every((lo) => fifth.traces('anexample.org', lo)));
  assert.ok(words.every((lo) => compileTracing({ ratio: 1, hosts: [] })!.traces('a.test', lo)));
  assert.ok(words.every((lo) => compileTracing({ ratio: 0, hosts: ['*'] })!.traces('a.test', lo)));
  assert.equal(compileTracing(undefined), null);
  assert.equal(compileTracing({ ratio: 0, hosts: [] }), null);
});
