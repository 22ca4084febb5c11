/** Whose failure it was. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Failed, faultOf } from '../../../topology/fetch/fault.ts';

const failed = (more: Partial<Failed>) =>
  faultOf({ kind: 'connectionFailed', status: 0, unreached: false, code: '', ...more });

describe('the side at fault', () => {
  it('the side at fault is the URL once a response began, whatever broke it off', () => {
    for (const kind of ['connectionFailed', 'tlsFailed', 'timeout', 'badResponse', 'throttled'] as const)
      assert.equal(failed({ kind, status: 200, code: 'ECONNRESET' }), 'url', kind);
  });

  it('the side at fault is unknown if a connection ended before any response', () => {
    for (const code of ['', 'ECONNRESET', 'EPIPE']) assert.equal(failed({ code }), 'unclear', code);
    assert.equal(failed({ kind: 'tlsFailed' }), 'unclear');
  });

  it('the side at fault is the host if nobody accepts a connection, or its name does not exist', () => {
    for (const code of ['', 'ECONNREFUSED', 'ETIMEDOUT', 'EHOSTUNREACH'])
      assert.equal(failed({ unreached: true, code }), 'host', code);
    for (const code of ['', 'ENOTFOUND', 'ENODATA'])
      assert.equal(failed({ kind: 'dnsFailed', unreached: true, code }), 'host', code);
  });

  it('the side at fault is ours if no name server answers, the network or a proxy is down, or we gave up', () => {
    for (const code of ['EAI_AGAIN', 'ESERVFAIL', 'ETIMEOUT', 'ECONNREFUSED'])
      assert.equal(failed({ kind: 'dnsFailed', unreached: true, code }), 'resolver', code);
    for (const code of ['ENETUNREACH', 'ENETDOWN', 'EADDRNOTAVAIL', 'EMFILE'])
      assert.equal(failed({ unreached: true, code }), 'network', code);
    assert.equal(failed({ kind: 'proxyFailed', unreached: true }), 'proxy');
    assert.equal(failed({ kind: 'aborted', unreached: true }), 'us');
  });
});
