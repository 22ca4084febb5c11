import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startHarness, taskUrls } from '../harness.ts';
import { serveSite } from '../loopback.ts';

const html = { 'content-type': 'text/html' };

test('a page divides its cash among its links, recently published ones too; a redirect passes it on', async (t) => {
  const site = await serveSite(t, (request, response) => {
    if (request.url === '/robots.txt') response.writeHead(404).end();
    else if (request.url === '/moved') response.writeHead(301, { location: 'http://b.test/' }).end();
    else
      response
        .writeHead(200, html)
        .end('<a href=/x>x</a><a href=http://b.test/y>y</a><a href=/z>z</a><a href=/x>x</a>');
  });
  const harness = await startHarness(t);
  const urls = taskUrls(...['/1', '/2', '/moved'].map((path) => site.url('a.test', path)));
  await harness.lease({ urls: urls.map((url) => ({ ...url, cash: 0.75 })) });
  const groups = await harness.groups();
  assert.deepEqual(
    groups.map(({ hostKey, share, links }) => [hostKey.split(':')[0], share, links.length]),
    [
      ['a.test', 0.25, 2],
      ['b.test', 0.25, 1],
      ['a.test', 0.25, 2],
      ['b.test', 0.25, 1],
      ['b.test', 0.75, 1],
    ],
  );
});
