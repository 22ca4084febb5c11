/** Records of outcomes and requests. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { blankOutcome, blankRequest } from '../../../../schemas/blank.ts';
import type { HttpResponse } from '../../../../services/fetcher/http/client.ts';
import { outcomeOf, requestRecord, retryAfterMsOf } from '../../../../services/fetcher/http/outcomes.ts';

const response = (own: object) =>
  ({
    ...{ status: 200, headers: [], body: Buffer.from('12345'), startMs: 10, endMs: 20, connectMs: 3, firstByteMs: 4 },
    ...{ address: '192.0.2.1', ...own },
  }) as unknown as HttpResponse;

it('an outcome has only the fields that are given', () => {
  const plain = { index: 3, url: 'https://a.test/', kind: 'gone' } as const;
  assert.deepEqual(outcomeOf(3, 'https://a.test/', 'gone'), { ...blankOutcome, ...plain });
  const all = {
    ...{ status: 200, bytes: 1, truncated: true, contentHash: 'a', etag: 'b', lastModified: 'c', retryAfterMs: 2 },
    ...{ redirectUrl: 'd', links: 3, linksDropped: 4, noindex: true, soft404: true, textSignature: 'e', detail: 'f' },
    ...{ traceparent: 'g', originOnly: true, freshForMs: 5, price: 'h', licence: 'i', paid: 'j', tags: ['k'] },
  };
  assert.deepEqual(outcomeOf(3, 'https://a.test/', 'gone', all), { ...plain, ...all });
});

it('a request is recorded with its purpose and its outcome', () => {
  const purpose = { kind: 'page', outcomeIndex: 2, hop: 1, robotsHash: 'abc', robotsAtMs: 9 } as const;
  const made = requestRecord('https://a.test/', purpose, 1_000, response({}), 50);
  assert.deepEqual(made, {
    ...blankRequest,
    ...{ url: 'https://a.test/', ...purpose, startMs: 10, endMs: 20, connectMs: 3, firstByteMs: 4, status: 200 },
    ...{ address: '192.0.2.1', bytes: 5, delayMs: 1_000, addressDelayMs: 50 },
  });
  assert.equal(requestRecord('https://a.test/', purpose, 0, response({ unverified: true }), 0).unverified, true);
});

it('only an unsuccessful response can ask for a pause', () => {
  const purpose = { kind: 'page', outcomeIndex: -1, hop: 0, robotsHash: '', robotsAtMs: 0 } as const;
  const askedBy = (status: number, headers = ['retry-after', '7']) =>
    requestRecord('https://a.test/', purpose, 0, response({ status, headers }), 0).retryAfterMs;
  assert.deepEqual(
    [200, 299, 300, 429, 503].map((status) => askedBy(status)),
    [0, 0, 7_000, 7_000, 7_000],
  );
  assert.equal(askedBy(503, []), 0);
  assert.equal(askedBy(503, ['retry-after', 'soon']), 0);
  assert.equal(retryAfterMsOf(response({ headers: ['retry-after', '7'] })), 7_000);
});
