import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Page } from '../../../schemas/types.ts';
import { loadHandler } from '../../../services/application/page-handler.ts';
import { CrawlstreamError } from '../../../topology/errors.ts';
import { temporaryFolder } from '../runtime/store/temporary-folder.ts';

test('an error that a handler throws is reported as the handler’s, with the page and the place', async () => {
  const file = join(temporaryFolder(), 'mine.mjs');
  writeFileSync(file, 'export default async (page) => {\n  throw new TypeError("no title");\n};\n');
  const handler = await loadHandler(file);
  const page = { url: 'https://a.test/x' } as Page;
  await assert.rejects(
    async () => handler(page, { signal: new AbortController().signal }),
    (error) => {
      assert.ok(error instanceof CrawlstreamError);
      assert.match(
        error.message,
        /^--handler \S+mine\.mjs threw on https:\/\/a\.test\/x: no title \(line 2\); fix it, then run the same command again to continue with that page$/,
      );
      return error.cause instanceof TypeError;
    },
  );
});

test('a handler that throws a non-error is reported as well', async () => {
  const file = join(temporaryFolder(), 'mine.mjs');
  writeFileSync(file, 'export default () => {\n  throw "up";\n};\n');
  const handler = await loadHandler(file);
  await assert.rejects(async () => handler({ url: 'https://a.test/' } as Page, { signal: AbortSignal.abort() }), {
    message: `--handler ${file} threw on https://a.test/: up; fix it, then run the same command again to continue with that page`,
  });
});
