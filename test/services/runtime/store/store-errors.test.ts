/** Errors of native stores, calls around their close, and opening beside a writer. */
import assert from 'node:assert/strict';
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { openBesideWriter } from '../../../../services/runtime/store/open-beside-writer.ts';
import { storeError } from '../../../../services/runtime/store/store-errors.ts';
import { createStoreGate } from '../../../../services/runtime/store/store-gate.ts';
import { storeLimits } from '../../../../services/runtime/store/store-limits.ts';
import { temporaryFolder } from './temporary-folder.ts';

test('each failure of a store is an error with the folder and the remedy', () => {
  for (const [text, code, message] of [
    ['IO error: /d/1.ldb: Too many open files', 'STORE_FAILED', /needs more open files .* ulimit -n/],
    ['EMFILE: too many', 'STORE_FAILED', /needs more open files/],
    ['ENFILE: table overflow', 'STORE_FAILED', /needs more open files/],
    ['IO error: /d/LOCK: Read-only file system', 'STORE_FAILED', /is mounted read-only/],
    ['EROFS: x', 'STORE_FAILED', /is mounted read-only/],
    ['IO error: /d/LOCK: Permission denied', 'STORE_FAILED', /cannot be written by this user/],
    ['EACCES: x', 'STORE_FAILED', /cannot be written by this user/],
    ['EPERM: x', 'STORE_FAILED', /cannot be written by this user/],
    ['IO error: No space left on device', 'DISK_FULL', /the disk holding \/d is full/],
    ['IO error: Disk quota exceeded', 'DISK_FULL', /the disk holding \/d is full/],
    ['EDQUOT: x', 'DISK_FULL', /is full/],
    ['IO error: lock /d/LOCK: Resource temporarily unavailable', 'DATA_FOLDER_LOCKED', /is in use by another process/],
    ['IO error: While lock file: /d/LOCK: No locks available', 'DATA_FOLDER_LOCKED', /is in use by another process/],
    ['Corruption: bad block', 'STORE_FAILED', /is damaged: Corruption: bad block\. Restore .*--skip-damaged/],
    ['open: Corruption: bad block', 'STORE_FAILED', /is damaged/],
    ['something else about a lock', 'STORE_FAILED', /^the store in \/d failed: something else about a lock$/],
    ['IO error: blocked', 'STORE_FAILED', /^the store in \/d failed: IO error: blocked$/],
  ] as const) {
    const cause = new Error(text);
    const error = storeError(cause, '/d');
    assert.equal(error.code, code, text);
    assert.match(error.message, message, text);
    assert.equal(error.cause, cause);
  }
});

test('a store that closes waits for calls under way, and refuses later ones', async () => {
  const gate = createStoreGate();
  const events: string[] = [];
  gate.enter();
  gate.enter();
  const closing = gate.close(async () => void events.push('end'));
  assert.equal(gate.isOpen(), false);
  for (const call of [gate.enter, gate.check]) assert.throws(call, { code: 'STORE_CLOSED' });
  gate.leave();
  await Promise.resolve();
  events.push('one left');
  gate.leave();
  await closing;
  await gate.close(async () => void events.push('again'));
  assert.deepEqual(events, ['one left', 'end']);
  const idle = createStoreGate();
  idle.enter();
  idle.leave();
  assert.equal(idle.isOpen(), true);
  idle.check();
  await idle.close(async () => void events.push('idle'));
  assert.deepEqual(events.at(-1), 'idle');
});

/** A folder of a store, and opens that change it as a writer would. */
function besideWriter(...during: readonly ((folder: string) => void)[]) {
  const folder = temporaryFolder();
  for (const name of ['000003.log', '000005.log', 'MANIFEST-000002', 'x.ldb']) writeFileSync(join(folder, name), '');
  const closed: number[] = [];
  let opens = 0;
  const open = async () => {
    opens += 1;
    during[opens - 1]?.(folder);
    return opens;
  };
  const start = () => openBesideWriter(folder, open, async (one) => void closed.push(one));
  return { start, closed, opens: () => opens };
}

const oldestLogGoes = (folder: string) => rmSync(join(folder, '000003.log'));
const manifestIsReplaced = (folder: string) =>
  renameSync(join(folder, 'MANIFEST-000002'), join(folder, 'MANIFEST-000004'));
const logIsAdded = (folder: string) => writeFileSync(join(folder, '000009.log'), '');

test('a store is opened again if its oldest log or its manifest changed meanwhile', async () => {
  const still = besideWriter();
  assert.equal(await still.start(), 1);
  assert.deepEqual(still.closed, []);
  const growing = besideWriter(logIsAdded);
  assert.equal(await growing.start(), 1, 'a newer log takes no rows away');
  const turning = besideWriter(oldestLogGoes, manifestIsReplaced);
  assert.equal(await turning.start(), 3);
  assert.deepEqual(turning.closed, [1, 2]);
});

test('a store that cannot be opened fails at once, unless its writer changed it meanwhile', async () => {
  const failing = () => {
    throw new Error('damaged');
  };
  const still = besideWriter(failing);
  await assert.rejects(still.start(), /damaged/);
  assert.equal(still.opens(), 1);
  const turning = besideWriter((folder) => {
    oldestLogGoes(folder);
    failing();
  });
  assert.equal(await turning.start(), 2);
  assert.deepEqual(turning.closed, []);
});

test('a store that changes during every try is given up, and closed each time', async () => {
  const most = storeLimits.readOnlyOpenAttemptsMax;
  let number = 2;
  const change = (folder: string) =>
    renameSync(
      join(folder, `MANIFEST-00000${number}`),
      join(folder, `MANIFEST-00000${(number = number === 2 ? 4 : 2)}`),
    );
  const busy = besideWriter(...Array.from({ length: most }, () => change));
  await assert.rejects(busy.start(), { message: new RegExp(`during each of ${most} attempts to open it: retry$`) });
  assert.deepEqual([busy.opens(), busy.closed.length], [most, most]);
});
