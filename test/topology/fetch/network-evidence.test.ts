import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NetworkEvidence } from '../../../topology/fetch/network-evidence.ts';

const witness = (host: string) => ({ origin: `http://${host}`, hostKey: host, delayMs: 0 });

test('another target’s answer since a request began is distinguished from its own, and from earlier ones', () => {
  const evidence = new NetworkEvidence();
  evidence.answered('a.test', witness('a.test'), 100);
  assert.equal(evidence.hasOtherAnswered('a.test', 50), false);
  assert.equal(evidence.hasOtherAnswered('b.test', 50), true);
  assert.equal(evidence.hasOtherAnswered('b.test', 101), false);
  evidence.answered('b.test', witness('b.test'), 200);
  assert.equal(evidence.hasOtherAnswered('b.test', 100), true);
});

test('targets that answered last and are not silent are tried first, in turn', () => {
  const evidence = new NetworkEvidence();
  for (const [at, host] of ['a.test', 'b.test', 'c.test', 'd.test'].entries())
    evidence.answered(host, witness(host), at);
  const asked = (skip: number) => evidence.witnesses(false, skip).map(([target]) => target);
  assert.deepEqual(asked(0), ['d.test', 'c.test', 'b.test']);
  assert.deepEqual(asked(3), ['a.test', 'd.test', 'c.test']);
  evidence.silent('d.test');
  assert.deepEqual(asked(0), ['c.test', 'b.test', 'a.test']);
  for (const target of ['a.test', 'b.test', 'c.test']) evidence.silent(target);
  assert.deepEqual(asked(0), [], 'whoever is silent is not asked');
  assert.equal(evidence.witnesses(true).length, 3, 'but for while the network is away');
});

test('three silent targets mean our own network if something has answered the crawl, and else only if the system says so', () => {
  const evidence = new NetworkEvidence();
  for (const target of ['a.test', 'b.test']) evidence.silent(target);
  assert.equal(evidence.isOurs('host', true), false);
  assert.equal(evidence.isOurs('network', true), true);
  evidence.silent('c.test');
  assert.equal(evidence.isOurs('host', true), true);
  assert.equal(evidence.isOurs('host', false), false);
  assert.equal(evidence.isOurs('resolver', false), true);
  evidence.answered('c.test', witness('c.test'), 1);
  assert.equal(evidence.isOurs('host', true), false, 'one answer is enough to begin anew');
});
