/** What `crawl` and `explain` say of what was not fetched, on a site with a robots.txt and views of a wiki. */
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { lastJson, runCommand } from '../../../../lab/process/command.ts';
import { temporaryFolder } from '../../runtime/store/temporary-folder.ts';

const robots = '# ours\nUser-agent: *\nAllow: /private/open\nDisallow: /private\n';

async function startSite(): Promise<string> {
  const server = createServer(({ url = '' }, response) => {
    response.setHeader('content-type', url === '/robots.txt' ? 'text/plain' : 'text/html');
    if (url === '/robots.txt') return response.end(robots);
    if (url === '/private/open')
      return response.end('<meta name="robots" content="nofollow"><a href="/only-here?b=2&amp;a=1">x</a>');
    const unwanted = '<a rel="ugc nofollow" href="/paid">x</a>';
    const links = ['/private/a', '/private/open', '/index.php?title=A&action=edit', '/index.php?title=A&oldid=4'];
    response.end(
      `<title>${url}</title>${unwanted}${links.map((href) => `<a href="${href.replaceAll('&', '&amp;')}">x</a>`).join(' ')}`,
    );
  });
  after(() => server.close());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test('explain names the line of robots.txt that denied a URL, and the report the traps with their release commands', async () => {
  const site = await startSite();
  const data = join(temporaryFolder(), 'data');
  const crawl = ['crawl', `${site}/`, '--allow-private', '--contact', 'me@example.org', '--delay', '0', '--data', data];
  const { code, stdout, stderr } = await runCommand(crawl);
  assert.equal(code, 0, stderr);
  assert.match(stdout, /1 URL of 127\.0\.0\.1:\d+ under \?action= \(knownViews: forms, histories/);
  assert.match(stdout, /to fetch these URLs: \S.* release 127\.0\.0\.1:\d+ '\?action=' --data /);

  assert.match(stdout, /\d+ URLs? deferred by a block, .* hosts --data .* lists their hosts/);

  const denied = await runCommand(['explain', `${site}/private/a`, '--data', data]);
  assert.match(
    denied.stdout,
    /denied by +line 4 of http:\/\/127\.0\.0\.1:\d+\/robots\.txt, as of .*: Disallow: \/private\n/,
  );
  const reported = lastJson(await runCommand(['explain', `${site}/private/a`, '--data', data, '--json']));
  assert.equal((reported['robots'] as { line: number }).line, 4);
  const open = lastJson(await runCommand(['explain', `${site}/private/open`, '--data', data, '--json']));
  assert.equal(open['robots'], null);
});

test('explain names the page whose nofollow excluded a URL, and whether it concerns the link or all links', async () => {
  const site = await startSite();
  const data = join(temporaryFolder(), 'data');
  const crawl = ['crawl', `${site}/`, '--allow-private', '--contact', 'me@example.org', '--delay', '0', '--data', data];
  const { code, stderr } = await runCommand(crawl);
  assert.equal(code, 0, stderr);
  const paid = await runCommand(['explain', `${site}/paid`, '--data', data]);
  assert.match(paid.stdout, /seen +never\n/);
  assert.match(paid.stdout, /nofollow +http:\/\/127\.0\.0\.1:\d+\/ links to it, but forbids following this link/);
  const inside = await runCommand(['explain', `${site}/only-here?a=1&b=2`, '--data', data]);
  assert.match(inside.stdout, /nofollow +\S+\/private\/open links to it, but forbids following its links/);
  const unknown = await runCommand(['explain', `${site}/nowhere`, '--data', data]);
  assert.doesNotMatch(unknown.stdout, /nofollow/);
});
