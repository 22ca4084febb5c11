import assert from 'node:assert/strict';
import { it } from 'node:test';
import { QueueShares } from '../../../../topology/frontier/budgets/queue-shares.ts';
import { budgetQueue } from '../../../../topology/frontier/queues/held-queues.ts';

const host = (id: number, key: string, frontSize: number, deferred = 0, opened: readonly number[] = []) => ({
  ...{ id, key },
  queue: { frontSize, sizeOf: (frontQueue: number) => (frontQueue === budgetQueue ? deferred : 0), opened },
});

it('a domain counts its hosts’ queued URLs, whatever their ports, and nobody else’s', () => {
  const shares = new QueueShares({ hi: 1, lo: 2 });
  shares.turn(true, true, [host(0, 'a.farm.test', 7)]);
  shares.settle(host(1, 'b.farm.test:8080', 5));
  shares.settle(host(2, '192.0.2.1', 3));
  for (let id = 3; id < 2_000; id++) shares.settle(host(id, `h${id}.other${id}.test`, 1));
  assert.deepEqual([shares.ofDomain('c.farm.test'), shares.ofDomain('192.0.2.1:8080')], [12, 3]);
  shares.settle(host(0, 'a.farm.test', 2));
  assert.equal(shares.ofDomain('farm.test'), 7);
});

it('a host with only deferred URLs may be opened, and open ones are distinguished, unless budgets decide when', () => {
  const shares = new QueueShares({ hi: 1, lo: 2 });
  shares.turn(true, true, []);
  shares.settle(host(0, 'a.test', 1, 9));
  assert.deepEqual([[...shares.drained], shares.opened], [[], 0]);
  shares.settle(host(0, 'a.test', 0, 9));
  assert.deepEqual([[...shares.drained], shares.opened], [[0], 0]);
  shares.settle(host(0, 'a.test', 0, 9, [budgetQueue]));
  assert.deepEqual([[...shares.drained], shares.opened], [[], 9]);
  shares.turn(true, false, [host(0, 'a.test', 0, 9)]);
  assert.deepEqual([[...shares.drained], shares.opened], [[], 0]);
  shares.turn(true, true, [host(0, 'a.test', 0, 9)]);
  assert.deepEqual([...shares.drained], [0]);
  shares.turn(false, true, []);
  assert.deepEqual([...shares.drained], [], 'nobody has a share any more');
});
