import assert from 'node:assert/strict';
import { test } from 'node:test';
import { canBeRequested, reasonText } from '../../../../../services/extras/dashboard/page/host-state.ts';

const waiting = {
  ...{
    hold: '',
    deadUntilMs: null,
    leases: 0,
    queued: 60,
    deferred: 0,
    failures: 0,
    delayMs: 1_000,
    readyAtMs: 90_000,
  },
};

test('a host waits because its server fails, or because it asked for fewer requests', () => {
  const lastFailure = { kind: 'serverError', status: 500 };
  const reason = (more: object) => reasonText({ ...waiting, throttles: 2, ...more }, undefined, 0);
  assert.match(reason({ serverFails: true, lastFailure }), /^backed off 2 times: its server fails: .*500/);
  assert.equal(reason({ throttles: 1, serverFails: true }), 'backed off 1 time: its server fails');
  assert.equal(reason({ serverFails: false }), 'slowed down after 2 throttled answers');
  assert.equal(reason({}), 'slowed down after 2 throttled answers', 'an older frontier does not say');
});

test('a host at its limit says how many pages it has of how many', () => {
  const reason = (more: object) => reasonText({ ...waiting, throttles: 0, hold: 'limit', ...more }, undefined, 0);
  assert.equal(reason({ pages: 1_200, pagesMax: 1_200 }), '1,200 of 1,200 pages');
  assert.equal(reason({ pages: 3, pagesMax: null }), 'of bytes or of its domain');
  assert.equal(reason({ pages: 3, pagesMax: 5 }), 'of bytes or of its domain');
  assert.equal(reason({ pages: 3 }), '', 'an older frontier does not say');
});

test('hosts of a crawl that nobody runs wait for a process, and none has a next contact', () => {
  const reason = (phase: 'idle' | 'running' | 'quotaSpent') =>
    reasonText({ ...waiting, throttles: 0, readyAtMs: 0 }, { paused: false, phase }, 1);
  assert.deepEqual(
    [reason('idle'), reason('quotaSpent'), reason('running')],
    ['no process runs the crawl', 'the page quota is spent', 'for a fetcher'],
  );
  const asked = (phase: 'idle' | 'running' | 'quotaSpent' | 'done', paused = false) =>
    canBeRequested({ phase, paused });
  assert.deepEqual(
    [asked('idle'), asked('quotaSpent'), asked('done'), asked('running'), asked('running', true)],
    [false, false, false, true, false],
  );
});
