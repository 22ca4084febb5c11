/** What a crawl says of itself: its speed and limits before it begins, and the pages it cut when it has ended. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { runCommand } from '../../../../lab/process/command.ts';
import { temporaryFolder } from '../../runtime/store/temporary-folder.ts';

test('the plan names the speed and every limit; the report names the page that was cut, and the option', async () => {
  const server = createServer(({ url }, response) => {
    response.setHeader('content-type', 'text/html');
    if (url === '/robots.txt') response.writeHead(404).end();
    else response.end(url === '/big' ? 'x'.repeat(1_200_000) : '<a href="/big">big</a>');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  after(() => {
    server.close();
    server.closeAllConnections();
  });
  const { port } = server.address() as AddressInfo;
  const data = join(temporaryFolder(), 'data');
  const limits = ['--max-pages-per-host', '50', '--max-bytes-per-host', '9000000', '--max-queued-per-host', '40'];
  const stops = ['--max-time', '10m', '--max-bytes', '5M', '--max-errors', '9'];
  const { code, stdout, stderr } = await runCommand([
    ...['crawl', `http://a.test:${port}/`, '--resolve', `a.test:${port}:127.0.0.1`, '--data', data],
    ...['--contact', 'me@example.org', '--max-body', '1', '--max-pages', '20', ...limits, ...stops],
  ]);
  assert.equal(code, 0, stderr);
  assert.match(stderr, /^ {2}speed +at most 1 request a second per host, to be polite; for your own site: --delay 0$/m);
  const plan = /^ {2}limits +(.*)$/m.exec(stderr)?.[1] ?? '';
  for (const limit of ['20 pages', '50 pages per host', '9,000,000 bytes per host', '40 queued URLs per host'])
    assert.ok(plan.includes(limit), plan);
  for (const stop of ['10m (--max-time)', '5,000,000 bytes (--max-bytes)', '9 failed URLs (--max-errors)'])
    assert.ok(plan.includes(stop), plan);
  assert.match(stdout, /1 page was cut: http:\/\/a\.test:\d+\/big, after 1,048,576 bytes\..*--max-body/);
});
