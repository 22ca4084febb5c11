/** The page on logs has every component and every field, in the words of the schema. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { always, components, sometimes } from '../../services/runtime/logging/log-line.ts';
import { root } from './written-commands.ts';

test('docs/operations.md has the one schema of log lines', () => {
  const page = readFileSync(join(root, 'docs/operations.md'), 'utf8');
  const rows = [
    ...Object.entries(components),
    ...Object.entries(sometimes).map(([name, [, means]]) => [name, means] as const),
  ].map(([name, means]) => `| \`${name}\` | ${means} |`);
  assert.deepEqual(
    rows.filter((row) => !page.includes(row)),
    [],
  );
  const sentence = /Every JSON line has [\s\S]*?`msg`/.exec(page)?.[0] ?? '';
  for (const name of Object.keys(always)) assert.ok(sentence.includes(`\`${name}\``), name);
});
