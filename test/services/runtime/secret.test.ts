import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { readSecret, secretSchema } from '../../../services/runtime/secret.ts';
import { temporaryFolder } from './store/temporary-folder.ts';

test('a secret is the content of a variable or file, without the editor’s final line break', () => {
  const file = join(temporaryFolder(), 'secret');
  for (const [text, secret] of [
    ['s3cret', 's3cret'],
    ['s3cret\n', 's3cret'],
    ['s3cret\r\n', 's3cret'],
    ['two\nlines\n\n', 'two\nlines\n'],
  ] as const) {
    writeFileSync(file, text);
    assert.equal(readSecret({ file }, 'token'), secret);
  }
  assert.equal(readSecret({ env: 'OURS' }, 'token', { OURS: ' x ' }), ' x ');
});

test('a missing secret is reported with its field and its source', () => {
  const folder = temporaryFolder();
  for (const env of [{}, { OURS: '' }])
    assert.throws(
      () => readSecret({ env: 'OURS' }, 'token', env),
      /^.*token: the environment variable OURS is not set/,
    );
  const missing = join(folder, 'none');
  assert.throws(
    () => readSecret({ file: missing }, 'token'),
    (error: Error) => {
      assert.ok(error.message.startsWith('token: ') && error.message.includes(missing), error.message);
      return true;
    },
  );
  assert.throws(
    () => readSecret({ file: folder }, 'token'),
    (error: Error) => {
      assert.equal(error.message, `token: ${folder} is a folder: give the file that contains the secret`);
      return true;
    },
  );
});

test('a literal secret is refused, with the right form', () => {
  const { error } = secretSchema.safeParse('s3cret');
  assert.match(error!.message, /as a reference: \{ env: NAME \} or \{ file: PATH \}/);
  assert.equal(secretSchema.safeParse({ env: 'A', file: 'b' }).success, false);
});
