import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ownName } from '../../../services/runtime/own-name.ts';

test('a hint names the command as the user called it', () => {
  const script = '/checkout/dist/bundle/crawlstream.js';
  assert.equal(ownName({ npm_lifecycle_event: 'crawlstream' }, ['node', script]), 'npm run -s crawlstream --');
  assert.equal(ownName({ npm_lifecycle_event: 'start' }, ['node', 'crawlstream']), 'npm run -s crawlstream --');
  assert.equal(ownName({ npm_command: 'exec' }, ['node', '/p/node_modules/.bin/crawlstream']), 'npx crawlstream');
  assert.equal(ownName({}, ['node', '/usr/local/bin/crawlstream']), 'crawlstream');
  assert.equal(ownName({}, ['/usr/bin/node', script]), `node ${script}`);
});
