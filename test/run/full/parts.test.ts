import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { root } from '../files.ts';
import { parts } from './parts.ts';

test('verify:full runs every tool of lab/ and test/ that npm has a script for', () => {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    readonly scripts: Readonly<Record<string, string>>;
  };
  const tools = Object.keys(scripts).filter((name) => /\b(?:lab|test)\/(?!run\/)\S*main\.ts/.test(scripts[name]!));
  assert.ok(tools.length > 10, `${tools}`);
  const run = parts.flatMap(({ command: [program, ...args] }) => (program === 'npm' ? args : []));
  assert.deepEqual(
    tools.filter((name) => !run.includes(name)),
    [],
  );
});
