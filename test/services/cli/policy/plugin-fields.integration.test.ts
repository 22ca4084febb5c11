import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { runCommand, startCommand } from '../../../../lab/process/command.ts';
import { temporaryFolder } from '../../runtime/store/temporary-folder.ts';
import { startSmallWeb } from '../small-web.ts';

/** Its hook writes the field into each page, and its consumer writes both into a file. */
const plugin = `
import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
let mark;
export default {
  name: 'marks',
  policyFields: { mark: { schema: { type: 'integer', minimum: 0 }, about: 'Number of the mark.', initial: 0 } },
  async onPolicy(values) {
    mark = values.mark;
    if (mark === 1) throw new Error('one is bad');
  },
  page: (page) => ({ ...page, title: 'hook ' + mark }),
  processors: [{
    name: 'marks', does: 'keeps marks', holds: 'nothing',
    open: ({ folder }) => ({
      handle: (batch, { policy }) =>
        appendFile(join(folder, 'marks'), batch.map(({ value }) => value.title + ', consumer ' + policy.mark + '\\n').join('')),
    }),
  }],
};
`;

test('hooks and consumers of a plugin follow its fields while a crawl runs, and an error of the plugin does not end it', async (t) => {
  const small = await startSmallWeb({ hosts: 24, pagesPerHost: 40, domains: 24 });
  const folder = temporaryFolder();
  const [data, file, fields] = ['data', 'marks.mjs', 'fields.yaml'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  writeFileSync(file, plugin);
  // So slow that the crawl runs longer than this test.
  const running = startCommand([...small.crawlArguments, '--delay', '2s', '--data', data, '--plugin', file]);
  t.after(() => running.child.kill('SIGKILL'));
  const marked = async (text: string) => {
    const lines = () => {
      try {
        return readFileSync(join(data, 'plugins/marks/marks'), 'utf8').split('\n');
      } catch {
        return [];
      }
    };
    while (!lines().includes(text)) {
      assert.equal(running.child.exitCode, null, running.output());
      await sleep(50);
    }
  };
  await marked('hook 0, consumer 0');
  for (const mark of [1, 7]) {
    writeFileSync(fields, `extras: { marks: { mark: ${mark} } }`);
    const set = await runCommand(['policy', 'set', fields, '--plugin', file, '--data', data]);
    assert.deepEqual([set.code, set.stderr], [0, '']);
    await marked(`hook ${mark}, consumer ${mark}`);
  }
  assert.match(running.output(), /plugin marks, onPolicy: one is bad/);
});
