import assert from 'node:assert/strict';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { hasRoom, isDiskFull } from '../../../../services/runtime/data-folder/disk-room.ts';
import { CrawlstreamError } from '../../../../topology/errors.ts';

test('a full disk is recognised from our own code and from the system’s', () => {
  assert.ok(isDiskFull(new CrawlstreamError('DISK_FULL', 'no room')));
  assert.ok(isDiskFull(Object.assign(new Error('write'), { code: 'ENOSPC' })));
  assert.ok(isDiskFull(Object.assign(new Error('write'), { code: 'EDQUOT' })));
  for (const other of [new CrawlstreamError('STORE_FAILED', 'broken'), new Error('ENOSPC'), null, undefined, 'ENOSPC'])
    assert.ok(!isDiskFull(other));
});

test('a folder that does not exist yet has the free space of its future parent', async () => {
  assert.ok(await hasRoom([]));
  assert.equal(await hasRoom([tmpdir()]), await hasRoom([join(tmpdir(), 'not', 'there', 'yet')]));
});
