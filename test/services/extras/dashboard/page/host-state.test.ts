import assert from 'node:assert/strict';
import { test } from 'node:test';
import { reasonText } from '../../../../../services/extras/dashboard/page/host-state.ts';

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
