/** Headless Chromium, for pages: the title and the links that its document has. */
import { chromium } from 'playwright-core';
import { endMark, startMark } from './draft.ts';
import type { Reader } from './peers.ts';
import type { Reading } from './reading.ts';

const pagesAtOnce = 4;
const timeoutMs = 4000;

/** Runs in the page. */
const read = `({
  title: document.title,
  text: document.documentElement ? document.documentElement.textContent : '',
  type: document.contentType,
  links: [...document.querySelectorAll('a[href],area[href]')].map((link) => link.href.baseVal === undefined ? link.href : new URL(link.href.baseVal, document.baseURI).href),
})`;

interface Document {
  readonly title: string;
  readonly text: string;
  readonly type: string;
  readonly links: readonly string[];
}

/** A reader that asks the browser at `executablePath`. Scripts are off. */
export function browserReader(executablePath: string, normal: (links: readonly string[]) => string[]): Reader {
  return async (hosts, numbers) => {
    const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--no-proxy-server'] });
    const context = await browser.newContext({ acceptDownloads: false, javaScriptEnabled: false });
    const readings = new Map<number, Reading>();
    const left = [...numbers];
    const readAll = async () => {
      let page = await context.newPage();
      for (let n = left.shift(); n !== undefined; n = left.shift()) {
        const answered = await page.goto(hosts.urlOf(n), { timeout: timeoutMs, waitUntil: 'load' }).catch(() => null);
        const document = answered === null ? undefined : await page.evaluate<Document>(read).catch(() => undefined);
        readings.set(n, readingOf(document, normal));
        if (document !== undefined) continue;
        // The browser's own page about the failure may still be on its way, and would interrupt the next one.
        await page.close();
        page = await context.newPage();
      }
      await page.close();
    };
    await Promise.all(Array.from({ length: pagesAtOnce }, readAll));
    await browser.close();
    return readings;
  };
}

function readingOf(document: Document | undefined, normal: (links: readonly string[]) => string[]): Reading {
  const text = document?.text.replaceAll('\0', '') ?? '';
  if (document === undefined || !text.includes(startMark)) return { got: 'nothing' };
  const got = text.includes(endMark) ? 'whole' : 'part';
  // A body shown as text, in a page that the browser made for it, has no title and no links of its own.
  if (!/html/.test(document.type)) return { got };
  return { got, title: document.title, links: normal(document.links) };
}
