import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { root } from '../run/files.ts';
import { type Recording, recordingsOf } from './coverage/recordings.ts';
import type { Edit } from './edit.ts';
import { tryEdit } from './try-edit.ts';
import { tryMutant } from './try-mutant.ts';

const test = 'test/topology/frontier/hosts/key-table.test.ts';
const file = 'topology/robots/moved.ts';
const robotsTest = 'test/topology/robots/moved.test.ts';
const bounds = { cpuSeconds: 60, deadlineMs: 300_000 };

function mutant(find: string, replace: string) {
  const at = readFileSync(join(root, file), 'utf8').indexOf(find);
  assert.ok(at > 0, find);
  return { file, from: at, at, find, replace, line: 0, mutator: 'one' };
}

describe('a mutant, with what a test was measured to execute', () => {
  let recordings: readonly Recording[] = [];
  before(async () => {
    const measured = await recordingsOf([test, robotsTest], 2, () => {});
    assert.deepEqual(measured.failing, []);
    recordings = measured.recordings;
  });

  it('a mutant with measured coverage is killed by a test that executes its line', async () => {
    const { end } = await tryMutant(mutant("return 'near'", "return 'far'"), recordings, 60_000);
    assert.equal(end, 'noticed');
  });

  it('a mutant with measured coverage that changes nothing survives its tests', async () => {
    assert.equal((await tryMutant(mutant("return 'near'", "return 'near'"), recordings, 60_000)).end, 'survived');
  });

  it('a mutant with measured coverage that makes its tests hang is killed, since they end without it', async () => {
    const waits = mutant('const domain = ', 'setInterval(() => {}, 1_000);\n  const domain = ');
    assert.equal((await tryMutant(waits, recordings, 60_000, 15_000)).end, 'hung');
  });

  it('a mutant without a covering test is a survivor at once, and marked so', async () => {
    const others = recordings.filter((one) => one.test === test);
    assert.equal(others.length, 1);
    const { end } = await tryMutant(mutant("return 'near'", "return 'far'"), others, 60_000);
    assert.equal(end, 'unexecuted');
  });
});

describe('endless tests', () => {
  const loops: Edit = { file, find: 'const domain = ', replace: 'for (;;);\n  const domain = ' };
  const waits: Edit = { file, find: 'const domain = ', replace: 'setInterval(() => {}, 1_000);\n  const domain = ' };

  it('endless tests reveal a loop by its processor time', async () => {
    assert.equal((await tryEdit(loops, [robotsTest], { ...bounds, cpuSeconds: 5 })).end, 'loop');
  });

  it('endless tests that only wait reveal nothing', async () => {
    assert.equal((await tryEdit(waits, [robotsTest], { ...bounds, deadlineMs: 10_000 })).end, 'late');
  });
});
