/** The reference of what the package exports: made as a reader makes it, by `npm run docs:api`. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { root } from '../run/files.ts';

const run = promisify(execFile);
const out = join(root, 'dist/api');

test('npm run docs:api describes the library, the consumer kit, plugins and fleets, without warnings', async () => {
  rmSync(out, { recursive: true, force: true });
  const { stdout, stderr } = await run('npm', ['run', '-s', 'docs:api'], { cwd: root, timeout: 600_000 });
  assert.doesNotMatch(stdout + stderr, /\[(?:warning|error)\]/);
  const page = (path: string) => readFileSync(join(out, path), 'utf8');
  assert.ok(existsSync(join(out, 'index.html')));
  // A page each, with the words that stand beside the declaration.
  assert.match(page('functions/library.crawl.html'), /CrawlOptions/);
  assert.match(page('interfaces/library.CrawlOptions.html'), /seeds/);
  assert.match(page('functions/consumer_consume-pages.consumePages.html'), /Reads the topic/);
  assert.match(page('interfaces/application_plugin_plugin.Plugin.html'), /urlFilter/);
  assert.match(page('functions/extras_fleet_library.hostFleet.html'), /FleetSettings/);
});
