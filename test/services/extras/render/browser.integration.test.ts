import assert from 'node:assert/strict';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { type Browser, createBrowser, findChromium, type Loaded } from '../../../../services/extras/render/browser.ts';
import { withoutNetwork } from '../../../../services/extras/render/own-network.ts';
import { renderMetrics } from '../../../../services/extras/render/render-metrics.ts';
import { createExposition } from '../../../../services/runtime/metrics/exposition.ts';
import { chromiumHere, noBrowser } from '../../../browser/chromium.ts';

const executable = chromiumHere();

/** Processes that this one has started and that are a chromium's, children of its children among them. */
function browsersHere(): number[] {
  const parents = new Map<number, number>();
  const browsers = new Set<number>();
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const pid = Number(name);
      parents.set(pid, Number(/^PPid:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]));
      if (readFileSync(`/proc/${pid}/cmdline`, 'latin1').includes('--host-resolver-rules')) browsers.add(pid);
    } catch {
      // It has ended meanwhile.
    }
  }
  const isOurs = (pid: number): boolean => pid === process.pid || (parents.has(pid) && isOurs(parents.get(pid)!));
  return [...browsers].filter(isOurs);
}

describe('a page in a browser', { skip: executable === undefined ? noBrowser : false }, () => {
  let browser: Browser;
  before(() => {
    const limits = { timeoutMs: 10_000, quietMs: 200, requestsMax: 10 };
    browser = createBrowser({ executable: executable!, userAgent: 'crawlstream/test', ...limits });
  });
  after(() => browser.close());

  const render = (html: string, site: Readonly<Record<string, string>> = {}, asked: string[] = []) =>
    browser.render(
      { url: 'http://shop.test/a?b#c', status: 200, headers: ['content-type', 'text/html'], body: Buffer.from(html) },
      async (url): Promise<Loaded | null> => {
        asked.push(url);
        const body = site[url];
        if (body === undefined) return null;
        const type = url.endsWith('.js') ? 'text/javascript' : 'application/json';
        return { status: 200, headers: ['content-type', type], body: Buffer.from(body) };
      },
    );

  it('a page in a browser is the result of its scripts, with what they load, and its own URL', async () => {
    const asked: string[] = [];
    const made = await render(
      '<div id=app></div><script src="/app.js"></script>',
      {
        'http://shop.test/app.js': `fetch('/items.json').then((r) => r.json()).then((items) => {
          document.title = location.href + ' ' + navigator.userAgent;
          document.getElementById('app').innerHTML = items.map((item) => '<a href="/i/' + item + '">' + item + '</a>').join('');
        });`,
        'http://shop.test/items.json': '["lamp","chair"]',
      },
      asked,
    );
    assert.match(made?.html ?? '', /<a href="\/i\/lamp">lamp<\/a><a href="\/i\/chair">chair<\/a>/);
    assert.match(made?.html ?? '', /<title>http:\/\/shop\.test\/a\?b(#c)? crawlstream\/test<\/title>/);
    assert.deepEqual(asked, ['http://shop.test/app.js', 'http://shop.test/items.json']);
    assert.deepEqual([made?.loaded, made?.refused, made?.settled], [2, 0, true]);
  });

  it('a page in a browser reaches only what we give it: no pictures, forms, frames, sockets or linked pages', async () => {
    const asked: string[] = [];
    const made = await render(
      `<img src="/i.png"><iframe src="http://other.test/f"></iframe><link rel=dns-prefetch href="//prefetch.test"><p>here</p>
       <script>
         try { new WebSocket('ws://127.0.0.1:1/').onerror = () => document.body.append('no socket'); } catch { document.body.append('no socket'); }
         fetch('/post', { method: 'POST' }).catch(() => document.body.append('no post'));
         location.href = 'http://elsewhere.test/';
       </script>`,
      {},
      asked,
    );
    assert.match(made?.html ?? '', /here/);
    assert.deepEqual(asked, []);
    assert.ok((made?.refused ?? 0) >= 3);
  });

  it('a page in a browser runs without a network namespace’s access to the network, where the machine allows that', async (test) => {
    const own = await withoutNetwork(executable!);
    if ('why' in own) return test.skip(`this machine allows no network namespaces: ${own.why}`);
    await own.forget();
    await browser.start();
    assert.equal(browser.sharesNetwork, null);
    const networks = browsersHere().map((pid) => readlinkSync(`/proc/${pid}/ns/net`));
    assert.ok(networks.length > 0);
    assert.ok(!networks.includes(readlinkSync('/proc/self/ns/net')), 'a browser shares the network of its crawler');
    const made = await render('<p id=x>a</p><script>x.textContent = "b"</script>');
    assert.match(made?.html ?? '', /<p id="x">b<\/p>/);
  });

  it('a page in a browser shares the machine’s network if no namespace is allowed, and the log says why', async (test) => {
    const folder = await mkdtemp(join(tmpdir(), 'no-unshare-'));
    const path = process.env['PATH']!;
    test.after(() => rm(folder, { recursive: true }));
    await writeFile(join(folder, 'unshare'), '#!/bin/sh\necho "unshare failed: not permitted" >&2\nexit 1\n', {
      mode: 0o755,
    });
    const limits = { timeoutMs: 10_000, quietMs: 200, requestsMax: 1 };
    const shared = createBrowser({ executable: executable!, userAgent: 'x', ...limits });
    assert.equal(shared.sharesNetwork, null, 'there is no browser yet');
    test.after(() => shared.close());
    process.env['PATH'] = `${folder}:${path}`;
    await shared.start().finally(() => (process.env['PATH'] = path));
    assert.equal(shared.sharesNetwork, 'unshare failed: not permitted');

    const notLoaded = () => ({ robots: 3, late: 0 });
    const renderer = {
      stats: () => ({ rendered: 1, failed: 2, passedOver: 4 }),
      noScreenshots: () => ({ late: 0, large: 5, record: 3, failed: 0 }),
    };
    const scrape = async (of: Browser) => {
      const source = renderMetrics({ browser: of, renderer, notLoaded });
      const { text } = await createExposition(
        () => [source],
        (error) => assert.fail(error as Error),
      ).scrape();
      return text.split('\n').filter((line) => line.startsWith('crawlstream_render_'));
    };
    const html = Buffer.from(`<img src=/i.png><script src=/a.js></script><script src=/b.js></script>`);
    await shared.render(
      { url: 'http://a.test/', status: 200, headers: ['content-type', 'text/html'], body: html },
      async () => ({
        ...{ status: 200, headers: ['content-type', 'text/javascript'], body: Buffer.from('1') },
      }),
    );
    assert.deepEqual(await scrape(shared), [
      'crawlstream_render_pages_total{outcome="rendered"} 1',
      'crawlstream_render_pages_total{outcome="failed"} 2',
      'crawlstream_render_pages_total{outcome="resting"} 4',
      'crawlstream_render_passed_over_total{reason="kind"} 1',
      'crawlstream_render_passed_over_total{reason="budget"} 1',
      'crawlstream_render_passed_over_total{reason="robots"} 3',
      'crawlstream_render_passed_over_total{reason="late"} 0',
      'crawlstream_render_no_screenshot_total{reason="late"} 0',
      'crawlstream_render_no_screenshot_total{reason="large"} 5',
      'crawlstream_render_no_screenshot_total{reason="record"} 3',
      'crawlstream_render_no_screenshot_total{reason="failed"} 0',
      'crawlstream_render_shared_network 1',
    ]);
  });

  it('a page in a browser sends no UDP past us, by WebRTC or WebTransport', async (test) => {
    const socket = createSocket('udp4');
    test.after(() => socket.close());
    let packets = 0;
    socket.on('message', () => (packets += 1)).bind(0, '127.0.0.1');
    await once(socket, 'listening');
    const { port } = socket.address();
    await render(`<script>
      const peer = new RTCPeerConnection({ iceServers: [{ urls: 'stun:127.0.0.1:${port}' }] });
      peer.createDataChannel('x');
      peer.createOffer().then((offer) => peer.setLocalDescription(offer));
      try { new WebTransport('https://127.0.0.1:${port}/').ready.catch(() => {}); } catch {}
      setInterval(() => fetch('/still-here').catch(() => {}), 100);
      setTimeout(() => location.reload(), 2_500);
    </script>`);
    assert.equal(packets, 0);
  });

  it('a page in a browser that lets UDP out is not opened: the renderer refuses and says so', async (test) => {
    const folder = await mkdtemp(join(tmpdir(), 'leaky-'));
    test.after(() => rm(folder, { recursive: true }));
    // A chromium that passes over our flag, as one did to which it had another name.
    const leaky = join(folder, 'chromium');
    const script = `#!/bin/sh\nfor arg do\n  shift\n  case "$arg" in --webrtc-*) ;; *) set -- "$@" "$arg" ;; esac\ndone\nexec ${executable} "$@"\n`;
    await writeFile(leaky, script, { mode: 0o755 });
    const limits = { timeoutMs: 10_000, quietMs: 200, requestsMax: 10 };
    const open = createBrowser({ executable: leaky, userAgent: 'x', apart: false, ...limits });
    test.after(() => open.close());
    const page = { url: 'http://a.test/', status: 200, headers: [], body: Buffer.from('<p>x') };
    await assert.rejects(
      open.render(page, async () => null),
      /allows pages to send UDP around the crawler/,
    );
  });

  it('a page in a browser has a screenshot of the width that is wanted, and none by default', async (test) => {
    const limits = { timeoutMs: 10_000, quietMs: 100, requestsMax: 1, screenshotPx: 320 };
    const drawing = createBrowser({ executable: executable!, userAgent: 'x', ...limits });
    test.after(() => drawing.close());
    const html =
      '<body><script>document.body.style.background = "red"; document.body.append([innerWidth, innerHeight, devicePixelRatio])</script>';
    const page = {
      url: 'http://a.test/',
      status: 200,
      headers: ['content-type', 'text/html'],
      body: Buffer.from(html),
    };
    const made = await drawing.render(page, async () => null);
    assert.match(made!.html, />1280,720,1</, 'the page is laid out as without a screenshot');
    const jpeg = Buffer.from(made!.screenshot);
    assert.equal(jpeg.subarray(0, 3).toString('hex'), 'ffd8ff');
    // A start of frame: length, precision, height, width (ITU-T T.81, B.2.2).
    const frame = jpeg.indexOf(Buffer.from('ffc0', 'hex'));
    assert.deepEqual([jpeg.readUInt16BE(frame + 7), jpeg.readUInt16BE(frame + 5)], [320, 180]);
    const plain = await render(html);
    assert.equal(plain!.screenshot.length, 0);
    assert.match(plain!.html, />1280,720,1</);
  });

  it('a page in a browser that is too large for a screenshot, or too slow, keeps its document', async (test) => {
    const limits = { timeoutMs: 30_000, quietMs: 300, requestsMax: 1, screenshotPx: 1_280 };
    const drawing = createBrowser({ executable: executable!, userAgent: 'x', ...limits });
    test.after(() => drawing.close());
    const rendered = (script: string) => {
      const body = Buffer.from(`<canvas width=1280 height=720></canvas><p>kept<script>${script}</script>`);
      const headers = ['content-type', 'text/html'];
      return drawing.render({ url: 'http://a.test/', status: 200, headers, body }, async () => null);
    };
    const noise = await rendered(`
      const context = document.querySelector('canvas').getContext('2d');
      const image = context.createImageData(1280, 720);
      for (let i = 0; i < image.data.length; i++) image.data[i] = i % 4 === 3 ? 255 : Math.random() * 256;
      context.putImageData(image, 0, 0);`);
    assert.match(noise!.html, /kept/);
    assert.deepEqual([noise!.screenshot.length, noise!.noScreenshot], [0, 'large']);
    // The document is read between two pieces of work, and the screenshot waits for the end of the second.
    const busy = await rendered(`
      const work = () => { for (const end = Date.now() + 4_000; Date.now() < end; ); setTimeout(work, 0); };
      setTimeout(work, 0);`);
    assert.match(busy!.html, /kept/);
    assert.deepEqual([busy!.screenshot.length, busy!.noScreenshot], [0, 'late']);
  });

  it('a page in a browser that loads or runs for ever is ended with what it has, and the next one is rendered', async (test) => {
    const quick = createBrowser({
      executable: executable!,
      userAgent: 'x',
      timeoutMs: 1_500,
      quietMs: 700,
      requestsMax: 1_000,
    });
    test.after(() => quick.close());
    const page = (html: string) => ({ url: 'http://a.test/', status: 200, headers: [], body: Buffer.from(html) });
    const nothing = async () => null;
    const busy = await quick.render(
      page('<p>busy</p><script>setInterval(() => fetch("/again?" + Math.random()).catch(() => {}), 50)</script>'),
      nothing,
    );
    assert.match(busy?.html ?? '', /busy/);
    assert.equal(busy?.settled, false);
    const loop = await quick.render(page('<p>loop</p><script>for (;;);</script>'), nothing);
    assert.equal(loop, null);
    assert.match((await quick.render(page('<p>next</p>'), nothing))?.html ?? '', /next/);
  });
});

it('without chromium, the error says how to install it', () => {
  assert.throws(() => findChromium({ PATH: '/nowhere' }), /no chromium found: install one/);
});
