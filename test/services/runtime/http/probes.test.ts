/** What an orchestrator is answered in the life of a service. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Probes } from '../../../../services/runtime/http/probes.ts';

const statusOf = (probes: Probes) => ({ waitsFor: probes.waitsFor, note: probes.note, started: probes.started });

test('a service has started once it was ready for the first time, and stays so', () => {
  const probes = new Probes();
  assert.deepEqual(statusOf(probes), { waitsFor: 'starting', note: null, started: false });
  let why: string | null = 'restoring';
  probes.serve(
    () => why,
    () => 'no fetcher',
  );
  assert.deepEqual(statusOf(probes), { waitsFor: 'restoring', note: 'no fetcher', started: false });
  why = null;
  assert.equal(probes.started, true, 'whichever probe asks first');
  assert.deepEqual(statusOf(probes), { waitsFor: null, note: 'no fetcher', started: true });
  why = 'a new partition';
  assert.deepEqual(statusOf(probes), { waitsFor: 'a new partition', note: 'no fetcher', started: true });
});

test('a service that warms copies has started, and is not ready', () => {
  const probes = new Probes();
  probes.serve(
    () => null,
    () => null,
    () => 'warming 2 copies',
  );
  assert.deepEqual(statusOf(probes), { waitsFor: 'warming 2 copies', note: null, started: true });
});

test('a suspended service is not ready, has no note, and is ready again once it serves', () => {
  const probes = new Probes();
  const serve = () =>
    probes.serve(
      () => null,
      () => 'note',
      () => 'warming',
    );
  serve();
  probes.suspend('no brokers');
  assert.deepEqual(statusOf(probes), { waitsFor: 'no brokers', note: null, started: false });
  probes.serve(() => null);
  assert.deepEqual(statusOf(probes), { waitsFor: null, note: null, started: true });
});
