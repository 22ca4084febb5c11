/** The process of a browser: programs that are no browser stand for one that does not start. */
import assert from 'node:assert/strict';
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import { createBrowser } from '../../../../services/extras/render/browser.ts';
import { temporaryFolder } from '../../runtime/store/temporary-folder.ts';

it('a browser that did not start is started again for the next page', async () => {
  const folder = temporaryFolder();
  const [executable, starts] = [join(folder, 'chromium'), join(folder, 'starts')];
  writeFileSync(executable, `#!/bin/sh\necho start >> '${starts}'\nexit 1\n`);
  chmodSync(executable, 0o755);
  const browser = createBrowser({
    ...{ executable, userAgent: 'a', timeoutMs: 1_000, quietMs: 100, requestsMax: 1, apart: false },
  });
  const page = { url: 'http://a.test/', status: 200, headers: [], body: Buffer.alloc(0) };
  const count = () => readFileSync(starts, 'utf8').split('\n').length - 1;
  await assert.rejects(browser.start(), /does not start/);
  assert.equal(count(), 1);
  await assert.rejects(
    browser.render(page, async () => null),
    /does not start/,
  );
  assert.equal(count(), 2);
  await assert.rejects(browser.start(), /does not start/);
  assert.equal(count(), 3);
  await browser.close();
});
