/** A crawl behind a login: a form with secrets by reference, cookies kept for the host, nothing of it in records or elsewhere. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { lastJson, runCommand } from '../../../../lab/process/command.ts';
import { temporaryFolder } from '../../runtime/store/temporary-folder.ts';

interface Asked {
  readonly host: string;
  readonly line: string;
  readonly cookie: string;
  readonly body: string;
}

/** The shop wants a session; its ads are on another host. Both are this server, by their names. */
async function startShop(): Promise<{ readonly port: number; readonly asked: Asked[] }> {
  const asked: Asked[] = [];
  const server = createServer(async (request, response) => {
    const { url = '', method = '', headers } = request;
    let body = '';
    for await (const piece of request) body += String(piece);
    const host = (headers.host ?? '').replace(/:\d+$/, '');
    if (url === '/robots.txt') return response.end('');
    asked.push({ host, line: `${method} ${url}`, cookie: headers.cookie ?? '', body });
    response.setHeader('content-type', 'text/html');
    if (host !== 'shop.test') return response.end('an ad');
    if (url === '/login') {
      const isMe = body === 'user=me&password=open+sesame';
      // The second is meant for all of the domain's hosts; we keep it for the one that set it.
      const cookies = ['sid=t0psecret; Path=/; HttpOnly', 'all=1; Domain=shop.test; Path=/'];
      response.writeHead(302, { location: '/', ...(isMe && { 'set-cookie': cookies }) });
      return response.end();
    }
    if (!(headers.cookie ?? '').includes('sid=t0psecret'))
      return response.writeHead(302, { location: '/login?next=x' }).end();
    if (url === '/out') return response.writeHead(302, { location: 'http://ads.shop.test:80/' }).end();
    response.end(url === '/' ? `<a href="/a">a</a><a href="//ads.${headers.host}/x">ad</a>` : 'for members');
  });
  after(() => server.close());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { port: (server.address() as AddressInfo).port, asked };
}

test('a login opens a session that only its host sees, even with domain cookies; records have neither password nor cookie', async () => {
  const { port, asked } = await startShop();
  const folder = temporaryFolder();
  const data = join(folder, 'data');
  const requests = join(folder, 'requests.yaml');
  const password = join(folder, 'password');
  await writeFile(password, 'open sesame\n');
  await writeFile(
    requests,
    `- hosts: ["*.shop.test", shop.test]
  session:
    login:
      url: http://shop.test:${port}/login
      form: { user: me, password: { file: ${password} } }
`,
  );
  const crawl = [
    'crawl',
    `http://shop.test:${port}/`,
    '--data',
    data,
    '--delay',
    '100ms',
    '--with',
    'archive',
    '--json',
  ];
  const reach = ['--resolve', `*.test:${port}:127.0.0.1`, '--requests', requests, '--contact', 'me@example.org'];
  const run = await runCommand([...crawl, ...reach]);
  assert.equal(run.code, 0, run.stderr);
  assert.equal(lastJson(run)['pages'], 3, JSON.stringify(asked));

  const shop = asked.filter(({ host }) => host === 'shop.test');
  assert.deepEqual(
    shop.map(({ line, cookie }) => [line, cookie]),
    [
      ['POST /login', ''],
      ['GET /', 'sid=t0psecret; all=1'],
      ['GET /a', 'sid=t0psecret; all=1'],
    ],
  );
  assert.deepEqual(
    asked.filter(({ host }) => host === 'ads.shop.test').map(({ line, cookie }) => [line, cookie]),
    [['GET /x', '']],
    'no cookie of another host, whatever its Domain says',
  );
  // The login is a contact like any other: it was paced, and the audit finds it.
  const audit = await runCommand(['audit', '--data', data]);
  assert.equal(audit.code, 0, audit.stdout);

  const archive = join(data, 'archive');
  const files = readdirSync(archive).filter((name) => name.endsWith('.warc.gz'));
  const warc = files.map((name) => gunzipSync(readFileSync(join(archive, name))).toString('latin1')).join('');
  assert.match(warc, /GET \/a HTTP\/1\.1[\s\S]*?cookie: \[redacted\]/i);
  const kept = warc + readFileSync(join(data, 'crawl.json'), 'utf8');
  assert.ok(!kept.includes('t0psecret') && !kept.includes('open sesame') && !kept.includes('open+sesame'));
});
