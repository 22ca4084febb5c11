import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { blankResponse } from '../../../../schemas/blank.ts';
import type { Response } from '../../../../schemas/types.ts';
import { type Archived, type Met, recordsOfResponse } from '../../../../services/extras/archive/response-records.ts';

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
const archived = (more: Partial<Response> = {}, met?: Met) =>
  recordsOfResponse({ ...response, ...more }, 't/0/7', '<urn:info>', 'sha256:xx', met) as Required<Archived>;
const text = (block: Uint8Array) => Buffer.from(block).toString('latin1');
const field = (fields: readonly (readonly [string, string])[], name: string) =>
  fields.find(([one]) => one.toLowerCase() === name.toLowerCase())?.[1];

describe('the records of a response', () => {
  it('the records of a response hold the request as it was sent', () => {
    const { request } = archived();
    assert.equal(request.type, 'request');
    assert.equal(
      text(request.block),
      'GET /p/q?r=1 HTTP/1.1\r\nhost: a.test:8080\r\nuser-agent: x\r\naccept: */*\r\n\r\n',
    );
    const { request: bare } = archived({ url: 'https://b.test', requestHeaders: [] });
    assert.equal(text(bare.block), 'GET / HTTP/1.1\r\nhost: b.test\r\n\r\n');
  });

  it('the records of a response hold the response as it came, except a removed transfer coding', () => {
    const { answer } = archived();
    assert.equal(answer.type, 'response');
    assert.equal(
      text(answer.block),
      'HTTP/1.1 200 OK\r\ncontent-type: text/html\r\nx-crawler-transfer-encoding: chunked\r\ncontent-encoding: gzip\r\n\r\nbody',
    );
    // Only a name, not a value.
    const { answer: odd } = archived({ status: 799, headers: ['x', 'transfer-encoding'] });
    assert.equal(text(odd.block), 'HTTP/1.1 799 Unknown\r\nx: transfer-encoding\r\n\r\nbody');
  });

  it('the records of a response name the address, the payload and whether it was cut', () => {
    const { request, answer } = archived({ truncated: true });
    assert.equal(field(request.fields, 'WARC-IP-Address'), '10.0.0.1');
    assert.equal(field(answer.fields, 'WARC-IP-Address'), '10.0.0.1');
    assert.equal(field(answer.fields, 'WARC-Payload-Digest'), 'sha256:xx');
    assert.equal(field(answer.fields, 'WARC-Truncated'), 'length');
    const { answer: plain } = archived({ address: '' });
    assert.equal(field(plain.fields, 'WARC-IP-Address'), undefined);
    assert.equal(field(plain.fields, 'WARC-Truncated'), undefined);
    assert.equal(field(plain.fields, 'WARC-Profile'), undefined);
  });

  it('the records of a response with a known payload hold the headers and a reference', () => {
    const { answer } = archived(
      { truncated: true },
      {
        ...{ url: 'http://b.test/', atMs: Date.UTC(2025, 5, 6), digest: 'sha256:xx' },
        profile: 'identical-payload-digest',
      },
    );
    assert.equal(answer.type, 'revisit');
    assert.ok(text(answer.block).endsWith('content-encoding: gzip\r\n\r\n'));
    assert.equal(field(answer.fields, 'WARC-Refers-To-Target-URI'), 'http://b.test/');
    assert.match(field(answer.fields, 'WARC-Refers-To-Date')!, /^2025-06-06T00:00:00/);
    assert.match(field(answer.fields, 'WARC-Profile')!, /identical-payload-digest$/);
    assert.equal(field(answer.fields, 'WARC-Truncated'), undefined);
    assert.equal(field(answer.fields, 'WARC-Payload-Digest'), 'sha256:xx');
  });

  it('the records of a response belong together: one file, one response, one moment, distinct ids', () => {
    const { request, answer, metadata } = archived();
    const records = [request, answer, metadata];
    for (const record of records) {
      assert.equal(record.url, response.url);
      assert.equal(record.atMs, response.fetchedAtMs - 77, 'when its capture began');
      assert.equal(field(record.fields, 'WARC-Warcinfo-ID'), '<urn:info>');
    }
    assert.equal(new Set(records.map(({ identity }) => identity)).size, 3);
    assert.equal(field(request.fields, 'WARC-Concurrent-To'), field(metadata.fields, 'WARC-Concurrent-To'));
    assert.equal(field(answer.fields, 'WARC-Concurrent-To'), undefined);
    assert.equal(text(metadata.block), 'fetchTimeMs: 77\r\n');
    assert.equal(metadata.type, 'metadata');
  });

  it('the records of a failed exchange hold what was sent, if anything, and the failure', () => {
    const failed = { status: 0, failure: 'dnsFailed', detail: 'no such\nname', headers: [], body: Buffer.alloc(0) };
    const unsent = archived({ ...failed, requestHeaders: [] });
    assert.deepEqual(Object.keys(unsent), ['metadata']);
    assert.match(text(unsent.metadata.block), /^failure: dnsFailed\r\nfailureDetail: no such name\r$/m);
    assert.equal(field(unsent.metadata.fields, 'WARC-Concurrent-To'), undefined);
    const sent = archived({ ...failed, failure: 'timeout' });
    assert.deepEqual(Object.keys(sent), ['request', 'metadata']);
  });

  it('the records of a response with a lost body say so, and claim no payload', () => {
    const { answer, metadata } = archived({ bodyFile: 'x', bodyBytes: 9, bodyDigest: 'ab', body: Buffer.alloc(0) });
    assert.equal(field(answer.fields, 'WARC-Payload-Digest'), undefined);
    assert.equal(field(answer.fields, 'WARC-Truncated'), 'unspecified');
    assert.match(text(metadata.block), /^bodyLost: /m);
  });

  it('the records of a response name the protocol, the spelling and what was left out', () => {
    const { request, answer, metadata } = archived({
      requestMethod: 'POST',
      requestTarget: '/p/q?r=1',
      requestHeaders: ['host', 'a.test:8080', 'cookie', '[redacted]', 'content-length', '4'],
      requestBody: Buffer.from('a=b!'),
      redacted: ['cookie'],
      protocols: ['h2', 'tls/1.3'],
      cipherSuite: 'TLS_AES_128_GCM_SHA256',
      statusText: 'Tout va bien',
      headerNames: ['Content-Type', 'Transfer-Encoding', 'content-ENCODING'],
      truncated: true,
      truncatedBy: 'time',
      kind: 'page',
      depth: 2,
      policyVersion: 4,
      policyHash: 'ab',
    });
    assert.equal(
      text(request.block),
      'POST /p/q?r=1 HTTP/1.1\r\nhost: a.test:8080\r\ncookie: [redacted]\r\ncontent-length: 4\r\n\r\na=b!',
    );
    assert.equal(
      text(answer.block),
      'HTTP/1.1 200 Tout va bien\r\nContent-Type: text/html\r\nx-crawler-transfer-encoding: chunked\r\ncontent-ENCODING: gzip\r\n\r\nbody',
    );
    for (const { fields } of [request, answer]) {
      assert.deepEqual(
        fields.filter(([name]) => name === 'WARC-Protocol').map(([, value]) => value),
        ['h2', 'tls/1.3'],
      );
      assert.equal(field(fields, 'WARC-Cipher-Suite'), 'TLS_AES_128_GCM_SHA256');
    }
    assert.equal(field(answer.fields, 'WARC-Truncated'), 'time');
    assert.equal(
      text(metadata.block),
      'fetchTimeMs: 77\r\nrequestedAs: page\r\ndepth: 2\r\nrequestRedacted: cookie\r\npolicyVersion: 4\r\npolicyHash: ab\r\n',
    );
  });
});
