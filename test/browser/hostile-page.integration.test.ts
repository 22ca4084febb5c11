/**
 * A hostile page in the operator's chromium, and a crawl's HTTP side on loopback without a token: whatever the page makes the
 * browser send, also by a link that the operator opened from a terminal, changes nothing and is read by nobody.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { type Browser, chromium } from 'playwright-core';
import { pushRoutes } from '../../services/extras/push/push-routes.ts';
import { partRoutes } from '../../services/hosting/roles/part-routes.ts';
import { createMemoryRegistry } from '../../services/runtime/avro/memory-registry.ts';
import { openCodec } from '../../services/runtime/avro/record-codec.ts';
import { SystemClock } from '../../services/runtime/clock.ts';
import { type HttpApp, startHttpServer } from '../../services/runtime/http/http-server.ts';
import { Probes } from '../../services/runtime/http/probes.ts';
import { chromiumHere, noBrowser } from './chromium.ts';

const executablePath = chromiumHere();

/** What of a crawl's HTTP side was asked for, and how often it took URLs. */
async function startService(t: TestContext) {
  const asked: string[] = [];
  let taken = 0;
  const clock = new SystemClock();
  const codec = await openCodec(createMemoryRegistry(), 't');
  const log = {
    async append() {
      taken += 1;
      return [];
    },
  };
  const topics = { crawl: 't', partitions: 1, keyMode: 'host' } as const;
  const note = (app: HttpApp) =>
    app.addHook('onResponse', async ({ method, url }) => void asked.push(`${method} ${url}`));
  const service = await startHttpServer({
    listen: { host: '127.0.0.1', port: 0 },
    probes: new Probes(),
    metrics: async () => ({ type: 'text/plain', text: 'secret' }),
    routes: [note, partRoutes(pushRoutes, () => ({ log, codec, clock, topics, crawl: 't', part: (name) => name }))],
    onBug: (error) => assert.fail(`${error}`),
  });
  t.after(() => service.close());
  return { port: service.address.split(':')[1]!, asked, taken: () => taken };
}

/** Runs in the hostile page: every way to send that a page has, at `/indexnow`, `/urls` and `/metrics`. */
const script = `
const at = 'http://' + new URLSearchParams(location.search).get('at');
const aim = (how) => at + '/indexnow?url=http://victim.test/' + how;
const add = (tag, attributes, inside = document.body) => inside.appendChild(Object.assign(document.createElement(tag), attributes));
for (const tag of ['img', 'script', 'iframe', 'video', 'embed']) add(tag, { src: aim(tag) });
add('object', { data: aim('object') });
for (const rel of ['stylesheet', 'prefetch', 'preload', 'icon']) add('link', { rel, as: 'image', href: aim(rel) });
add('a', { href: '#', ping: aim('ping') }).click();
for (const [n, [method, enctype, action]] of [
  ['GET', '', aim('form')],
  ['POST', 'text/plain', at + '/urls'],
  ['POST', 'application/x-www-form-urlencoded', at + '/urls'],
].entries()) {
  add('iframe', { name: 'frame' + n });
  const form = add('form', { method, action, enctype, target: 'frame' + n });
  add('input', { name: 'url', value: 'http://victim.test/form' }, form);
  form.submit();
}
add('iframe', {
  sandbox: 'allow-scripts allow-forms',
  srcdoc: '<form method=post enctype=text/plain action=' + at + '/urls><input name=http://victim.test/></form>' +
    '<script>document.forms[0].submit()<' + '/script>',
});
navigator.sendBeacon(at + '/urls', 'http://victim.test/beacon');
const marked = { 'content-type': 'application/json', 'x-crawlstream': '1' };
Promise.all([
  [aim('fetch'), { mode: 'no-cors' }],
  [at + '/urls', { mode: 'no-cors', method: 'POST', body: 'http://victim.test/' }],
  [at + '/urls', { method: 'POST', body: '{"url":"http://victim.test/"}', headers: marked }],
  [aim('marked'), { headers: marked }],
  [at + '/metrics', {}],
  [at + '/metrics', { mode: 'no-cors' }],
].map(([url, init]) => fetch(url, init).then((answer) => answer.text()).catch(() => '')))
  .then((told) => { document.title = 'read ' + JSON.stringify(told.filter((text) => text !== '')); });
`;

/** A page of another site: its name is another's, though its address is this machine's. */
async function startHostile(t: TestContext): Promise<string> {
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url!, 'http://evil.test');
    const to = searchParams.get('to') ?? '';
    if (pathname === '/moved') response.writeHead(302, { location: to }).end();
    else if (pathname === '/refresh') response.writeHead(200, { refresh: `0;url=${to}` }).end();
    else response.writeHead(200, { 'content-type': 'text/html' }).end(`<body><script>${script}</script>`);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://evil.test:${(server.address() as AddressInfo).port}`;
}

/** A link of a terminal or a mail: no page has asked the browser for it. */
async function openFromOutside(browser: Browser, url: string): Promise<void> {
  const page = await browser.newPage();
  const arrived = page.waitForResponse(/indexnow/, { timeout: 10_000 });
  await page.goto(url).catch(() => {});
  await arrived;
  await page.close();
}

test('no foreign page can push a URL or read, nor can one behind a link of the operator’s', {
  skip: executablePath === undefined && noBrowser,
  timeout: 600_000,
}, async (t) => {
  const { port, asked, taken } = await startService(t);
  const hostile = await startHostile(t);
  const args = ['--no-sandbox', '--host-resolver-rules=MAP evil.test 127.0.0.1'];
  const browser = await chromium.launch({ executablePath: executablePath!, args });
  t.after(() => browser.close());
  for (const at of [`127.0.0.1:${port}`, `localhost:${port}`]) {
    for (const way of ['moved', 'refresh']) {
      const aim = encodeURIComponent(`http://${at}/indexnow?url=http://victim.test/${way}`);
      await openFromOutside(browser, `${hostile}/${way}?to=${aim}`);
      assert.equal(taken(), 0, `${way} to ${at}`);
    }
    const page = await browser.newPage();
    await page.goto(`${hostile}/?at=${at}`);
    await page.waitForFunction('document.title.startsWith("read")', undefined, { timeout: 30_000 });
    assert.equal(await page.title(), 'read []');
    await page.waitForLoadState('networkidle');
    await page.close();
  }
  for (const one of ['GET /indexnow?url=http://victim.test/img', 'POST /urls', 'GET /metrics']) {
    assert.ok(asked.includes(one), `${one} was sent: ${asked}`);
  }
  assert.equal(taken(), 0, `${asked}`);
});
