import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { fingerprintKey } from '../../../../lab/simulation/driver.ts';
import { QueueSizes } from '../../../../topology/frontier/ask/queue-sizes.ts';
import { frontierLimits } from '../../../../topology/frontier/frontier-limits.ts';
import { FrontierState } from '../../../../topology/frontier/state/state.ts';

function admit(state: FrontierState, hostKey: string, count: number, frontQueue = 3) {
  const entries = Array.from({ length: count }, (_, n) => {
    return { url: `https://${hostKey}/${n}`, depth: 1, hop: 0, attempts: 0, expiries: 0, frontQueue };
  });
  state.apply({ kind: 'admit', hostKey, known: false, entries });
}

describe('the sizes of queues', () => {
  it('the sizes of queues count each host once, and give the longest queue and each front queue’s content', () => {
    const state = new FrontierState(fingerprintKey);
    admit(state, 'a.test', 5);
    admit(state, 'b.test', 40, 0);
    admit(state, 'b.test', 2, 7);
    admit(state, 'deferred.test', 100, 8);
    // All of its URLs are on lease: it waits for nothing.
    admit(state, 'leased.test', 1);
    const one = { leaseId: 1, hostKey: 'leased.test', again: 0, frontQueues: [[3, 1]] as const };
    state.apply({ kind: 'grant', ...one, deadlineMs: 1, delayMs: 0 });
    const sizes = new QueueSizes();
    sizes.look(state.hosts, 1_000);
    assert.deepEqual(sizes.spread, { hosts: 2, urlsOfOneMax: 42, byFrontQueue: [40, 0, 0, 5, 0, 0, 0, 2] });
  });

  it('the sizes of queues are sampled by a slice of the hosts a second, and reported per whole round', () => {
    const state = new FrontierState(fingerprintKey);
    const hosts = frontierLimits.queueHostsPerLook + 1;
    for (let n = 0; n < hosts; n++) admit(state, `h${n}.test`, 1);
    const sizes = new QueueSizes();
    const hostsListed = () => sizes.spread?.hosts;
    sizes.look(state.hosts, 1_000);
    sizes.look(state.hosts, 1_999);
    assert.equal(hostsListed(), undefined);
    sizes.look(state.hosts, 2_000);
    assert.equal(hostsListed(), hosts);
    admit(state, 'new.test', 9);
    sizes.look(state.hosts, 3_000);
    assert.equal(hostsListed(), hosts, 'of the last round');
    sizes.look(state.hosts, 4_000);
    assert.deepEqual([hostsListed(), sizes.spread?.urlsOfOneMax], [hosts + 1, 9]);
  });
});
