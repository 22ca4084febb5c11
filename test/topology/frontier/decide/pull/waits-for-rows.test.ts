/** A call that waits for rows is answered, though the step that found it out decided nothing. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type PutCall, type PutItem, putStatuses } from '../../../../../topology/frontier/decide/pull/calls.ts';
import { key } from '../deciding.ts';
import { Served } from './served.ts';

test('rows that a put needs are requested by a step without a commit', () => {
  const served = new Served(1);
  served.put([0, 3]);
  served.save();
  served.rig.reopen(served.nowMs, false);
  const { core, rows } = served.rig;
  rows.run(core.reads());
  const item: PutItem = {
    known: true,
    key,
    url: 'http://a.test/3',
    metadata: Buffer.from('m'),
    dueAtMs: 0,
    frontQueue: 0,
  };
  const call: PutCall = { kind: 'put', items: [item], statuses: new Uint8Array(1).fill(9), next: 0, onDone: () => {} };
  assert.equal(core.isCalled, false);
  core.calls.add(call);
  assert.deepEqual([core.isCalled, core.isUnread], [true, false]);
  assert.equal(core.step(served.nowMs, 0), null);
  assert.equal(core.isUnread, true);
  rows.run(core.reads());
  assert.equal(core.isUnread, false);
  assert.notEqual(core.step(served.nowMs, 0), null);
  assert.deepEqual([call.next, call.statuses[0], core.calls.takeAnswered()], [1, putStatuses.ok, [call]]);
});
