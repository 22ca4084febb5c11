/** `crawlstream replay` in a real browser: real software's pages as they were, and hostile ones that get nowhere. */
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { type Browser, chromium, type Frame, type Page } from 'playwright-core';
import { lastJson, runCommand } from '../../../../../lab/process/command.ts';
import { chromiumHere, noBrowser } from '../../../../browser/chromium.ts';
import { hgweb } from '../../../../zoo/sites/hgweb.ts';
import { temporaryFolder } from '../../../runtime/store/temporary-folder.ts';
import { until } from '../../../until.ts';
import { replaying } from './replaying.ts';
import { writeWarc } from './warc-file.ts';

const executablePath = chromiumHere();
const skip = executablePath === undefined && noBrowser;
const folder = temporaryFolder();
let browser: Browser | undefined;

before(async () => {
  if (executablePath !== undefined) browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
});
after(() => browser?.close());

/** A page, and the URLs that its browser asks for. */
async function opened(): Promise<{ readonly page: Page; readonly asked: string[] }> {
  const page = await browser!.newPage();
  const asked: string[] = [];
  page.on('request', (request) => asked.push(request.url()));
  return { page, asked };
}

/** The archived page in its frame. */
async function framed(page: Page): Promise<Frame> {
  await until(() => page.frames().length > 1 && page.frames()[1]!.url().includes('/web/'));
  const frame = page.frames()[1]!;
  await frame.waitForLoadState('load', { timeout: 30_000 });
  return frame;
}

test('a crawl of hgweb is shown with styles and pictures when hgweb is gone, and contacts nobody else', {
  skip,
}, async (t) => {
  const site = await hgweb.start();
  const data = join(folder, 'data');
  const way = ['--contact', 'a@pond.test', '--allow-private', '--delay', '0', '--max-pages', '30'];
  const kept = ['--with', 'archive', '--archive', 'all', '--requisites', '--data', data, '--json'];
  try {
    const crawl = await runCommand(['crawl', site.url, ...way, ...kept]);
    assert.equal(crawl.code, 0, crawl.stderr);
    assert.ok((lastJson(crawl)['pages'] as number) > 5, crawl.stdout);
  } finally {
    await site.stop();
  }
  await assert.rejects(fetch(site.url), 'it is gone');
  const { url, stop } = await replaying(['--data', data]);
  t.after(stop);
  const { page, asked } = await opened();
  const answer = await page.goto(`${url}/web/2099/${site.url}`);
  assert.equal(answer?.status(), 200);
  const frame = await framed(page);
  // In the page: `document` is the browser's.
  const look = `({ title: document.title, styles: document.styleSheets.length, rules: document.styleSheets[0].cssRules.length,
    pictures: [...document.images].map((image) => image.naturalWidth),
    color: getComputedStyle(document.querySelector('a')).color })`;
  const seen = (await frame.evaluate(look)) as {
    title: string;
    styles: number;
    rules: number;
    pictures: number[];
    color: string;
  };
  assert.match(seen.title, /Rivers/);
  assert.ok(seen.styles > 0 && seen.rules > 10, JSON.stringify(seen));
  assert.ok(seen.pictures.length > 0 && seen.pictures.every((width) => width > 0), JSON.stringify(seen));
  await page.screenshot({ path: join(folder, 'hgweb.png') });
  const link = frame.locator('a[href*="/rev/"]').first();
  await link.click({ timeout: 30_000 });
  await until(() => /\/web\/\d{14}\/\S+\/rev\//.test(page.frames()[1]!.url()));
  await page.frames()[1]!.waitForLoadState('load', { timeout: 30_000 });
  assert.match((await page.frames()[1]!.evaluate('document.body.innerText')) as string, /Change \d+/);
  const foreign = asked.filter((one) => !one.startsWith(`${url}/`) && !one.startsWith('data:'));
  assert.deepEqual(foreign, []);
  assert.ok(asked.some((one) => one.endsWith('.css')) && asked.some((one) => one.endsWith('.png')), asked.join('\n'));
});

test('a hostile page runs nothing, contacts nobody, and no link leads out of the archive', { skip }, async (t) => {
  const heard: string[] = [];
  const live = createServer((request, response) => {
    heard.push(request.url!);
    response.setHeader('access-control-allow-origin', '*').end('live');
  });
  await new Promise<void>((resolve) => live.listen(0, '127.0.0.1', resolve));
  t.after(() => live.close());
  const out = `http://127.0.0.1:${(live.address() as AddressInfo).port}`;
  const body = `<!doctype html><title>hostile</title><base href="${out}/base/"><link rel=preconnect href="${out}"><link rel=prefetch href="${out}/prefetch">
<meta http-equiv=refresh content="1;url=${out}/refresh"><style>@im\\70ort "${out}/import"; body{background:u\\72l(${out}/escaped)}</style>
<script>document.title = 'ran'; fetch('${out}/script')</script><script src="${out}/script.js"></script>
<body onload="document.title = 'ran'"><img src=x onerror="fetch('${out}/error')"><img srcset="${out}/set 1x"><p style="background:url(${out}/style)">
<svg><image href="${out}/image"/><style><p><a id=styled href="${out}/styled">a link that is text to one parser, and none to another</a></p></style></svg>
<a id=script href="javascript:document.title='ran'">js</a><a id=top target=_top href="${out}/top">top</a><a id=new target=_blank href="${out}/new">new</a>
<iframe src="${out}/frame"></iframe><iframe srcdoc="<script>parent.document.title='ran'</script><img src='${out}/srcdoc'>"></iframe>
<object data="${out}/object"></object><embed src="${out}/embed"><video src="${out}/video" autoplay></video>
<form action="${out}/form"><input name=q value=1><button id=send>send</button></form><iframe src="data:text/html,<img src='${out}/data'>"></iframe>`;
  const head =
    'HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nSet-Cookie: a=1\r\nContent-Security-Policy: default-src *\r\n' +
    `Strict-Transport-Security: max-age=1\r\nLink: <${out}/preload>; rel=preload; as=image\r\nRefresh: 0;url=${out}/header\r\nX-Frame-Options: DENY`;
  const file = writeWarc(folder, 'hostile', [{ url: 'http://evil.test/', time: '20260101000000', head, body }]);
  const { url, stop } = await replaying([file]);
  t.after(stop);
  const raw = await fetch(`${url}/web/20260101000000/http://evil.test/`);
  for (const name of ['set-cookie', 'strict-transport-security', 'refresh', 'x-frame-options'])
    assert.equal(raw.headers.get(name), null, name);
  assert.match(raw.headers.get('content-security-policy')!, /script-src 'none'/);
  const shown = `${url}/web/20260101000000/http://evil.test/`;
  const { page, asked } = await opened();
  await page.goto(shown);
  const first = await framed(page);
  const missed = (await first.evaluate("document.getElementById('styled').href")) as string;
  assert.equal(missed, `${out}/styled`, 'there is a link that was not led into the archive');
  for (const id of ['styled', 'script', 'top', 'new', 'send']) {
    const frame = await framed(page);
    await frame.locator(`#${id}`).click({ timeout: 10_000 });
    // What leads nowhere, or out, shows nothing of it; what was led into the archive shows that it is not there.
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    assert.equal(new URL(page.url()).origin, url, id);
    assert.equal(page.context().pages().length, 1, `${id} opened no window`);
    await page.goto(shown);
  }
  assert.equal(await (await framed(page)).evaluate('document.title'), 'hostile', 'nothing ran');
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  assert.deepEqual(heard, [], 'nobody was asked, also by the refresh');
  const inArchive = asked.filter((one) => one.startsWith(`${url}/web/`)).map((one) => one.replace(/^.*:\d+/, ''));
  for (const path of ['/top', '/new', '/set', '/frame']) assert.ok(inArchive.includes(path), `${path}: ${inArchive}`);
  assert.deepEqual(await page.context().cookies(), []);
});
