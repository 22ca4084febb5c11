import assert from 'node:assert/strict';
import { test } from 'node:test';
import { blankTask } from '../../../../schemas/blank.ts';
import type { Resolution } from '../../../../services/fetcher/connect/resolver.ts';
import { createNameGate } from '../../../../services/fetcher/leases/name-gate.ts';
import { taskUrls } from '../harness.ts';

const found: Resolution = { ok: true, addresses: ['192.0.2.1'], overridden: false };
const leaseOf = (host: string) => ({ ...blankTask, hostKey: host, urls: taskUrls(`http://${host}/`) });

function gate(resolve: (hostname: string) => Resolution | Promise<Resolution>) {
  const stopping = new AbortController();
  const resolver = { resolve, waiting: 0 };
  return { stopping, names: createNameGate({ resolver, waitingMax: 2, signal: stopping.signal }) };
}

test('a bounded number of leases with unresolved names waits; the next one returns while its name is looked up', async () => {
  const asked: string[] = [];
  const { names, stopping } = gate((hostname) => {
    asked.push(hostname);
    return hostname === 'known.test' ? found : new Promise(() => {});
  });
  const first = names.pass(leaseOf('a.dead.test'));
  void names.pass(leaseOf('b.dead.test'));
  assert.equal(await names.pass(leaseOf('c.dead.test')), false);
  assert.deepEqual(asked, ['a.dead.test', 'b.dead.test', 'c.dead.test']);
  assert.equal(names.pass(leaseOf('known.test')), undefined, 'a name that is known waits for nobody');
  stopping.abort();
  assert.equal(await first, false, 'a fetcher that stops waits for no name');
});

test('a lease goes on once its name is looked up, whatever the answer, and frees a place', async () => {
  let answer = (_: Resolution) => {};
  const { names } = gate(() => new Promise((resolve) => (answer = resolve)));
  const first = names.pass(leaseOf('a.test'));
  answer({ ok: false, kind: 'dnsFailed', detail: 'no' });
  assert.equal(await first, true);
  void names.pass(leaseOf('b.test'));
  void names.pass(leaseOf('c.test'));
  assert.equal(await names.pass(leaseOf('d.test')), false);
});

test('with a replacement for HTTP no lease waits for a name', () => {
  const resolver = { resolve: () => new Promise<Resolution>(() => {}), waiting: 9 };
  const names = createNameGate({ resolver, waitingMax: null, signal: new AbortController().signal });
  assert.equal(names.pass(leaseOf('a.test')), undefined);
});

test('the name of a lease that has to wait is looked up ahead, with the port of its requests', () => {
  const asked: unknown[] = [];
  const resolver = { resolve: async (...name: unknown[]) => asked.push(name) as never, waiting: 0 };
  const names = createNameGate({ resolver, waitingMax: 1, signal: new AbortController().signal });
  names.lookUp(leaseOf('a.test:8080'));
  names.lookUp({ ...blankTask, urls: taskUrls('https://b.test/x') });
  names.lookUp({ ...blankTask, robotsHops: [{ url: 'https://c.test/robots.txt', asked: [], partition: 0 }] });
  names.lookUp(blankTask);
  assert.deepEqual(asked, [
    ['a.test', 8080],
    ['b.test', 443],
    ['c.test', 443],
  ]);
});
