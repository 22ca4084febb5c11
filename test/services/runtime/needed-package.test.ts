import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isMissing, neededPackage } from '../../../services/runtime/needed-package.ts';

const failing = (code: string, message: string) => () => Promise.reject(Object.assign(new Error(message), { code }));

test('a package that is not installed is an error with the command that installs it', async () => {
  assert.equal(await neededPackage('libsql', 'the index', async () => 'loaded'), 'loaded');
  for (const code of ['ERR_MODULE_NOT_FOUND', 'MODULE_NOT_FOUND'])
    await assert.rejects(neededPackage('libsql', 'the index', failing(code, "Cannot find package 'libsql'")), {
      code: 'INVALID_ARGUMENT',
      message: /^the index needs libsql, which this installation leaves out: npm /,
    });
});

test('a package that is there but fails, or lacks another package, keeps its own error', async () => {
  for (const load of [failing('ERR_MODULE_NOT_FOUND', "Cannot find package 'other'"), failing('EACCES', "'libsql'")])
    await assert.rejects(neededPackage('libsql', 'the index', load), { code: /^(ERR_MODULE_NOT_FOUND|EACCES)$/ });
  assert.equal(isMissing(new Error("'libsql'"), 'libsql'), false);
});
