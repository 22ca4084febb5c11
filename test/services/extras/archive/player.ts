/** ReplayWeb.page, fetched once from its registry, in a real browser. */
import { execFile, execFileSync } from 'node:child_process';
import { createReadStream, existsSync, readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { promisify } from 'node:util';
import { chromium } from 'playwright-core';
import { cacheFolder, fetchOnce } from '../../../../lab/kafka/components.ts';
import { chromiumHere } from '../../../browser/chromium.ts';
import { until } from '../../until.ts';

const run = promisify(execFile);

/** A page with the player in it, on an origin of its own. */
export async function openPlayer(t: TestContext, wacz: string, url: string) {
  const name = 'replaywebpage-2.5.3';
  await fetchOnce(name, async (into) => {
    await run('npm', ['pack', '--silent', 'replaywebpage@2.5.3'], { cwd: into });
    const archive = readdirSync(into).find((file) => file.endsWith('.tgz'))!;
    execFileSync('tar', ['xzf', archive, '--strip-components=1', 'package/ui.js', 'package/sw.js'], { cwd: into });
  });
  const player = `<!doctype html><script src="/ui.js"></script>
<replay-web-page style="height:90vh" source="/pond.wacz" url="${url.replaceAll('&', '&amp;')}" replayBase="/replay/" embed="replayonly"></replay-web-page>`;
  const server = createServer((request, response) => {
    const path = request.url!.split('?')[0]!;
    const file = path === '/pond.wacz' ? wacz : join(cacheFolder, name, path.replace(/^\/replay\//, '/'));
    if (path === '/') return response.setHeader('content-type', 'text/html').end(player);
    if (!existsSync(file) || path === '/replay/') return response.writeHead(404).end();
    response.setHeader('content-type', file.endsWith('.js') ? 'text/javascript' : 'application/zip');
    response.setHeader('accept-ranges', 'bytes');
    const whole = readFileSync(file).length;
    const [, first, last] = /^bytes=(\d*)-(\d*)$/.exec(request.headers.range ?? '') ?? [];
    if (first === undefined) return response.setHeader('content-length', whole).end(readFileSync(file));
    const start = first === '' ? Math.max(0, whole - Number(last)) : Number(first);
    const end = first === '' || last === '' ? whole - 1 : Math.min(Number(last), whole - 1);
    response.writeHead(206, { 'content-range': `bytes ${start}-${end}/${whole}`, 'content-length': end - start + 1 });
    return createReadStream(file, { start, end }).pipe(response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  const browser = await chromium.launch({ executablePath: chromiumHere()!, args: ['--no-sandbox'] });
  t.after(() => browser.close());
  const page = await browser.newPage();
  await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  // The player asks for its frame three times within a second, and its service worker may be slower than that to begin.
  const works = () => page.evaluate("navigator.serviceWorker.getRegistration('/replay/').then((one) => !!one?.active)");
  await until(async () => (await works()) === true);
  await page.reload();
  return page;
}
