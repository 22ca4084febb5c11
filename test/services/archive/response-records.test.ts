import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { blankResponse } from '../../../schemas/blank.ts';
import type { Response } from '../../../schemas/types.ts';
import { recordsOfResponse } from '../../../services/archive/response-records.ts';

const response: Response = {
  ...blankResponse,
  url: 'http://a.test:8080/p/q?r=1',
  fetchedAtMs: Date.UTC(2026, 0, 2, 3, 4, 5),
  address: '10.0.0.1',
  status: 200,
  requestHeaders: ['user-agent', 'x', 'accept', '*/*'],
  headers: ['content-type', 'text/html', 'transfer-encoding', 'chunked', 'content-encoding', 'gzip'],
  body: Buffer.from('body'),
  durationMs: 77,
};
const archived = (more: Partial<Response> = {}, first?: { url: string; atMs: number }) =>
  recordsOfResponse({ ...response, ...more }, 't/0/7', '<urn:info>', 'sha256:xx', first);
const text = (block: Uint8Array) => Buffer.from(block).toString('latin1');
const field = (fields: readonly (readonly [string, string])[], name: string) =>
  fields.find(([one]) => one.toLowerCase() === name.toLowerCase())?.[1];

describe('the records of a response', () => {
  it('hold the request as it was sent', () => {
    const [request] = archived().records;
    assert.equal(request.type, 'request');
    assert.equal(
      text(request.block),
      'GET /p/q?r=1 HTTP/1.1\r\nhost: a.test:8080\r\nuser-agent: x\r\naccept: */*\r\n\r\n',
    );
    const [bare] = archived({ url: 'https://b.test', requestHeaders: [] }).records;
    assert.equal(text(bare.block), 'GET / HTTP/1.1\r\nhost: b.test\r\n\r\n');
  });

  it('hold the response with its body as it came, but for a transfer coding that is gone', () => {
    const { records, isRevisit } = archived();
    const [, answer] = records;
    assert.deepEqual([answer.type, isRevisit], ['response', false]);
    assert.equal(
      text(answer.block),
      'HTTP/1.1 200 OK\r\ncontent-type: text/html\r\nx-crawler-transfer-encoding: chunked\r\ncontent-encoding: gzip\r\n\r\nbody',
    );
    // Only a name, not a value.
    const [, odd] = archived({ status: 799, headers: ['x', 'transfer-encoding'] }).records;
    assert.equal(text(odd.block), 'HTTP/1.1 799 Unknown\r\nx: transfer-encoding\r\n\r\nbody');
  });

  it('say by which address, of which payload and whether it was cut', () => {
    const [request, answer] = archived({ truncated: true }).records;
    assert.equal(field(request.fields, 'WARC-IP-Address'), '10.0.0.1');
    assert.equal(field(answer.fields, 'WARC-IP-Address'), '10.0.0.1');
    assert.equal(field(answer.fields, 'WARC-Payload-Digest'), 'sha256:xx');
    assert.equal(field(answer.fields, 'WARC-Truncated'), 'length');
    const [, plain] = archived({ address: '' }).records;
    assert.equal(field(plain.fields, 'WARC-IP-Address'), undefined);
    assert.equal(field(plain.fields, 'WARC-Truncated'), undefined);
    assert.equal(field(plain.fields, 'WARC-Profile'), undefined);
  });

  it('of a payload that is there already, hold the headers and where it is', () => {
    const { records, isRevisit } = archived({ truncated: true }, { url: 'http://b.test/', atMs: Date.UTC(2025, 5, 6) });
    const [, answer] = records;
    assert.deepEqual([answer.type, isRevisit], ['revisit', true]);
    assert.ok(text(answer.block).endsWith('content-encoding: gzip\r\n\r\n'));
    assert.equal(field(answer.fields, 'WARC-Refers-To-Target-URI'), 'http://b.test/');
    assert.match(field(answer.fields, 'WARC-Refers-To-Date')!, /^2025-06-06T00:00:00/);
    assert.match(field(answer.fields, 'WARC-Profile')!, /identical-payload-digest$/);
    assert.equal(field(answer.fields, 'WARC-Truncated'), undefined);
    assert.equal(field(answer.fields, 'WARC-Payload-Digest'), 'sha256:xx');
  });

  it('belong together: one file, one response, one moment, ids of their own', () => {
    const { records } = archived();
    const [request, answer, metadata] = records;
    for (const record of records) {
      assert.equal(record.url, response.url);
      assert.equal(record.atMs, response.fetchedAtMs);
      assert.equal(field(record.fields, 'WARC-Warcinfo-ID'), '<urn:info>');
    }
    assert.equal(new Set(records.map(({ identity }) => identity)).size, 3);
    assert.equal(field(request.fields, 'WARC-Concurrent-To'), field(metadata.fields, 'WARC-Concurrent-To'));
    assert.equal(field(answer.fields, 'WARC-Concurrent-To'), undefined);
    assert.equal(text(metadata.block), 'fetchTimeMs: 77\r\n');
    assert.equal(metadata.type, 'metadata');
  });
});
