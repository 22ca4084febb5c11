/** Headless Chromium, for pages: the title and the links of its document. */
import { setTimeout as wait } from 'node:timers/promises';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { endMark, startMark } from './draft.ts';
import type { Reader } from './peers.ts';
import type { Reading } from './reading.ts';

const browsers = 3;
const timeoutMs = 4000;

/** Runs in the page. */
const read = `({
  title: document.title,
  text: document.documentElement ? document.documentElement.textContent : '',
  type: document.contentType,
  links: [...document.querySelectorAll('a[href],area[href]')].map((link) => link.href.baseVal === undefined ? link.href : new URL(link.href.baseVal, document.baseURI).href),
})`;

/** Windows of a separate browser. */
interface Tab {
  readonly browser: Browser;
  readonly context: BrowserContext;
  readonly page: Page;
}

interface Document {
  readonly title: string;
  readonly text: string;
  readonly type: string;
  readonly links: readonly string[];
}

/** A reader that asks the browser at `executablePath`. Scripts are off. */
export function browserReader(executablePath: string, normal: (links: readonly string[]) => string[]): Reader {
  return async (hosts, numbers) => {
    const readings = new Map<number, Reading>();
    const left = [...numbers];
    const readAll = async () => {
      let tab = await openTab(executablePath);
      for (let n = left.shift(); n !== undefined; n = left.shift()) {
        const document = await inTime(documentAt(tab, hosts.urlOf(n)));
        readings.set(n, readingOf(document, normal));
        if (document !== undefined) continue;
        // The browser's own page about the failure may still be on its way, and would interrupt the next one.
        const next = await inTime(nextTab(tab));
        if (next === undefined) await inTime(tab.browser.close());
        tab = next ?? (await openTab(executablePath));
      }
      await inTime(tab.browser.close());
    };
    await Promise.all(Array.from({ length: browsers }, readAll));
    return readings;
  };
}

async function openTab(executablePath: string): Promise<Tab> {
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--no-proxy-server'] });
  const context = await browser.newContext({ acceptDownloads: false, javaScriptEnabled: false });
  return { browser, context, page: await context.newPage() };
}

async function nextTab({ browser, context, page }: Tab): Promise<Tab> {
  await page.close();
  return { browser, context, page: await context.newPage() };
}

/** Undefined: the browser shows no answer. */
async function documentAt({ page }: Tab, url: string): Promise<Document | undefined> {
  const answered = await page.goto(url, { timeout: timeoutMs, waitUntil: 'load' });
  return answered === null ? undefined : page.evaluate<Document>(read);
}

/** Undefined: it failed, or took too long. A browser that hangs answers no call, whatever its time limit. */
function inTime<T>(work: Promise<T>): Promise<T | undefined> {
  const failed = work.catch(() => undefined);
  return Promise.race([failed, wait(2 * timeoutMs, undefined, { ref: false })]);
}

function readingOf(document: Document | undefined, normal: (links: readonly string[]) => string[]): Reading {
  const text = document?.text.replaceAll('\0', '') ?? '';
  if (document === undefined || !text.includes(startMark)) return { got: 'nothing' };
  const got = text.includes(endMark) ? 'whole' : 'part';
  // A body shown as text, in a page that the browser made for it, has neither title nor links.
  if (!/html/.test(document.type)) return { got };
  return { got, title: document.title, links: normal(document.links) };
}
