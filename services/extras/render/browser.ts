/**
 * Runs pages in a browser: chromium, with playwright-core. Only this file uses it.
 *
 * The browser cannot reach a network: if the machine allows it, it has none (own-network.ts). Names resolve to
 * nothing, its proxy is a port without a listener, and every request is answered here, from the fetched page or by
 * `load`. At its start, a test checks that nothing gets past (containment.ts). Each page has a separate context,
 * without cookies of others. A page that does not end is given up with its current content; a browser that hangs is
 * killed.
 */
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { BrowserContext, Browser as Chromium, Page, Route } from 'playwright-core';
import { CrawlstreamError } from '../../../topology/errors.ts';
import { neededPackage } from '../../runtime/needed-package.ts';
import { proveContained } from './containment.ts';
import { type ApartExecutable, withoutNetwork } from './own-network.ts';
import { renderLimits } from './render-limits.ts';

/** Names in lower case, and values, alternating. */
type Headers = readonly string[];

export interface RenderPage {
  readonly url: string;
  readonly status: number;
  readonly headers: Headers;
  readonly body: Buffer;
  /** Its scripts' User-Agent. Absent: the browser's. */
  readonly userAgent?: string;
}

export interface Loaded {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Buffer;
}

/** Requests a resource of the page. Null: it has none. */
type Load = (url: string) => Promise<Loaded | null>;

export interface Rendered {
  /** The document as its scripts left it. */
  readonly html: string;
  /** Requests answered, and refused. */
  readonly loaded: number;
  readonly refused: number;
  /** False if the page was still loading at the time limit. */
  readonly settled: boolean;
  /** The upper part of the page as a JPEG. Empty: there is none. */
  readonly screenshot: Uint8Array;
  /** The reason why a wanted screenshot is missing. Absent: there is one, or none is wanted. */
  readonly noScreenshot?: NoScreenshot;
}

export type NoScreenshot = 'late' | 'large' | 'failed';

export type NotAsked = 'kind' | 'budget';

export interface Browser {
  /** Starts it before the first page. Rejects with UNSUPPORTED if it does not start, or can reach the network. */
  start(): Promise<void>;
  /**
   * The reason why the newest browser shares the machine's network; null: it has none, or no browser has started yet.
   */
  readonly sharesNetwork: string | null;
  /** Number of a page's wanted resources that were not requested, by reason: a kind without text, or over the limit. */
  stats(): Readonly<Record<NotAsked, number>>;
  /** Null: the page killed its browser. */
  render(page: RenderPage, load: Load): Promise<Rendered | null>;
  close(): Promise<void>;
}

export interface BrowserOptions {
  /** Path of a chromium. */
  readonly executable: string;
  readonly userAgent: string;
  /** Longest time for one page, ms. */
  readonly timeoutMs: number;
  /** If nothing was requested for this long, the page counts as complete, ms. */
  readonly quietMs: number;
  /** Requests of one page that are answered. */
  readonly requestsMax: number;
  /** Width of a screenshot of each page, in pixels. Absent: none is taken. */
  readonly screenshotPx?: number | undefined;
  /** Run without a network if the machine allows it. Default true. */
  readonly apart?: boolean;
}

/** Types of resources to load; pictures, fonts and media do not change the text. */
const wantedTypes = new Set(['document', 'script', 'stylesheet', 'xhr', 'fetch']);

/** Names of chromium programs, on Debian and elsewhere. */
const executables = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

/** Throws UNSUPPORTED with instructions to install one. */
export function findChromium(env: NodeJS.ProcessEnv = process.env): string {
  for (const folder of (env['PATH'] ?? '').split(delimiter)) {
    for (const name of executables) if (folder !== '' && existsSync(join(folder, name))) return join(folder, name);
  }
  throw new CrawlstreamError(
    'UNSUPPORTED',
    'no chromium found: install one (Debian: apt-get install chromium), or give its path with --browser PATH',
  );
}

export function createBrowser(options: BrowserOptions): Browser {
  return new ChromiumBrowser(options);
}

class ChromiumBrowser implements Browser {
  readonly #options: BrowserOptions;
  #running: Promise<Chromium> | undefined;
  #sharesNetwork: string | null = null;
  readonly #notAsked: Record<NotAsked, number> = { kind: 0, budget: 0 };

  constructor(options: BrowserOptions) {
    this.#options = options;
  }

  get sharesNetwork(): string | null {
    return this.#sharesNetwork;
  }

  stats(): Readonly<Record<NotAsked, number>> {
    return { ...this.#notAsked };
  }

  async start(): Promise<void> {
    await this.#started();
  }

  async render(page: RenderPage, load: Load): Promise<Rendered | null> {
    const browser = await this.#started();
    let context: BrowserContext | undefined;
    try {
      context = await browser.newContext({
        userAgent: page.userAgent ?? this.#options.userAgent,
        serviceWorkers: 'block',
        acceptDownloads: false,
        javaScriptEnabled: true,
        viewport,
      });
      const { timeoutMs, screenshotPx } = this.#options;
      const { tab, rendered } = await inTime(this.#renderIn(context, page, load), timeoutMs + graceMs);
      return screenshotPx === undefined ? rendered : { ...rendered, ...(await screenshotOf(tab, screenshotPx)) };
    } catch {
      await this.close();
      return null;
    } finally {
      await context?.close().catch(() => {});
    }
  }

  async close(): Promise<void> {
    const stopped = this.#running;
    this.#running = undefined;
    await stopped?.then((browser) => browser.close()).catch(() => {});
  }

  /** A browser that did not start is started again for the next page. */
  #started(): Promise<Chromium> {
    if (this.#running !== undefined) return this.#running;
    const starting = this.#launched();
    this.#running = starting;
    starting.catch(() => {
      if (this.#running === starting) this.#running = undefined;
    });
    return starting;
  }

  async #launched(): Promise<Chromium> {
    const made = await launch(this.#options);
    this.#sharesNetwork = made.sharesNetwork;
    return made.browser;
  }

  async #renderIn(
    context: BrowserContext,
    page: RenderPage,
    load: Load,
  ): Promise<{ readonly tab: Page; readonly rendered: Rendered }> {
    const { timeoutMs, quietMs, requestsMax } = this.#options;
    const requests = new PageRequests(page, load, requestsMax, this.#notAsked);
    await context.route('**/*', (route) => requests.take(route));
    const tab = await context.newPage();
    const endMs = performance.now() + timeoutMs;
    await tab.goto(page.url, { waitUntil: 'domcontentloaded', timeout: timeoutMs }).catch(() => {});
    let settled = false;
    while (!settled && performance.now() < endMs) {
      await tab.waitForTimeout(50);
      settled = requests.areQuietFor(quietMs);
    }
    const html = await tab.content();
    const { loaded, refused } = requests;
    return { tab, rendered: { html, loaded, refused, settled, screenshot: noJpeg } };
  }
}

/** The part of a page that a screenshot shows: of a window of the usual size. */
const viewport = { width: renderLimits.screenshotPxMax, height: 720 } as const;
const noJpeg = Buffer.alloc(0);
/** Qualities of a JPEG, the second for pages that are too large in the first. */
const qualities = [60, 25] as const;

/**
 * The page keeps its size, and only the picture is made smaller. It has its own time limit, since the document has been
 * read by then: a screenshot that fails costs nothing else.
 */
async function screenshotOf(tab: Page, px: number): Promise<Pick<Rendered, 'screenshot' | 'noScreenshot'>> {
  const { screenshotMs, screenshotBytesMax } = renderLimits;
  const endMs = performance.now() + screenshotMs;
  try {
    const jpeg = await inTime(jpegWithin(tab, px, screenshotBytesMax), screenshotMs);
    return jpeg.length === 0 ? { screenshot: noJpeg, noScreenshot: 'large' } : { screenshot: jpeg };
  } catch {
    return { screenshot: noJpeg, noScreenshot: performance.now() >= endMs ? 'late' : 'failed' };
  }
}

/** Empty: it has more than `bytesMax`. */
async function jpegWithin(tab: Page, px: number, bytesMax: number): Promise<Uint8Array> {
  const session = await tab.context().newCDPSession(tab);
  const clip = { x: 0, y: 0, ...viewport, scale: px / viewport.width };
  for (const quality of qualities) {
    const { data } = await session.send('Page.captureScreenshot', { format: 'jpeg', quality, clip });
    const jpeg = Buffer.from(data, 'base64');
    if (jpeg.length <= bytesMax) return jpeg;
  }
  return noJpeg;
}

/** The requests of one page: each is answered from here, or refused. */
class PageRequests {
  readonly #page: RenderPage;
  readonly #load: Load;
  readonly #requestsMax: number;
  /** Counted for all pages of the browser. */
  readonly #notAsked: Record<NotAsked, number>;
  loaded = 0;
  refused = 0;
  #open = 0;
  #quietSinceMs = performance.now();
  #isServed = false;

  constructor(page: RenderPage, load: Load, requestsMax: number, notAsked: Record<NotAsked, number>) {
    this.#page = page;
    this.#load = load;
    this.#requestsMax = requestsMax;
    this.#notAsked = notAsked;
  }

  areQuietFor(ms: number): boolean {
    return this.#open === 0 && performance.now() - this.#quietSinceMs >= ms;
  }

  async take(route: Route): Promise<void> {
    const request = route.request();
    // The page itself is served from here; any other document is a frame, or leads elsewhere.
    if (!this.#isServed && request.isNavigationRequest() && sameDocument(request.url(), this.#page.url)) {
      this.#isServed = true;
      await answer(route, this.#page);
      return;
    }
    const isWanted = wantedTypes.has(request.resourceType()) && request.method() === 'GET';
    const isOther = !isWanted || request.isNavigationRequest();
    if (isOther || this.loaded >= this.#requestsMax) {
      this.#notAsked[isOther ? 'kind' : 'budget'] += 1;
      this.refused += 1;
      await route.abort('blockedbyclient').catch(() => {});
      return;
    }
    this.#open += 1;
    const made = await this.#load(request.url()).catch(() => null);
    this.#open -= 1;
    this.#quietSinceMs = performance.now();
    if (made === null) {
      this.refused += 1;
      await route.abort('failed').catch(() => {});
    } else {
      this.loaded += 1;
      await answer(route, made);
    }
  }
}

/** Extra time for a page to stop, ms. A page with an endless script stops answering, and its browser is killed. */
const graceMs = 5_000;

function inTime<T>(work: Promise<T>, waitMs: number): Promise<T> {
  work.catch(() => {});
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`the browser did not answer within ${waitMs} ms`)), waitMs);
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

interface Launched {
  readonly browser: Chromium;
  readonly sharesNetwork: string | null;
}

async function launch({ executable, apart = true }: BrowserOptions): Promise<Launched> {
  const own = apart ? await withoutNetwork(executable) : { why: 'it was asked to' };
  const launched = 'why' in own ? await startShared(executable, own.why) : await startApart(own, executable);
  const { browser } = launched;
  try {
    await proveContained(browser, executable);
  } catch (error) {
    await browser.close();
    throw error;
  }
  return launched;
}

async function startApart(own: ApartExecutable, executable: string): Promise<Launched> {
  try {
    return { browser: await start(own.path), sharesNetwork: null };
  } catch (error) {
    // The package is missing.
    if (error instanceof CrawlstreamError) throw error;
    // A chromium that fails in a namespace may work without one.
    return await startShared(executable, 'this chromium does not start in a network namespace');
  } finally {
    await own.forget();
  }
}

async function start(executablePath: string): Promise<Chromium> {
  const { chromium } = await neededPackage('playwright-core', 'a browser', () => import('playwright-core'));
  return chromium.launch({
    executablePath,
    // Chromium's own sandbox does not work for root, nor in most containers.
    chromiumSandbox: process.getuid?.() !== 0 && process.env['CRAWLSTREAM_NO_SANDBOX'] === undefined,
    proxy: { server: 'http://127.0.0.1:9' },
    args: [
      '--host-resolver-rules=MAP * ~NOTFOUND',
      '--webrtc-ip-handling-policy=disable_non_proxied_udp',
      '--disable-dev-shm-usage',
      '--disable-gpu',
    ],
  });
}

async function startShared(executable: string, sharesNetwork: string): Promise<Launched> {
  try {
    return { browser: await start(executable), sharesNetwork };
  } catch (error) {
    if (error instanceof CrawlstreamError) throw error;
    const message = `${executable} does not start: ${(error as Error).message.split('\n', 1)[0]}`;
    throw new CrawlstreamError('UNSUPPORTED', message, error);
  }
}

function sameDocument(url: string, page: string): boolean {
  return url.split('#', 1)[0] === page.split('#', 1)[0];
}

async function answer(route: Route, { status, headers, body }: Loaded): Promise<void> {
  const fields: Record<string, string> = {};
  for (let i = 0; i < headers.length; i += 2) {
    const name = headers[i]!;
    if (!/^(content-encoding|content-length|transfer-encoding|connection|set-cookie)$/.test(name)) {
      fields[name] ??= headers[i + 1]!;
    }
  }
  await route.fulfill({ status, headers: fields, body }).catch(() => {});
}
