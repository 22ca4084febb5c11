import assert from 'node:assert/strict';
import { test } from 'node:test';
import { machineRefusal } from '../../../../services/cli/terminal/machine-refusal.ts';

const system = (code: string, more: object = {}) =>
  Object.assign(new Error(`${code}: as the system says`), { code, ...more });

for (const [what, error, code] of [
  ['a write to an open file', system('ENOSPC', { syscall: 'write' }), 'ENOSPC'],
  ['a write with a path', system('ENOSPC', { syscall: 'write', path: '/x/y' }), 'ENOSPC'],
  ['a quota', system('EDQUOT', { syscall: 'write' }), 'EDQUOT'],
  ['a disk that fails', system('EIO', { syscall: 'fsync' }), 'EIO'],
  ['a file system that became read-only', system('EROFS', { syscall: 'open' }), 'EROFS'],
  ['SQLite', new Error('database or disk is full'), 'ENOSPC'],
  ['SQLite on a disk that fails', new Error('disk I/O error'), 'EIO'],
  ['RocksDB', new Error('IO error: No space left on device: While appending to file'), 'ENOSPC'],
  ['the cause of another error', new Error('not written', { cause: system('ENOSPC') }), 'ENOSPC'],
  ['one of several errors', new AggregateError([new Error('a'), system('EDQUOT')]), 'EDQUOT'],
] as const)
  test(`a full or failing disk is no bug: ${what}`, () => {
    const refusal = machineRefusal(error, []);
    assert.equal(refusal?.code, code);
    assert.match(refusal!.message, /make room|check the disk|choose another path/);
  });

test('other errors stay bugs', () => {
  for (const error of [new Error('no'), new TypeError('x is not a function'), 'text', null, system('ENOENT')])
    assert.equal(machineRefusal(error, []), undefined);
});
