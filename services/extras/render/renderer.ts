/**
 * The renderer: a consumer of `render` that opens each page in a browser and publishes what its scripts made of it, as a
 * page of its own in `pages` and its links in `discovered`.
 *
 * What it publishes is acked before its position moves on: a crash renders some pages twice and loses none. A page that
 * can't be rendered keeps its record as it was fetched, and is counted. If a site's page held the browser until it was
 * killed, or three of its pages in a row did not settle in time, none of its pages is rendered for ten times as long,
 * so that it does not take other sites' time.
 */
import type { LinkGroup, Page, Render } from '../../../schemas/types.ts';
import { partitionKeyOf } from '../../../topology/url/host-key.ts';
import type { Browser, Loaded } from './browser.ts';

export interface RenderedPage {
  readonly page: Page | null;
  readonly groups: readonly LinkGroup[];
}

export interface RendererOptions {
  readonly browser: Pick<Browser, 'render'>;
  /** Fetches what a page loads, politely. */
  readonly load: (url: string, render: Render) => Promise<Loaded | null>;
  /** Makes of a page what the fetcher would. */
  readonly read: (render: Render, html: string) => Promise<RenderedPage>;
  /** Resolves once it is acked. */
  readonly publish: (made: RenderedPage) => Promise<void>;
  readonly nowMs: () => number;
  readonly say: (text: string) => void;
}

export interface Renderer {
  handle(batch: readonly { readonly value: Render }[]): Promise<void>;
  stats(): { readonly rendered: number; readonly failed: number; readonly passedOver: number };
}

/** How many times as long as a page took in vain its site has to wait. */
const restFactor = 10;
/** The first pages of a site may be slow, as what they load comes at their host's pace; then it is known. */
const unsettledMax = 3;
/** Sites with last pages that did not settle. */
const sitesMax = 10_000;

export function createRenderer({ browser, load, read, publish, nowMs, say }: RendererOptions): Renderer {
  const counts = { rendered: 0, failed: 0, passedOver: 0 };
  /** Sites that rest, and until when. */
  const resting = new Map<string, number>();
  /** Pages in a row that did not settle, by site. */
  const unsettled = new Map<string, number>();
  const judge = (site: string, tookMs: number, settled: boolean | undefined) => {
    const times = settled === true ? 0 : settled === undefined ? unsettledMax : (unsettled.get(site) ?? 0) + 1;
    unsettled.delete(site);
    if (times > 0) unsettled.set(site, times);
    if (unsettled.size > sitesMax) unsettled.delete(unsettled.keys().next().value!);
    if (times >= unsettledMax) rest(site, tookMs);
  };
  const rest = (site: string, tookMs: number) => {
    for (const [other, untilMs] of resting) if (untilMs <= nowMs()) resting.delete(other);
    resting.set(site, nowMs() + restFactor * tookMs);
  };
  return {
    async handle(batch) {
      for (const { value: render } of batch) {
        const { url, status, headers } = render;
        const site = partitionKeyOf(render.hostKey, 'domain');
        const startMs = nowMs();
        if ((resting.get(site) ?? 0) > startMs) {
          counts.passedOver += 1;
          continue;
        }
        const page = { url, status, headers, body: Buffer.from(render.body) };
        const rendered = await browser.render(page, (wanted) => load(wanted, render));
        judge(site, nowMs() - startMs, rendered?.settled);
        if (rendered === null) {
          counts.failed += 1;
          say(`render: the browser crashed on ${url}`);
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
