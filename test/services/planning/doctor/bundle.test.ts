/** The file that `doctor --bundle` writes goes to strangers. */
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import { bundleOf } from '../../../../services/planning/doctor/bundle.ts';
import { temporaryFolder } from '../../runtime/store/temporary-folder.ts';

it('the bundle of doctor leaves out options of plugins, what lies below a secret key, and passwords with an @', async () => {
  const data = temporaryFolder();
  mkdirSync(join(data, 'log'), { recursive: true });
  const options = {
    set: ['sink.pin=hunter2'],
    cookies: ['hunter2'],
    proxy: 'http://me:hun@ter2@p.test/',
  };
  writeFileSync(join(data, 'crawl.json'), JSON.stringify({ seeds: [], policy: null, options }));
  writeFileSync(join(data, 'manifest.json'), '{"cut');
  const env = { CRAWLSTREAM_OPENSEARCH: 'http://me:hun@ter2@o.test/?key=hunter2' };
  const bundle = await bundleOf({ version: '0', findings: [], data, env, atMs: 0 });
  const text = JSON.stringify(bundle);
  assert.ok(text.includes('sink.pin=(left out)'), text);
  assert.ok(!/hunter2|ter2/.test(text), text);
  assert.equal(bundle.manifest, null);
});
