/**
 * The renderer: a consumer of `render` that opens each page in a browser and publishes what its scripts made of it, as a
 * page of its own in `pages` and its links in `discovered`.
 *
 * What it publishes is acked before its position moves on: a crash renders some pages twice and loses none. A page that
 * can't be rendered has its record as it was fetched, and is counted.
 */
import type { LinkGroup, Page, Render } from '../../schemas/types.ts';
import type { Browser, Loaded } from './browser.ts';

export interface RenderedPage {
  readonly page: Page | null;
  readonly groups: readonly LinkGroup[];
}

export interface RendererOptions {
  readonly browser: Browser;
  /** Fetches what a page loads, politely. */
  readonly load: (url: string, render: Render) => Promise<Loaded | null>;
  /** What the fetcher would make of it. */
  readonly read: (render: Render, html: string) => Promise<RenderedPage>;
  /** Resolves once it is acked. */
  readonly publish: (made: RenderedPage) => Promise<void>;
  readonly say: (text: string) => void;
}

export interface Renderer {
  handle(batch: readonly { readonly value: Render }[]): Promise<void>;
  stats(): { readonly rendered: number; readonly failed: number };
}

export function createRenderer({ browser, load, read, publish, say }: RendererOptions): Renderer {
  const counts = { rendered: 0, failed: 0 };
  return {
    async handle(batch) {
      for (const { value: render } of batch) {
        const { url, status, headers } = render;
        const page = { url, status, headers, body: Buffer.from(render.body) };
        const rendered = await browser.render(page, (wanted) => load(wanted, render));
        if (rendered === null) {
          counts.failed += 1;
          say(`render: ${url} ended its browser`);
          continue;
        }
        const made = await read(render, rendered.html);
        await publish({ ...made, page: made.page && { ...made.page, rendered: true } });
        counts.rendered += 1;
      }
    },
    stats: () => ({ ...counts }),
  };
}
