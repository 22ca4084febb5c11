/** What commands print of a crawl whose pages, headers, paths and robots.txt command a terminal. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { runCommand } from '../../../../lab/process/command.ts';
import { temporaryFolder } from '../../runtime/store/temporary-folder.ts';

/** Sets the window's title, clears the screen, moves up (C1), rings, deletes, and turns the line around. */
const evil = '\x1b]0;owned\x07\x1b[2J\u009b1A\x7f\u202eb';
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const obeyed = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/;

test('no command passes a stranger’s control characters to a terminal', async () => {
  const server = createServer((request, response) => {
    const { url = '' } = request;
    if (url === '/robots.txt') {
      response.writeHead(200, { 'content-type': 'text/plain; charset=utf-8' });
      return response.end(`User-agent: *\nDisallow: /no${evil}\nDisallow: /closed # ${evil}\n`);
    }
    if (url.startsWith('/gone')) return response.writeHead(404, Buffer.from('No\u009b1A').toString('latin1')).end();
    if (url.startsWith('/away')) {
      return response.writeHead(302, { location: Buffer.from(`/to\u009b1A\u202e`).toString('latin1') }).end();
    }
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8', 'x-say': '\x9b1A' });
    return response.end(
      `<html lang="${evil}"><title>river ${evil}</title><meta name="description" content="river ${evil}">
      <body>river ${evil} <a href="/a${evil}">x</a><a href="/gone${evil}">x</a><a href="/away">x</a><a href="/closed/x">x</a>
      <a href="http://h${evil}.test/">x</a>`,
    );
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  after(() => server.close());
  const seed = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const data = join(temporaryFolder(), 'data');
  const of = ['--data', data];
  const commands: readonly (readonly string[])[] = [
    ['crawl', seed, ...of, '--allow-private', '--delay', '10ms', '--retries', 'none', '--with', 'index'],
    ['crawl', `${seed}x${evil}`, '--data', `${data}-2`, '--allow-private', '--max-pages', '2', '--retries', 'none'],
    ['pages', ...of],
    ['pages', '--long', ...of],
    ['pages', '--failed', ...of],
    ['stats', ...of],
    ['stats', '--json', ...of],
    ['hosts', ...of],
    ['search', 'river', ...of],
    ['search', 'river', '--json', ...of],
    ['explain', `${seed}closed/x`, ...of],
    ['explain', `${seed}a${evil}`, ...of],
    ['story', seed, ...of],
    ['story', '--json', seed, ...of],
    ['dlq', 'list', ...of],
    ['audit', ...of],
    ['fetch', seed, '--allow-private'],
    ['check', 'page', seed, '--allow-private'],
    ['check', 'robots', `${seed}closed/x`, '--allow-private'],
    ['state', 'digest', ...of],
    [`no${evil}`],
    ['pages', '--data', `${data}${evil.replaceAll('/', '')}`],
  ];
  for (const command of commands) {
    const { code, stdout, stderr } = await runCommand(command);
    assert.notEqual(code, null, command.join(' '));
    for (const printed of [stdout, stderr]) {
      const at = printed.search(obeyed);
      const around = JSON.stringify(printed.slice(Math.max(0, at - 60), at + 20));
      assert.equal(at, -1, `crawlstream ${JSON.stringify(command.slice(0, 3))} prints ${around}`);
    }
    if (command[0] === 'pages' && command.length === 3 && code === 0) assert.match(stdout, /owned/, 'it is shown');
  }
});
