/** A plugin's `priority` decides which links of a host are fetched first, and `explain` tells the front queue it gave. */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { runCommand } from '../../../../lab/process/command.ts';
import { temporaryFolder } from '../../runtime/store/temporary-folder.ts';

test('a plugin puts some links of a host before the others, and the policy orders the rest', async () => {
  const paths: string[] = [];
  const server = createServer(({ url = '' }, response) => {
    if (url !== '/robots.txt') paths.push(url);
    response.setHeader('content-type', url === '/robots.txt' ? 'text/plain' : 'text/html');
    const links = ['/last/1', '/1', '/2', '/first/1', '/last/2', '/first/2'].map((to) => `<a href="${to}">x</a>`);
    response.end(url === '/robots.txt' ? '' : url === '/' ? links.join('') : 'page');
  });
  after(() => server.close());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const site = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const folder = temporaryFolder();
  const plugin = join(folder, 'order.mjs');
  await writeFile(
    plugin,
    `export default {
      name: 'order',
      priority: ({ url, depth, sourceUrl }) => {
        if (depth !== 1 || !sourceUrl.endsWith('/')) throw new Error('not as a link is found');
        return url.includes('/first/') ? 0 : url.includes('/last/') ? 7 : undefined;
      },
    };`,
  );
  const data = ['--data', join(folder, 'data')];
  const options = ['--allow-private', '--contact', 'me@example.org', '--delay', '0', '--plugin', plugin];
  const done = await runCommand(['crawl', `${site}/`, ...options, ...data]);
  assert.equal(done.code, 0, done.stderr);
  assert.deepEqual(paths, ['/', '/first/1', '/first/2', '/1', '/2', '/last/1', '/last/2']);
  const { stdout } = await runCommand(['explain', `${site}/last/1`, ...data]);
  assert.match(stdout, /^front queue +7$/m);
});
