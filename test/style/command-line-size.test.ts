import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import { root } from '../run/files.ts';

/** A command parses, calls and prints: what it calls is a service, which programs can call as well. */
const linesMax = 10_000;

it('the command line stays thin', () => {
  const folder = join(root, 'services/cli');
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
  const lines = files.map((file) => readFileSync(join(folder, file), 'utf8').split('\n').length - 1);
  const all = lines.reduce((sum, count) => sum + count, 0);
  assert.ok(all <= linesMax, `services/cli has ${all} lines: move what is no command, option or text into a service`);
});
